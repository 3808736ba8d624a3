import { randomBytes } from "node:crypto";
import { ArchiveError } from "../archive/stored-bytes.ts";
import { isoTime } from "../domain/iso-time.ts";
import { timedId, timeOfId } from "../domain/job.ts";
import {
  type Check,
  type Dataset,
  type Release,
  releaseName,
  releasesToRemove,
  whyNotPublish,
} from "../domain/release.ts";
import { BlobError, removeAll } from "../ports/blobs.ts";
import type { DocumentChange } from "../ports/documents.ts";
import type { NewEvent } from "../ports/event-log.ts";
import { auditCounts, auditRows } from "../releases/audit-rows.ts";
import { diffReleases, type ReleaseDifference } from "../releases/diff-releases.ts";
import { putFile } from "../releases/release-files.ts";
import { type ChosenSource, DatasetError } from "../releases/source-rows.ts";
import { writeReleaseFiles } from "../releases/write-files.ts";
import { type Actor, shown } from "./context.ts";
import { currentRelease, findDataset, findRelease, listReleases, type ReleaseContext } from "./datasets.ts";
import { Problem } from "./problem.ts";
import { findingText, noteQuality, readDrift } from "./quality.ts";

/** Where the files of a dataset's releases are. */
const folderOf = (dataset: string): string => `service/datasets/${dataset}`;

/** The last part of the folder in which the files of a release are. */
const folderIn = ({ files }: Pick<Release, "files">): string => files[0]!.blob.split("/").at(-2)!;

/** Which job each source is read from: the requested one, the one that the dataset names, or the newest that is done. */
const chooseSources = async (
  { ledger }: ReleaseContext,
  dataset: Dataset,
  jobs: Readonly<Record<string, string>>,
): Promise<ChosenSource[]> => {
  const names = dataset.sources.map(({ as, scraper }) => as ?? scraper);
  const unknown = Object.keys(jobs).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Problem(
      "bad-dataset",
      `${dataset.name} has no source ${shown(unknown)}. It has ${names.join(", ")}.`,
    );
  return await Promise.all(
    dataset.sources.map(async (source, at) => {
      const as = names[at]!;
      const { scraper } = source;
      const named = jobs[as] ?? source.job;
      const view = named
        ? await ledger.readJob(named)
        : (await ledger.listJobs({ client: dataset.client, scraper, states: ["done"], limit: 1 }))[0];
      if (!view || view.spec.client !== dataset.client)
        throw new Problem(
          "bad-dataset",
          named
            ? `${dataset.name}: source ${as} names job ${shown(named)}, which does not exist.`
            : `${dataset.name}: no job of ${scraper} is done. Run one first, or name a job.`,
        );
      if (view.spec.scraper !== scraper)
        throw new Problem(
          "bad-dataset",
          `${dataset.name}: job ${named} is of ${view.spec.scraper}, not of ${scraper}.`,
        );
      return { ...source, as, view };
    }),
  );
};

/** Writes a release of the sources' current records. Readers do not see it until it is audited and published. */
export const writeRelease = async (
  context: ReleaseContext,
  actor: Actor,
  name: string,
  { jobs = {} }: { readonly jobs?: Readonly<Record<string, string>> } = {},
): Promise<Release> => {
  const { ledger, blobs, now } = context;
  const { body: dataset } = await findDataset(context, actor, name);
  const sources = await chooseSources(context, dataset, jobs);
  const last = await currentRelease(context, dataset);
  const folder = `${folderOf(name)}/${timedId(now(), randomBytes(4))}`;
  try {
    const written = await writeReleaseFiles({ ledger, blobs }, dataset, { sources, folder, last });
    return await numbered(context, actor, name, {
      ...written,
      dataset: name,
      client: dataset.client,
      state: "written",
      writtenAt: now(),
      writtenBy: actor.client,
      ...(last && { before: last.number }),
    });
  } catch (error) {
    await removeFolder(context, folder).catch(() => undefined);
    if (error instanceof DatasetError)
      throw new Problem("bad-dataset", `${name}: ${error.message}`, {}, { cause: error });
    throw error;
  }
};

