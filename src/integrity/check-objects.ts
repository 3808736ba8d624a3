import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type CheckedMember, checkSegment } from "../archive/check-segment.ts";
import { ifFound, sha256 } from "../archive/stored-bytes.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Damage, StoredRef } from "../ports/ledger-check.ts";

const EXTRACT_AGAIN = "restore it from a backup, or make the records again with `sluice extract`";
const FETCH_AGAIN = "restore it from a backup; the item can be collected again by a new job";

/** Checks a WARC segment, its index, and the captures that items refer to in it. */
export async function* checkCaptures(blobs: Blobs, refs: RefIndex, name: string): AsyncGenerator<Damage> {
  const checked = checkSegment(name, await blobs.get(name));
  const { problem, index, files } = checked;
  const responses = new Map(
    checked.members
      .filter(({ type }) => type === "response" || type === "resource")
      .map((member) => [member.offset, member]),
  );
  if (problem !== undefined) yield { what: "segment", where: name, problem, advice: FETCH_AGAIN };
  refs.put(
    files.map(({ blob, size, digest }) => ({
      blob,
      offset: 0,
      length: size,
      digest,
      kind: "note",
      job: "",
      key: "",
    })),
  );
  for (const ref of refs.take(name))
    if (!isSame(responses.get(ref.offset), ref))
      yield {
        what: "item",
        where: name,
        job: ref.job,
        problem: `job ${ref.job}, item ${ref.key}: its capture (${ref.length} bytes at ${ref.offset}) differs from what was stored`,
        advice: FETCH_AGAIN,
      };
  if (index === undefined) return;
  const stored = await ifFound(blobs.get(`${name}.cdxj`));
  if (stored && Buffer.from(stored).equals(index)) return;
  if (stored && isOlder(stored, index)) return;
  yield {
    what: "index",
    where: `${name}.cdxj`,
    problem: stored ? "it does not match its segment" : "it is missing",
    ...(!stored && { code: "missing" }),
    repair: "index",
  };
}

/** The segment's correct index. */
export const indexOf = async (blobs: Blobs, segment: string): Promise<Uint8Array | undefined> =>
  checkSegment(segment, await blobs.get(segment)).index;

/** Indexes of older versions lack the line about the segment. */
const isOlder = (stored: Uint8Array, index: Uint8Array): boolean => {
  const expected = Buffer.from(index);
  return expected.subarray(expected.indexOf("\n") + 1).equals(stored);
};

const isSame = (member: CheckedMember | undefined, { length, digest }: IndexedRef): boolean =>
  member?.length === length && member.digest === digest;

/** Checks a segment of records: each item's range has its own digest. */
export async function* checkRecords(
  blobs: Blobs,
  refs: RefIndex,
  name: string,
): AsyncGenerator<Damage, number> {
  let unverified = 0;
  const bytes = await blobs.get(name);
  for (const { offset, length, digest, job, key } of refs.take(name)) {
    const part = bytes.subarray(offset, offset + length);
    if (digest === undefined && part.length === length) unverified++;
    else if (part.length < length || sha256(part) !== digest)
      yield {
        what: "records",
        where: name,
        job,
        problem: `job ${job}, item ${key}: its records (${length} bytes at ${offset}) are damaged`,
        advice: EXTRACT_AGAIN,
      };
  }
  return unverified;
}

/** Checks a file that is a separate object against the refs to it. */
export async function* checkFile(blobs: Blobs, refs: RefIndex, name: string): AsyncGenerator<Damage> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of blobs.stream(name)) {
    hash.update(chunk);
    size += chunk.length;
  }
  const digest = `sha256:${hash.digest("hex")}`;
  const wrong = [...refs.take(name)].filter((ref) => ref.digest !== digest || ref.length !== size);
  const named = wrong.find(({ kind }) => kind === "capture");
  const whose = named ? `job ${named.job}, item ${named.key}: ` : "";
  if (wrong.length > 0)
    yield {
      what: "file",
      where: name,
      problem: `${whose}the file differs from what was stored`,
      advice: FETCH_AGAIN,
      ...(named && { job: named.job }),
    };
}

type Kind = StoredRef["kind"] | "note";
type IndexedRef = Omit<StoredRef, "kind"> & { readonly kind: Kind };

/**
 * All refs of items, by object. In a temporary file, about 200 bytes for each capture: the ledger is ordered by item, the archive by object,
 * and both may be larger than memory.
 */
export class RefIndex implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "sluice-fsck-"));
  readonly #db = new DatabaseSync(join(this.#folder, "refs.db"));
  readonly #clear = (): void => rmSync(this.#folder, { recursive: true, force: true });

  constructor() {
    process.once("exit", this.#clear); // also on interruption
    this.#db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384");
    this.#db.exec(
      `CREATE TABLE refs (blob TEXT NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL, digest TEXT, kind TEXT NOT NULL,
         job TEXT NOT NULL, key TEXT NOT NULL);
       CREATE INDEX by_blob ON refs (blob, start);
       CREATE TABLE seen (blob TEXT PRIMARY KEY) WITHOUT ROWID`,
    );
  }

  put(refs: Iterable<IndexedRef>): void {
    const insert = this.#db.prepare("INSERT INTO refs VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#db.exec("BEGIN");
    for (const { blob, offset, length, digest, kind, job, key } of refs)
      insert.run(blob, offset, length, digest ?? null, kind, job, key);
    this.#db.exec("COMMIT");
  }

  /** The refs to an existing object. */
  *take(blob: string): Generator<IndexedRef> {
    this.#db.prepare("INSERT OR IGNORE INTO seen VALUES (?)").run(blob);
    for (const { start, digest, ...row } of this.#db
      .prepare("SELECT * FROM refs WHERE blob = ? ORDER BY start")
      .iterate(blob) as Iterable<
      Omit<IndexedRef, "digest" | "offset"> & { readonly start: number; readonly digest: string | null }
    >)
      yield { ...row, offset: start, ...(digest !== null && { digest }) };
  }

  /** Objects with refs that were never taken. */
  *missing(): Generator<{
    readonly blob: string;
    readonly job: string;
    readonly key: string;
    readonly count: number;
  }> {
    yield* this.#db
      .prepare(
        `SELECT blob, job, key, count(*) AS count FROM refs WHERE blob NOT IN (SELECT blob FROM seen) AND kind <> 'note' GROUP BY blob ORDER BY blob`,
      )
      .all() as unknown as Iterable<{ blob: string; job: string; key: string; count: number }>;
  }

  [Symbol.dispose](): void {
    this.#db.close();
    this.#clear();
    process.off("exit", this.#clear);
  }
}
