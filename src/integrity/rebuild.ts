import { existsSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { inputsPrefix, type JobFile, readJobFile, readLines, settledPrefix } from "../archive/journal.ts";
import {
  type DocumentFile,
  DOCUMENTS_FOLDER,
  type LaneLimit,
  LANES_FILE,
  REGISTRY_FILE,
  type RegistryFile,
} from "../archive/journaled-ledger.ts";
import { readManifest, writeManifest } from "../archive/manifest.ts";
import { ArchiveError, ifFound, openSealedJson } from "../archive/stored-bytes.ts";
import { BlobError, type Blobs } from "../ports/blobs.ts";
import type { LedgerRebuild, ListedItem, LostJob, RebuiltJob } from "../ports/ledger-check.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { Registry } from "../ports/registry.ts";

/** The backend's part of a rebuild. */
export interface RebuildTools {
  readonly ledgerFile: string;
  /** The new ledger's name until it is complete. */
  readonly rebuildFile: string;
  readonly openBlobs: (data: string) => Promise<Blobs>;
  readonly openRebuild: (file: string) => Promise<LedgerRebuild>;
  readonly openLedger: (file: string) => Promise<Ledger>;
  readonly openRegistry: (file: string) => Promise<Registry>;
  readonly newSecret: () => string;
  readonly onProgress?: (progress: { readonly jobs: number; readonly items: number }) => void;
  readonly onJob?: (job: RebuiltJob) => void;
}

export interface Rebuilt {
  readonly jobs: readonly RebuiltJob[];
  /** What could not be recovered, one sentence each. */
  readonly problems: readonly string[];
  readonly clients: number;
  /** Valid keys. */
  readonly keys: number;
  readonly webhooks: number;
}

export class RebuildError extends Error {
  readonly code: "ledger-there" | "nothing-there";
  constructor(code: RebuildError["code"], message: string) {
    super(message);
    this.name = "RebuildError";
    this.code = code;
  }
}

/**
 * Rebuilds the ledger of a data folder from the archive. The new ledger is built under another name and renamed when it is complete: a kill
 * before that has no effect, and the next run starts over. Nothing in the archive is deleted.
 */
export const rebuild = async (data: string, tools: RebuildTools): Promise<Rebuilt> => {
  refuseLedger(data, tools.ledgerFile);
  const file = join(data, tools.rebuildFile);
  const problems: string[] = [];
  if (!existsSync(join(data, "blobs"))) throw nothingThere(data);
  const blobs = await tools.openBlobs(data);
  const found = await findJobs(blobs, problems);
  if (found.length === 0) throw nothingThere(data);
  const jobs: RebuiltJob[] = [];
  {
    await using ledger = await tools.openRebuild(file);
    let items = 0;
    for (const job of found) {
      const onProgress = (more: number): void =>
        tools.onProgress?.({ jobs: jobs.length, items: (items += more) });
      const rebuilt = await ledger.addJob(await lostJob(blobs, job, problems, onProgress));
      jobs.push(rebuilt);
      tools.onJob?.(rebuilt);
    }
    await ledger.finish();
  }
  const service = await restoreService(blobs, file, tools);
  await keepOrder({ blobs, file, tools }, jobs);
  await sync(file, "r+");
  refuseLedger(data, tools.ledgerFile);
  await rename(file, join(data, tools.ledgerFile));
  await sync(data, "r");
  return { jobs, problems, ...service };
};

const nothingThere = (data: string): RebuildError =>
  new RebuildError(
    "nothing-there",
    `${data}: this folder has no archive to rebuild a ledger from. Name the data folder with --data DIR.`,
  );

/** Includes a leftover log: SQLite would write it into the new ledger. */
const refuseLedger = (data: string, ledgerFile: string): void => {
  const there = ["", "-wal", "-shm"]
    .map((end) => `${ledgerFile}${end}`)
    .filter((name) => existsSync(join(data, name)));
  if (there.length > 0)
    throw new RebuildError(
      "ledger-there",
      `${data}: the ledger exists (${there.join(", ")}) and is not overwritten. \`sluice fsck\` checks whether it is damaged. ` +
        `To rebuild it anyway, stop every Sluice process, then move it away: mkdir ${data}/old-ledger && mv ${there.map((name) => `${data}/${name}`).join(" ")} ${data}/old-ledger`,
    );
};

interface FoundJob extends JobFile {
  readonly id: string;
}

/** In the order in which they were created. */
const findJobs = async (blobs: Blobs, problems: string[]): Promise<FoundJob[]> => {
  const found: FoundJob[] = [];
  const ids = new Set<string>();
  for await (const { name } of blobs.list("jobs/")) {
    const id = /^jobs\/([^/]+)\//.exec(name)?.[1];
    if (id !== undefined) ids.add(id);
  }
  for (const id of ids) {
    try {
      const file = await readJobFile(blobs, id);
      if (file) found.push({ ...file, id });
      else
        problems.push(
          `${id}: it has no job.json, because an older version wrote it or it was removed. Its objects are unchanged.`,
        );
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      problems.push(`${id}: its job.json is damaged (${error.message}), so the job cannot be rebuilt.`);
    }
  }
  return found.toSorted((a, b) => a.view.createdAt - b.view.createdAt || (a.id < b.id ? -1 : 1));
};

const lostJob = async (
  blobs: Blobs,
  { id, view, manifestAt }: FoundJob,
  problems: string[],
  onProgress: LostJob["onProgress"],
): Promise<LostJob> => {
  const objects = new Set<string>();
  for await (const { name } of blobs.list(`jobs/${id}/`)) objects.add(name);
  const below = (prefix: string): string[] => [...objects].filter((name) => name.startsWith(prefix));
  const damaged = new Set<string>();
  async function* linesOf<Line>(names: readonly string[], what: string): AsyncGenerator<readonly Line[]> {
    for (const name of names)
      try {
        yield await readLines<Line>(blobs, name);
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error;
        damaged.add(name);
        problems.push(`${id}: ${error.message}; ${what}`);
      }
  }
  const inputs = below(inputsPrefix(id));
  for await (const _ of linesOf(
    inputs,
    "inputs stored only there are lost; provide them again with `sluice resume --input`",
  ));
  const isListed = await hasManifest(blobs, id, problems);
  const { endedAt, ...lasting } = view;
  const hasEnded = isListed && endedAt !== undefined && endedAt <= (manifestAt ?? -Infinity);
  return {
    view: { ...lasting, isSealed: lasting.isSealed && damaged.size === 0, ...(hasEnded && { endedAt }) },
    inputs: linesOf(
      inputs.filter((name) => !damaged.has(name)),
      "",
    ),
    settled: linesOf(below(settledPrefix(id)), "items recorded only there are fetched again"),
    manifest: isListed ? readManifest(blobs, id) : nothing(),
    ...(isListed && manifestAt !== undefined && { manifestAt }),
    has: (blob) => objects.has(blob),
    onProgress,
  };
};

async function* nothing(): AsyncGenerator<ListedItem> {}

/** Reads the manifest to its end first: half a manifest does not count. */
const hasManifest = async (blobs: Blobs, job: string, problems: string[]): Promise<boolean> => {
  try {
    for await (const _ of readManifest(blobs, job));
    return true;
  } catch (error) {
    if (error instanceof BlobError && error.code === "not-found") return false;
    if (!(error instanceof ArchiveError)) throw error;
    problems.push(`${job}: ${error.message}; items recorded only there are fetched again.`);
    return false;
  }
};

type Service = Pick<Rebuilt, "clients" | "keys" | "webhooks">;

/** Restores clients, keys, the operators' lane settings and documents. Webhooks get new secrets: the archive stores none. */
const restoreService = async (blobs: Blobs, file: string, tools: RebuildTools): Promise<Service> => {
  const [registryBytes, laneBytes] = [
    await ifFound(blobs.get(REGISTRY_FILE)),
    await ifFound(blobs.get(LANES_FILE)),
  ];
  let webhooks = 0;
  const { clients, keys }: RegistryFile = registryBytes
    ? openSealedJson<RegistryFile>(registryBytes)
    : { clients: [], keys: [] };
  const registry = await tools.openRegistry(file);
  try {
    for (const client of clients) {
      const endpoints = [];
      for (const endpoint of client.webhooks) {
        webhooks++;
        endpoints.push({ ...endpoint, secrets: [tools.newSecret()] });
      }
      await registry.saveClient({ ...client, webhooks: endpoints });
    }
    for (const key of keys) await registry.saveKey(key);
  } finally {
    await registry.close();
  }
  const ledger = await tools.openLedger(file);
  try {
    const { lanes } = laneBytes
      ? openSealedJson<{ readonly lanes: readonly LaneLimit[] }>(laneBytes)
      : { lanes: [] };
    for (const { lane, perSecond, isHeld } of lanes) await ledger.controlLane(lane, { perSecond, isHeld });
    for await (const { name } of blobs.list(DOCUMENTS_FOLDER))
      await ledger.documents.commit({ changes: [openSealedJson<DocumentFile>(await blobs.get(name))] });
  } finally {
    await ledger.close();
  }
  return {
    clients: clients.length,
    keys: keys.filter(({ revokedAt }) => revokedAt === undefined).length,
    webhooks,
  };
};

/** Items have new places. A manifest preserves them for a second rebuild. */
const keepOrder = async (
  { blobs, file, tools }: { readonly blobs: Blobs; readonly file: string; readonly tools: RebuildTools },
  jobs: readonly RebuiltJob[],
): Promise<void> => {
  const ledger = await tools.openLedger(file);
  try {
    for (const { job, state } of jobs) if (state === "paused") await writeManifest({ ledger, blobs }, job);
  } finally {
    await ledger.close();
  }
};

const sync = async (path: string, flags: "r" | "r+"): Promise<void> => {
  await using file = await open(path, flags);
  await file.sync();
};