/** Two concurrent writers get different numbers. */
const numbered = async (
  context: ReleaseContext,
  actor: Actor,
  name: string,
  written: Omit<Release, "number">,
): Promise<Release> => {
  for (;;) {
    const { body, revision } = await findDataset(context, actor, name);
    const number = (body.last ?? 0) + 1;
    const release: Release = { ...written, number };
    const { committed } = await context.ledger.documents.commit({
      changes: [
        { kind: "dataset", name, expected: revision, body: { ...body, last: number } },
        { kind: "release", name: releaseName(name, number), expected: 0, body: release },
      ],
    });
    if (committed) return release;
  }
};

/** Audits a release that is not published: it passes, or is held with the reasons. */
export const auditRelease = async (
  context: ReleaseContext,
  actor: Actor,
  name: string,
  number: number,
): Promise<Release> => {
  const { ledger, blobs, now, audits } = context;
  const { body: dataset } = await findDataset(context, actor, name);
  const { body: release, revision } = await findRelease(context, dataset, number);
  if (release.state === "published" || release.state === "withdrawn")
    throw new Problem(
      "release-refused",
      `Release ${number} of ${name} is ${release.state}: it has already been audited.`,
    );
  const ownAudit = audits?.get(name);
  if (dataset.hasAudit && !ownAudit)
    throw new Problem(
      "release-refused",
      `${name} has an audit function in its configuration, which this process has not loaded. Run the audit in the folder of sluice.config.ts.`,
    );
  const tools = {
    blobs,
    ownAudit,
    current: await currentRelease(context, dataset),
    currentOf: async (other: string) => {
      const found = await ledger.documents.read("dataset", other);
      const body = found?.body as Dataset | undefined;
      return body?.client === dataset.client ? await currentRelease(context, body) : undefined;
    },
  };
  const checks = [
    ...auditCounts(release, dataset),
    ...(await driftChecks(context, dataset, release)),
    ...(await readable(() => auditRows(release, dataset, tools))),
  ];
  const isHeld = checks.some(({ verdict }) => verdict === "fail");
  const audited: Release = {
    ...release,
    state: isHeld ? "held" : "audited",
    audit: { at: now(), by: actor.client, checks },
  };
  await change(
    context,
    [{ kind: "release", name: releaseName(name, number), expected: revision, body: audited }],
    isHeld ? [heldEvent(audited)] : [],
  );
  return audited;
};

/** Bytes that cannot be read are a failed check, not an error: another release may be fine. */
const readable = async (run: () => Promise<Check[]>): Promise<Check[]> => {
  try {
    return await run();
  } catch (error) {
    const isLost =
      error instanceof ArchiveError || (error instanceof BlobError && error.code === "not-found");
    if (!isLost) throw error;
    return [{ check: "files", verdict: "fail", detail: error.message }];
  }
};

const driftChecks = async (context: ReleaseContext, dataset: Dataset, release: Release): Promise<Check[]> => {
  const { drift = "block" } = dataset.rules ?? {};
  if (drift === "ignore") return [];
  const all = await Promise.all(
    release.sources.map(async ({ as, scraper, job }): Promise<Check> => {
      await noteQuality(context, job, { renews: true });
      const owner: Actor = { client: dataset.client, role: "client" };
      const { findings } = await readDrift(context, owner, scraper, { limit: Infinity, isOpen: true });
      const own = findings.filter((finding) => finding.job === job);
      const blocking = own.filter(({ level }) => level === "block");
      const [first] = blocking.length > 0 ? blocking : own;
      const verdict = blocking.length > 0 && drift === "block" ? "fail" : own.length > 0 ? "warn" : "pass";
      return {
        check: `drift of ${as}`,
        verdict,
        detail: first ? `${own.length} findings, such as ${findingText(first)}` : "no open findings",
      };
    }),
  );
  return all;
};

