import { createHash } from "node:crypto";
import type { StoredExtraction } from "../archive/extractions.ts";
import { isJournal, readLines } from "../archive/journal.ts";
import { itemPages, manifestLine, manifestName, readManifest } from "../archive/manifest.ts";
import { ArchiveError, ifFound, isStorageError, openSealedJson, sha256 } from "../archive/stored-bytes.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Damage, LedgerCheck } from "../ports/ledger-check.ts";
import { type JobLedger, type Ledger, LedgerError } from "../ports/ledger.ts";
import { checkCaptures, checkFile, checkRecords, RefIndex } from "./check-objects.ts";

interface FsckStores {
  /** Opens a view of the ledger as it is now. */
  readonly look: () => LedgerCheck;
  readonly blobs: Blobs;
  /** For manifests, which are written from it. */
  readonly openLedger: () => Promise<Ledger>;
}

export interface FsckCounts {
  objects: number;
  bytes: number;
  jobs: number;
  /** Records of older versions without a checksum. */
  unverified: number;
  /** Objects of jobs unknown to the ledger, and their bytes. */
  orphans: number;
  orphanBytes: number;
}

interface FsckOptions {
  readonly onProgress?: (counts: Readonly<FsckCounts>) => void;
  readonly onOrphan?: (name: string) => void | Promise<void>;
}

/**
 * Checks a data folder for consistency: the ledger's rows against their checksums and counters, every object against its digests, and both
 * against each other. Changes nothing. The ledger is read first: what it refers to was stored before.
 */
export class Fsck {
  readonly #stores: FsckStores;
  readonly #options: FsckOptions;
  readonly counts: FsckCounts = { objects: 0, bytes: 0, jobs: 0, unverified: 0, orphans: 0, orphanBytes: 0 };

  constructor(stores: FsckStores, options: FsckOptions = {}) {
    this.#stores = stores;
    this.#options = options;
  }

  async *run(): AsyncGenerator<Damage> {
    using index = new RefIndex();
    const ended: string[] = [];
    {
      using check = this.#stores.look();
      let isReadable = true;
      for (const damage of check.problems()) {
        isReadable &&= damage.what !== "ledger";
        yield damage;
      }
      try {
        for (const { id, endedAt } of check.jobs()) {
          this.counts.jobs++;
          if (endedAt !== undefined) ended.push(id);
        }
        index.put(check.refs());
        yield* this.#objects(check, index);
        yield* this.#missing(index);
      } catch (error) {
        // Already reported: the ledger could not be read to its end.
        if (isReadable || error instanceof LedgerError || isStorageError(error)) throw error;
        return;
      }
      if (!isReadable) return;
    }
    yield* this.#manifests(ended);
  }

  async *#objects(check: LedgerCheck, index: RefIndex): AsyncGenerator<Damage> {
    for await (const { name, size } of this.#stores.blobs.list("")) {
      this.counts.objects++;
      this.counts.bytes += size;
      const job = /^jobs\/([^/]+)\//.exec(name)?.[1] ?? "";
      const isKnown = name.startsWith("service/") || check.knows(job) || check.isKept(job, name);
      if (!isKnown) {
        this.counts.orphans++;
        this.counts.orphanBytes += size;
        await this.#options.onOrphan?.(name);
        continue;
      }
      try {
        yield* this.#object(index, name);
      } catch (error) {
        if (!isStorageError(error)) throw error;
        if (!this.#isRemovedNow(job)) yield { what: whatIs(name), where: name, job, problem: error.message };
      }
      this.#options.onProgress?.(this.counts);
    }
  }

