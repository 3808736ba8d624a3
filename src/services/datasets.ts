import { isDeepStrictEqual } from "node:util";
import type { Dataset, DatasetSpec, Release } from "../domain/release.ts";
import { releaseName } from "../domain/release.ts";
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

const MOST_DATASETS = 1000;

/** By name, those that the actor may read. */
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

/** Creates a dataset or changes what it is; releases stay as they are. `declared`: by the configuration. */
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
  };
  if (known && isDeepStrictEqual(known, body)) return known;
  const reply = await ledger.documents.commit({
    changes: [{ kind: "dataset", name, expected: found?.revision ?? 0, body }],
  });
  // Somebody has published in between: what the dataset is does not depend on that.
  return reply.committed ? body : await saveDataset(context, actor, name, spec, { declared });
};

/** What a dataset is, without what has become of it. */
export const specOfDataset = ({
  name: _name,
  client: _client,
  createdAt: _at,
  isDeclared: _declared,
  current: _current,
  last: _last,
  ...spec
}: Dataset): DatasetSpec => spec;

/** Whether the newest release is older than it should be. A dataset without one is late from its beginning. */
export const isLate = ({ lateAfterMs, current, createdAt }: Dataset, now: number): boolean =>
  lateAfterMs !== undefined && now - (current?.at ?? createdAt) > lateAfterMs;