const heldEvent = ({ dataset, client, number, audit }: Release): NewEvent => ({
  type: "release.held",
  job: "",
  facts: {
    client,
    dataset,
    release: number,
    failed: (audit?.checks ?? [])
      .filter(({ verdict }) => verdict === "fail")
      .slice(0, 5)
      .map(({ check, detail }) => `${check}: ${detail}`),
  },
});

const change = async (
  { ledger }: ReleaseContext,
  changes: readonly DocumentChange[],
  events: readonly NewEvent[],
): Promise<void> => {
  const reply = await ledger.documents.commit({ changes, events });
  if (reply.committed) return;
  const { kind, name } = reply.conflicts[0]!;
  throw new Problem(
    "release-changed",
    `The ${kind} ${name} was changed by someone else at the same time; nothing was done. Look at it, then try again.`,
  );
};

/**
 * Makes an audited release the current one: its manifest is stored, then the dataset's pointer is changed by compare-and-set. If
 * two publish at the same time, one succeeds and the other gets an error.
 */
export const publishRelease = async (
  context: ReleaseContext,
  actor: Actor,
  name: string,
  number: number,
  { reason }: { readonly reason?: string } = {},
): Promise<Release> => {
  const { now, blobs } = context;
  const { body: dataset, revision } = await findDataset(context, actor, name);
  const found = await findRelease(context, dataset, number);
  const why = whyNotPublish(found.body, dataset.current?.release, reason);
  if (why !== undefined) throw new Problem("release-refused", `${name}: ${why}.`);
  const at = now();
  const publishing = { at, by: actor.client, ...(reason !== undefined && { reason }) };
  const folder = `${folderOf(name)}/${folderIn(found.body)}`;
  const manifest = await putFile(
    blobs,
    folder,
    // A publisher that loses or dies leaves a manifest that nothing points to.
    `manifest-${timedId(at, randomBytes(4))}.json`,
    `${JSON.stringify(manifestOf(found.body, publishing), null, 2)}\n`,
  );
  const published: Release = {
    ...found.body,
    state: "published",
    published: { ...publishing, manifest: { ...manifest, name: "manifest.json" } },
  };
  await change(
    context,
    [
      { kind: "dataset", name, expected: revision, body: { ...dataset, current: { release: number, at } } },
      { kind: "release", name: releaseName(name, number), expected: found.revision, body: published },
    ],
    [publishedEvent(published, at)],
  );
  return published;
};

/** Everything about a release, for readers who have only the files. */
const manifestOf = (
  { state: _state, files, ...release }: Release,
  published: { readonly at: number; readonly by: string; readonly reason?: string },
): object => ({
  ...release,
  writtenAt: isoTime(release.writtenAt),
  files: files.map(({ blob: _blob, ...file }) => file),
  published: { ...published, at: isoTime(published.at) },
});

const publishedEvent = ({ dataset, client, number, rows }: Release, at: number, from?: number): NewEvent => ({
  type: "release.published",
  job: "",
  facts: {
    client,
    dataset,
    release: number,
    rows,
    at: isoTime(at),
    ...(from !== undefined && { rollback: true, from }),
  },
});