  async *#object(index: RefIndex, name: string): AsyncGenerator<Damage> {
    const { blobs } = this.#stores;
    if (name.includes("/packs/")) return; // of a join that did not end; what it read is elsewhere
    if (name.endsWith(".warc.gz")) yield* checkCaptures(blobs, index, name);
    else if (name.endsWith(".warc.gz.cdxj")) {
      if (!(await ifFound(blobs.get(name.slice(0, -".cdxj".length)))))
        yield { what: "index", where: name, problem: "its segment is missing", code: "missing" };
    } else if (name.includes("/records/")) this.counts.unverified += yield* checkRecords(blobs, index, name);
    else if (isJournal(name)) yield* checkJournal(blobs, name);
    else if (name.includes("/files/")) yield* checkFile(blobs, index, name);
    else if (name.endsWith("/extraction.json")) yield* checkExtraction(blobs, name);
    else if (name.endsWith(".json")) yield* checkJson(name, await blobs.get(name));
  }

  #isRemovedNow(job: string): boolean {
    using now = this.#stores.look();
    return now.isRemoved(job) || !now.knows(job);
  }

  *#missing(index: RefIndex): Generator<Damage> {
    for (const { blob, job, key, count } of index.missing()) {
      const owner = /^jobs\/([^/]+)\//.exec(blob)?.[1] ?? "";
      if (this.#isRemovedNow(job) || this.#isRemovedNow(owner)) continue;
      yield {
        what: whatIs(blob),
        where: blob,
        job,
        problem: `the object is missing; ${count === 1 ? `item ${key}` : `${count} items, the first of them ${key},`} of job ${job} needs it`,
        code: "missing",
        advice: "restore it from a backup",
      };
    }
  }

  async *#manifests(jobs: readonly string[]): AsyncGenerator<Damage> {
    if (jobs.length === 0) return;
    const { blobs } = this.#stores;
    const ledger = await this.#stores.openLedger();
    try {
      for (const job of jobs) {
        const stored = await digestOf(blobs.stream(manifestName(job)));
        if (stored === undefined) continue; // not written yet
        let endedAt: number | undefined;
        try {
          endedAt = (await ledger.readJob(job))?.endedAt;
          if (endedAt === undefined || (await digestOf(manifestLines(ledger, job))) === stored) continue;
          if ((await digestOf(manifestLines(ledger, job, true))) === stored) continue;
        } catch (error) {
          if (error instanceof LedgerError) continue; // already reported as damaged
          throw error;
        }
        const mark = await ifFound(blobs.get(`jobs/${job}/manifest-mark.json`));
        const isOfEarlierEnd = mark && !Buffer.from(mark).toString().includes(String(endedAt));
        const line = await firstBadLine(blobs, job);
        if (isOfEarlierEnd && line === undefined) continue; // will be written again
        yield {
          what: "manifest",
          where: manifestName(job),
          job,
          problem: line ?? "it does not match the ledger",
          repair: "manifest",
        };
      }
    } finally {
      await ledger.close();
    }
  }
}

const whatIs = (name: string): Damage["what"] => {
  if (name.endsWith(".warc.gz")) return "segment";
  if (name.endsWith(".cdxj")) return "index";
  if (name.includes("/files/")) return "file";
  if (name.includes("/extractions/")) return "extraction";
  if (isJournal(name)) return "journal";
  return name.includes("/records/") ? "records" : "manifest";
};

/** `isOlder`: as written by versions without `skipped` and `change`. */
async function* manifestLines(ledger: JobLedger, job: string, isOlder = false): AsyncGenerator<Uint8Array> {
  for await (const page of itemPages(ledger, job))
    yield Buffer.from(
      page
        .map(({ skipped, change, ...item }) =>
          manifestLine(isOlder ? item : { ...item, ...(skipped && { skipped }), ...(change && { change }) }),
        )
        .map((line) => `${line}\n`)
        .join(""),
    );
}

/** Undefined if the object does not exist. */
const digestOf = async (chunks: AsyncIterable<Uint8Array>): Promise<string | undefined> => {
  const hash = createHash("sha256");
  try {
    for await (const chunk of chunks) hash.update(chunk);
  } catch (error) {
    if (isStorageError(error) && error.code === "not-found") return undefined;
    throw error;
  }
  return hash.digest("hex");
};

const firstBadLine = async (blobs: Blobs, job: string): Promise<string | undefined> => {
  try {
    for await (const _ of readManifest(blobs, job));
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveError) return error.message;
    throw error;
  }
};

async function* checkExtraction(blobs: Blobs, name: string): AsyncGenerator<Damage> {
  const advice = "restore it from a backup, or extract again with `sluice extract`";
  let extraction: StoredExtraction;
  try {
    extraction = openSealedJson<StoredExtraction>(await blobs.get(name));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    yield { what: "extraction", where: name, problem: `it cannot be read: ${error.message}`, advice };
    return;
  }
  for (const segment of [...extraction.segments, ...extraction.failures]) {
    const bytes = await ifFound(blobs.get(segment));
    const digest = extraction.digests?.[segment];
    const isWrong = !bytes || (digest !== undefined && sha256(bytes) !== digest);
    if (isWrong)
      yield {
        what: "extraction",
        where: segment,
        problem: bytes ? "digest mismatch" : "it is missing",
        ...(!bytes && { code: "missing" }),
        advice,
      };
  }
}

/** A lost ledger would be rebuilt from these. Damage here does not affect the present ledger. */
async function* checkJournal(blobs: Blobs, name: string): AsyncGenerator<Damage> {
  try {
    await readLines(blobs, name);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    yield { what: "journal", where: name, problem: "digest mismatch", advice: JOURNAL_ADVICE };
  }
}

const JOURNAL_ADVICE =
  "restore it from a backup. Until then, `sluice rebuild` could not recover its contents; the job itself is not affected";

/** Progress files. Those with a digest must match it. */
function* checkJson(name: string, bytes: Uint8Array): Generator<Damage> {
  try {
    openSealedJson(bytes);
  } catch (error) {
    yield {
      what: whatIs(name),
      where: name,
      problem: `it cannot be read: ${String(error)}`,
      advice: "restore it from a backup",
    };
  }
}
