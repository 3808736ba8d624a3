import type { BlobRange, RecordRange } from "../domain/capture.ts";
import type { BlobPart, Blobs } from "../ports/blobs.ts";
import type { IndexedPlace } from "./cdxj.ts";
import { packLines, settledPrefix } from "./journal.ts";
import type { Entry } from "./pack-segment.ts";
import type { Packer } from "./packer.ts";
import { chunksOf, sha256 } from "./stored-bytes.ts";
import type { SegmentInfo } from "./warc-record.ts";

/** Enough to make a transfer cheap, small enough to keep the packer busy from early on. */
const BATCH_BYTES = 256 * 1024;

interface GroupTools {
  readonly blobs: Blobs;
  readonly packer: Packer;
  /** Receives changes of the bytes held in memory. */
  readonly onBytes: (change: number) => void;
}

/** Captures, records and outcomes that become durable together: one WARC segment with its index, two segments of JSON lines. */
export class SegmentGroup {
  readonly #tools: GroupTools;
  readonly #captures: SegmentInfo;
  readonly #name: string;
  readonly #durable = Promise.withResolvers<void>();
  #isSealed = false;
  #batch: Entry[] = [];
  #batchBytes = 0;
  #count = 0;
  #places: IndexedPlace[] = [];
  #packing: Promise<void> = Promise.resolve();
  #packed: Uint8Array[] = [];
  #records: Uint8Array[] = [];
  #recordBytes = 0;
  #ends: (() => Promise<string>)[] = [];
  #size = 0;
  #held = 0;

  constructor(tools: GroupTools, captures: SegmentInfo, name: string) {
    this.#tools = tools;
    this.#captures = captures;
    this.#name = name;
    this.durable.catch(() => undefined); // waiting items get the error; there may be none
  }

  /** Bytes that stay in memory until `seal`: packed ones, and the current batch. */
  get size(): number {
    return this.#size + this.#batchBytes;
  }

  /** Resolves when everything in the group would survive a crash; rejects if it could not be stored. */
  get durable(): Promise<void> {
    return this.#durable.promise;
  }

  /** Returns the number for `place`. The caller has already counted its `bytes`. */
  capture(entry: Entry, bytes: number): number {
    this.#batch.push(entry);
    this.#batchBytes += bytes;
    this.#held += bytes;
    if (this.#batchBytes >= BATCH_BYTES) this.#pack();
    return this.#count++;
  }

  /** Lines are JSON texts without line ends. */
  records(lines: readonly string[]): RecordRange {
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    const { length } = bytes;
    const offset = this.#recordBytes;
    this.#records.push(bytes);
    this.#recordBytes += length;
    this.#size += length;
    this.#hold(length);
    return { blob: this.#recordsName, offset, length, digest: sha256(bytes) };
  }

  /** Adds an item's outcome as a JSON text. Called when the places of this group's captures are known. */
  end(line: () => Promise<string>): void {
    this.#ends.push(line);
  }

  /** Known once the group is durable. */
  place(number: number): BlobRange & { readonly digest: string } {
    const place = this.#places[number];
    if (place === undefined) throw new Error(`no capture ${number} in ${this.#captures.name}`);
    return { blob: this.#captures.name, ...place };
  }

  /** Nothing may be added from now on. */
  seal(): void {
    if (this.#isSealed) return;
    this.#isSealed = true;
    this.#store()
      .finally(() => this.#release())
      .then(this.#durable.resolve, this.#durable.reject);
  }

  get #recordsName(): string {
    return `jobs/${this.#captures.job}/records/${this.#name}.jsonl`;
  }

  #pack(): void {
    if (this.#batch.length === 0) return;
    const [entries, bytes] = [this.#batch, this.#batchBytes];
    this.#batch = [];
    this.#batchBytes = 0;
    this.#packing = this.#packBatch(entries, bytes, this.#packing);
    this.#packing.catch(() => undefined); // `seal` reports it
  }

  async #packBatch(entries: readonly Entry[], bytes: number, before: Promise<void>): Promise<void> {
    const [packed] = await Promise.all([this.#tools.packer.add(this.#captures, entries), before]);
    for (const place of packed.places) this.#places.push(place);
    this.#packed.push(packed.bytes);
    this.#size += packed.bytes.length;
    this.#hold(packed.bytes.length - bytes);
  }

  async #store(): Promise<void> {
    this.#pack();
    const hasCaptures = this.#count > 0;
    const finishing = hasCaptures ? this.#tools.packer.finish(this.#captures) : undefined;
    const [index] = await Promise.all([finishing, this.#packing]);
    const { blobs } = this.#tools;
    const parts: BlobPart[] = [];
    if (index !== undefined) {
      parts.push({ name: this.#captures.name, chunks: this.#packed });
      parts.push({ name: `${this.#captures.name}.cdxj`, chunks: [index] });
    }
    if (this.#records.length > 0) parts.push({ name: this.#recordsName, chunks: this.#records });
    if (blobs.putTogether) return await blobs.putTogether([...parts, ...(await this.#endLines())]);
    const puts: Promise<unknown>[] = parts.map(({ name, chunks }) => blobs.put(name, chunksOf(chunks)));
    if (this.#ends.length > 0) puts.push(this.#storeEnds());
    const failed = (await Promise.allSettled(puts)).find((put) => put.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #storeEnds(): Promise<void> {
    for (const { name, chunks } of await this.#endLines())
      await this.#tools.blobs.put(name, chunksOf(chunks));
  }

  /** An item whose earlier group could not be stored is not settled, and has no line. */
  async #endLines(): Promise<BlobPart[]> {
    const ends = await Promise.allSettled(this.#ends.map((line) => line()));
    const lines = ends.flatMap((line) => (line.status === "fulfilled" ? line.value : []));
    if (lines.length === 0) return [];
    const { name, bytes } = await packLines(`${settledPrefix(this.#captures.job)}${this.#name}`, lines);
    return [{ name, chunks: [bytes] }];
  }

  #hold(bytes: number): void {
    this.#held += bytes;
    this.#tools.onBytes(bytes);
  }

  #release(): void {
    this.#packed = [];
    this.#records = [];
    this.#ends = [];
    this.#hold(-this.#held);
  }
}
