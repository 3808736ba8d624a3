import { isDeepStrictEqual } from "node:util";
import { isoTime } from "../domain/iso-time.ts";
import { readDuration } from "../domain/number-range.ts";
import {
  type Dataset,
  type DatasetConfig,
  type DatasetSpec,
  type OwnAudit,
  type Release,
  type ReleaseFile,
  releaseName,
} from "../domain/release.ts";
import { type Actor, mayRead, type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";

type Documents = Pick<ServiceContext, "ledger">;

export type ReleaseContext = Pick<ServiceContext, "ledger" | "blobs" | "now" | "audits">;

interface Stored<Body> {
  readonly revision: number;
  readonly body: Body;
}

/** Another client's dataset is as unknown as one that never existed. */
export const findDataset = async (
  { ledger }: Documents,
  actor: Actor,
  name: string,
): Promise<Stored<Dataset>> => {
  const found = await ledger.documents.read("dataset", name);
  const body = found?.body as Dataset | undefined;
  if (!found || !body || !mayRead(actor, body.client))
    throw new Problem("not-found", `${shown(name)}: no such dataset.`);
  return { revision: found.revision, body };
};

export const findRelease = async (
  { ledger }: Documents,
  dataset: Dataset,
  number: number,
): Promise<Stored<Release>> => {
  const found = await ledger.documents.read("release", releaseName(dataset.name, number));
  if (!found) throw new Problem("not-found", `${dataset.name} has no release ${number}.`);
  return { revision: found.revision, body: found.body as Release };
};

/** The release that readers get. */
export const currentRelease = async (context: Documents, dataset: Dataset): Promise<Release | undefined> =>
  dataset.current && (await findRelease(context, dataset, dataset.current.release)).body;

export const mustBeCurrent = async (context: Documents, dataset: Dataset): Promise<Release> => {
  const release = await currentRelease(context, dataset);
  if (!release) throw new Problem("not-found", `${dataset.name} has no published release yet.`);
  return release;
};

/** By its name in the release; `manifest.json` exists only for published releases. */
export const findFile = (release: Release, name: string): ReleaseFile => {
  const { dataset, number, files, published } = release;
  const found = name === "manifest.json" ? published?.manifest : files.find((one) => one.name === name);
  if (found) return found;
  const names = files.map((one) => one.name).join(", ");
  throw new Problem(
    "not-found",
    `Release ${number} of ${dataset} has no file ${shown(name)}. It has ${names}.`,
  );
};

const MOST_DATASETS = 1000;

/** The datasets that the actor may read, by name. */
export const listDatasets = async ({ ledger }: Documents, actor: Actor): Promise<readonly Dataset[]> => {
  const found = await ledger.documents.list("dataset", { limit: MOST_DATASETS });
  return found.map(({ body }) => body as Dataset).filter(({ client }) => mayRead(actor, client));
};

/** Newest first. */
export const listReleases = async (
  { ledger }: Documents,
  dataset: string,
  { limit, before }: { readonly limit: number; readonly before?: number },
): Promise<readonly Release[]> => {
  const found = await ledger.documents.list("release", {
    prefix: `${dataset}/`,
    newest: true,
    limit,
    ...(before !== undefined && { after: releaseName(dataset, before) }),
  });
  return found.map(({ body }) => body as Release);
};

/** Creates a dataset or changes its definition; releases stay unchanged. `declared`: by the configuration. */
export const saveDataset = async (
  context: Pick<ServiceContext, "ledger" | "now">,
  actor: Actor,
  name: string,
  spec: DatasetSpec,
  { declared = false }: { readonly declared?: boolean } = {},
): Promise<Dataset> => {
  const { ledger, now } = context;
  const names = spec.sources.map(({ as, scraper }) => as ?? scraper);
  const twice = names.find((one, at) => names.indexOf(one) !== at);
  if (twice !== undefined)
    throw new Problem(
      "bad-dataset",
      `${shown(name)}: two sources are named ${twice}. Name one of them with \`as\`.`,
    );
  const found = await ledger.documents.read("dataset", name);
  const known = found?.body as Dataset | undefined;
  if (known && !mayRead(actor, known.client))
    throw new Problem("not-found", `${shown(name)}: no such dataset.`);
  if (known?.isDeclared && !declared)
    throw new Problem("bad-dataset", `${name} is declared in the configuration. Change it there.`);
  const body: Dataset = {
    ...spec,
    name,
    client: known?.client ?? actor.client,
    createdAt: known?.createdAt ?? now(),
    ...(declared && { isDeclared: true }),
    ...(known?.current && { current: known.current }),
    ...(known?.last !== undefined && { last: known.last }),
    ...(known?.lateAfter !== undefined && { lateAfter: known.lateAfter }),
  };
  if (known && isDeepStrictEqual(known, body)) return known;
  const reply = await ledger.documents.commit({
    changes: [{ kind: "dataset", name, expected: found?.revision ?? 0, body }],
  });
  // Someone has published in between: the definition does not depend on that.
  return reply.committed ? body : await saveDataset(context, actor, name, spec, { declared });
};

/** Checks what a person has written in a file. */
export const readDatasetSpec = async (name: string, given: object, where: string): Promise<DatasetSpec> => {
  const { datasetName, datasetSpecSchema } = await import("../schemas/dataset.ts");
  const { data, error } = datasetSpecSchema.safeParse(given);
  const issue = datasetName.safeParse(name).error?.issues[0] ?? error?.issues[0];
  if (issue || !data)
    throw new Problem(
      "bad-dataset",
      `dataset ${shown(name)} in ${where}: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(": ")}.`,
    );
  // Without what zod's types let be undefined.
  return JSON.parse(JSON.stringify(data)) as DatasetSpec;
};

/** A dataset as the configuration declares it. */
export const configuredSpec = async (
  name: string,
  { audit, lateAfter, ...config }: DatasetConfig,
): Promise<DatasetSpec> =>
  await readDatasetSpec(
    name,
    {
      ...config,
      ...(lateAfter !== undefined && { lateAfterMs: readDuration(lateAfter) ?? lateAfter }),
      ...(audit && { hasAudit: true }),
    },
    "the configuration",
  );

export const auditsOf = (
  declared: Readonly<Record<string, DatasetConfig>> | undefined,
): ReadonlyMap<string, OwnAudit> =>
  new Map(Object.entries(declared ?? {}).flatMap(([name, { audit }]) => (audit ? [[name, audit]] : [])));

/** The definition of a dataset, without its state. */
export const specOfDataset = ({
  name: _name,
  client: _client,
  createdAt: _at,
  isDeclared: _declared,
  current: _current,
  last: _last,
  lateAfter: _late,
  ...spec
}: Dataset): DatasetSpec => spec;

/** Whether the newest release is older than it should be. A dataset without a release is late from the beginning. */
export const isLate = ({ lateAfterMs, current, createdAt }: Dataset, now: number): boolean =>
  lateAfterMs !== undefined && now - (current?.at ?? createdAt) > lateAfterMs;

/** Writes an event when a dataset is late, once for each release that is not followed by another in time. */
export const noteLate = async (
  { ledger, now }: Pick<ServiceContext, "ledger" | "now">,
  name: string,
): Promise<boolean> => {
  const found = await ledger.documents.read("dataset", name);
  if (!found) return false;
  const dataset = found.body as Dataset;
  const release = dataset.current?.release ?? 0;
  if (!isLate(dataset, now()) || dataset.lateAfter === release) return false;
  const since = isoTime(dataset.current?.at ?? dataset.createdAt);
  const { committed } = await ledger.documents.commit({
    changes: [{ kind: "dataset", name, expected: found.revision, body: { ...dataset, lateAfter: release } }],
    events: [
      { type: "release.late", job: "", facts: { client: dataset.client, dataset: name, release, since } },
    ],
  });
  // Someone has published in between, or has already reported it.
  return committed;
};

/** How many datasets are late, have a held newest release, have never published one, or are fine: each counts once, in this order. */
export const datasetStates = async (
  { documents }: Pick<ServiceContext["ledger"], "documents">,
  now: number,
): Promise<Readonly<Record<"late" | "held" | "unpublished" | "current", number>>> => {
  const counts = { late: 0, held: 0, unpublished: 0, current: 0 };
  for (const { body } of await documents.list("dataset", { limit: MOST_DATASETS })) {
    const dataset = body as Dataset;
    const { name, last = 0, current } = dataset;
    const newest =
      last > (current?.release ?? 0) ? await documents.read("release", releaseName(name, last)) : undefined;
    if (isLate(dataset, now)) counts.late++;
    else if ((newest?.body as Release | undefined)?.state === "held") counts.held++;
    else counts[current ? "current" : "unpublished"]++;
  }
  return counts;
};