/** Makes an earlier published release current again; by default the previous one. */
export const rollbackRelease = async (
  context: ReleaseContext,
  actor: Actor,
  name: string,
  to?: number,
): Promise<Release> => {
  const { body: dataset, revision } = await findDataset(context, actor, name);
  const from = dataset.current?.release;
  if (from === undefined)
    throw new Problem("release-refused", `${name} has no current release, so there is nothing to roll back.`);
  const earlier = await listReleases(context, name, { limit: 500, before: from });
  const target =
    to === undefined
      ? earlier.find(({ state }) => state === "published")
      : (await findRelease(context, dataset, to)).body;
  if (!target?.published || target.number === from)
    throw new Problem(
      "release-refused",
      to === undefined
        ? `${name} has no published release before ${from}.`
        : `Release ${to} of ${name} was never published, or is current already.`,
    );
  const left = await findRelease(context, dataset, from);
  const at = context.now();
  const kept = await findRelease(context, dataset, target.number);
  const body: Release = { ...target, state: "published" };
  await change(
    context,
    [
      {
        kind: "dataset",
        name,
        expected: revision,
        body: { ...dataset, current: { release: target.number, at } },
      },
      {
        kind: "release",
        name: releaseName(name, from),
        expected: left.revision,
        body: { ...left.body, state: "withdrawn" },
      },
      { kind: "release", name: releaseName(name, target.number), expected: kept.revision, body },
    ],
    [publishedEvent(target, at, from)],
  );
  return body;
};

const MOST_EXAMPLES = 20;

/** The differences between two releases by key; by default the current and the previous one. */
export const diffOfReleases = async (
  context: ReleaseContext,
  actor: Actor,
  name: string,
  { before, after, most = 5 }: { readonly before?: number; readonly after?: number; readonly most?: number },
): Promise<ReleaseDifference & { readonly before: number; readonly after: number }> => {
  const { body: dataset } = await findDataset(context, actor, name);
  const now = after ?? dataset.current?.release ?? dataset.last;
  if (now === undefined) throw new Problem("not-found", `${name} has no releases yet.`);
  const earlier = await listReleases(context, name, { limit: 500, before: now });
  const was = before ?? earlier.find(({ published }) => published)?.number;
  if (was === undefined) throw new Problem("not-found", `${name} has no published release before ${now}.`);
  const [old, next] = await Promise.all([was, now].map((number) => findRelease(context, dataset, number)));
  const found = await diffReleases(context.blobs, old!.body, next!.body, Math.min(most, MOST_EXAMPLES));
  return { ...found, before: was, after: now };
};

const removeFolder = async ({ blobs }: Pick<ReleaseContext, "blobs">, folder: string): Promise<void> => {
  const names: string[] = [];
  for await (const { name } of blobs.list(`${folder}/`)) names.push(name);
  await removeAll(blobs, names);
};

const MOST_RELEASES = 20_000;
/** Writing a release never takes longer than this. */
const ABANDONED_MS = 86_400_000;

/** Removes releases beyond those that a dataset keeps, and files left by writers and publishers that died. */
export const pruneReleases = async (
  context: ReleaseContext,
  dataset: Dataset,
): Promise<readonly number[]> => {
  const { blobs, now } = context;
  const { name, keep } = dataset;
  const releases = await listReleases(context, name, { limit: MOST_RELEASES });
  const due =
    keep === undefined ? [] : releasesToRemove(releases, { keep, current: dataset.current?.release });
  for (const number of due) {
    // Read again: it may have become current, and then the dataset's revision has changed.
    const { body, revision } = await findDataset(context, { client: dataset.client, role: "operator" }, name);
    if (body.current?.release === number) continue;
    await change(
      context,
      [
        { kind: "dataset", name, expected: revision, body },
        { kind: "release", name: releaseName(name, number), body: null },
      ],
      [],
    );
  }
  const kept = new Set(releases.filter(({ number }) => !due.includes(number)).map(folderIn));
  const folders = new Set<string>();
  for await (const { name: blob } of blobs.list(`${folderOf(name)}/`)) folders.add(blob.split("/").at(-2)!);
  const dueFolders = new Set(releases.filter(({ number }) => due.includes(number)).map(folderIn));
  for (const folder of folders)
    if (dueFolders.has(folder) || (!kept.has(folder) && now() - timeOfId(folder) > ABANDONED_MS))
      await removeFolder(context, `${folderOf(name)}/${folder}`);
  return due;
};
