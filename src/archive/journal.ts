import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { parseSpec, writeSpec } from "../domain/job-version.ts";
import { type JobView, type RejectedInput, timedId } from "../domain/job.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { InputLine } from "../ports/ledger-check.ts";
import type { Ledger, PlannedItem } from "../ports/ledger.ts";
import { ArchiveError, ifFound, openSealedJson, sealJson, sha256 } from "./stored-bytes.ts";

/**
 * A lost ledger is rebuilt from the journal, together with pages, records and manifests. It is written while a job runs:
 * - `jobs/JOB/job.json`: the job as the ledger has it, rewritten when the job changes and when its manifest is written.
 * - `jobs/JOB/inputs/`: its inputs, one segment per batch, stored before the ledger accepts them.
 * - `jobs/JOB/settled/`: outcomes of items, with the inputs that they found, stored with their pages and records before they are settled.
 * Segments are gzipped JSON lines; a segment's name ends with the digest of its bytes.
 */
export interface JobFile {
  readonly view: JobView;
  /** When the ledger was read for the job's manifest; absent if there is none. */
  readonly manifestAt?: number;
}

const KEPT_REJECTS = 20;
const SEGMENT = /-([0-9a-f]{16})\.jsonl\.gz$/;

const jobFileName = (job: string): string => `jobs/${job}/job.json`;
export const inputsPrefix = (job: string): string => `jobs/${job}/inputs/`;
export const settledPrefix = (job: string): string => `jobs/${job}/settled/`;
export const isJournal = (name: string): boolean => /^jobs\/[^/]+\/(inputs|settled)\//.test(name);

/** Returns the object's name. */
export const putInputs = async (
  blobs: Blobs,
  job: string,
  items: readonly PlannedItem[],
  rejected: readonly RejectedInput[],
): Promise<string> => {
  const rejects = rejected.slice(0, KEPT_REJECTS);
  const lines: readonly InputLine[] =
    rejected.length > 0 ? [...items, { rejected: rejected.length, rejects }] : items;
  // Ordered by time: batches of one loader never share a millisecond.
  const at = Date.now();
  const name = `${timedId(at, randomBytes(0))}${String(at % 1000).padStart(3, "0")}-${randomBytes(3).toString("hex")}`;
  const segment = await packLines(
    `${inputsPrefix(job)}${name}`,
    lines.map((line) => JSON.stringify(line)),
  );
  await blobs.put(segment.name, segment.bytes);
  return segment.name;
};

const compress = promisify(gzip);
const expand = promisify(gunzip);

/** A segment's bytes, and its name with their digest. */
export const packLines = async (
  name: string,
  lines: readonly string[],
): Promise<{ readonly name: string; readonly bytes: Uint8Array }> => {
  const bytes = await compress(`${lines.join("\n")}\n`, { level: 3 });
  return { name: `${name}-${digestOf(bytes)}.jsonl.gz`, bytes };
};

const digestOf = (bytes: Uint8Array): string => sha256(bytes).slice("sha256:".length, "sha256:".length + 16);

/** Throws `ArchiveError` if the bytes differ from what was stored. */
export const readLines = async <Line>(blobs: Blobs, name: string): Promise<Line[]> => {
  const bytes = await blobs.get(name);
  if (SEGMENT.exec(name)?.[1] !== digestOf(bytes))
    throw new ArchiveError(name, `${name} is damaged: digest mismatch`);
  const text = (await expand(bytes)).toString();
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
};

/** Writes `job.json` for the job as it is now. */
export const keepJobFile = async (
  { ledger, blobs }: { readonly ledger: Pick<Ledger, "readJob">; readonly blobs: Blobs },
  job: string,
  manifestAt?: number,
): Promise<void> => {
  const name = jobFileName(job);
  let view = await ledger.readJob(job);
  while (view) {
    const readAt = manifestAt ?? (await readJobFile(blobs, job).catch(() => undefined))?.manifestAt;
    const spec: unknown = JSON.parse(writeSpec(view.spec));
    await blobs.put(
      name,
      sealJson({ view: { ...view, spec }, ...(readAt !== undefined && { manifestAt: readAt }) }),
    );
    // Checked after the write: another process may have changed the job and written before.
    const before = view;
    view = await ledger.readJob(job);
    if (view && isSame(view, before)) return;
  }
  await blobs.remove(name); // the job was removed, perhaps before this file existed
};

const isSame = (a: JobView, b: JobView): boolean =>
  a.state === b.state &&
  a.isSealed === b.isSealed &&
  a.endedAt === b.endedAt &&
  writeSpec(a.spec) === writeSpec(b.spec);

/** Undefined if there is none. Throws `SyntaxError` if it is damaged. */
export const readJobFile = async (blobs: Blobs, job: string): Promise<JobFile | undefined> => {
  const bytes = await ifFound(blobs.get(jobFileName(job)));
  if (!bytes) return undefined;
  const file = openSealedJson<JobFile>(bytes);
  const spec = parseSpec(JSON.stringify(file.view.spec));
  return { ...file, view: { ...file.view, spec } };
};
