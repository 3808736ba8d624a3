import { createHash } from "node:crypto";
import type { Blobs } from "../ports/blobs.ts";
import type { FailedItem } from "./extracted-records.ts";
import { sealJson } from "../archive/manifest.ts";
import { extractionBlob, type StoredExtraction } from "./stored-extraction.ts";

/** As the segments of the archive: large enough to be few, small enough to be held. */
const SEGMENT_BYTES = 8 * 1024 * 1024;

/** Writes an extraction beside the others. It does not exist for anybody before `finish`. */
export class ExtractionWriter {
  readonly #records: Segments;
  readonly #failures: Segments;
  readonly #blobs: Blobs;
  readonly #job: string;
  readonly #id: string;

  constructor(blobs: Blobs, job: string, id: string) {
    const name = (of: string) => (number: number) =>
      extractionBlob(job, id, `${of}-${String(number).padStart(5, "0")}.jsonl`);
    this.#records = new Segments(blobs, name("records"));
    this.#failures = new Segments(blobs, name("failures"));
    this.#blobs = blobs;
    this.#job = job;
    this.#id = id;
  }

  /** Lines of records, in the order of their items. Waits while a full segment is being stored. */
  async records(lines: Uint8Array): Promise<void> {
    await this.#records.add(lines);
  }

  async failures(items: readonly FailedItem[]): Promise<void> {
    if (items.length === 0) return;
    await this.#failures.add(Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join("")));
  }

  async finish(
    made: Omit<StoredExtraction, "id" | "job" | "segments" | "failures" | "digests">,
  ): Promise<StoredExtraction> {
    const extraction: StoredExtraction = {
      id: this.#id,
      job: this.#job,
      ...made,
      segments: await this.#records.end(),
      failures: await this.#failures.end(),
      digests: { ...this.#records.digests, ...this.#failures.digests },
    };
    await this.#blobs.put(extractionBlob(this.#job, this.#id), sealJson(extraction));
    return extraction;
  }

  /** Takes back what was written. */
  async abandon(): Promise<void> {
    for (const name of [...this.#records.names, ...this.#failures.names]) await this.#blobs.remove(name);
  }
}

class Segments {
  readonly names: string[] = [];
  readonly digests: Record<string, string> = {};
  readonly #blobs: Blobs;
  readonly #nameOf: (number: number) => string;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(blobs: Blobs, nameOf: (number: number) => string) {
    this.#blobs = blobs;
    this.#nameOf = nameOf;
  }

  async add(lines: Uint8Array): Promise<void> {
    if (lines.length === 0) return;
    this.#parts.push(lines);
    this.#bytes += lines.length;
    if (this.#bytes >= SEGMENT_BYTES) await this.#store();
  }

  async end(): Promise<readonly string[]> {
    if (this.#parts.length > 0) await this.#store();
    return this.names;
  }

  async #store(): Promise<void> {
    const parts = this.#parts;
    const name = this.#nameOf(this.names.length);
    this.#parts = [];
    this.#bytes = 0;
    this.names.push(name);
    const hash = createHash("sha256");
    for (const part of parts) hash.update(part);
    this.digests[name] = `sha256:${hash.digest("hex")}`;
    await this.#blobs.put(
      name,
      (async function* () {
        yield* parts;
      })(),
    );
  }
}
