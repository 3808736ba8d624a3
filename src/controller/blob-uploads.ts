import { BlobError, type Blobs } from "../ports/blobs.ts";
import { Problem } from "./problem.ts";

export interface Piece {
  readonly name: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** At a time. Each has one piece in memory. */
const MOST = 256;
/** One of which nothing more is heard is given up. Ended ones are remembered for as long, for a last piece that is sent again. */
const SILENT_MS = 120_000;

/** Objects that arrive piece by piece. One that fits into a single piece needs no memory of what came before. */
export class BlobUploads {
  readonly #blobs: Blobs;
  readonly #open = new Map<string, Upload>();

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  /** Answers how many bytes have arrived; after the last piece the object is durable. Pieces that arrived before are passed over. */
  async add(id: string, { name, offset, bytes, isLast }: Piece): Promise<number> {
    const known = this.#open.get(id);
    if (offset === 0 && isLast && !known) return (await this.#blobs.put(name, bytes)).size;
    if (!known && offset > 0)
      throw new BlobError("unavailable", name, `${name}: the controller knows nothing of the pieces before`);
    const upload = known ?? this.#begin(id, name);
    if (upload.name !== name) throw new Problem("invalid-request", "The upload is of another object.");
    return await upload.add(offset, bytes, isLast);
  }

  close(): void {
    for (const upload of this.#open.values()) upload.giveUp("the controller is stopping");
  }

  #begin(id: string, name: string): Upload {
    if (this.#open.size >= MOST)
      throw new Problem("unavailable", `${MOST} objects are being sent. Send this one later.`, {
        retryAfterSeconds: 1,
      });
    const upload = new Upload(this.#blobs, name, SILENT_MS, () => this.#open.delete(id));
    this.#open.set(id, upload);
    return upload;
  }
}

class Upload {
  readonly name: string;
  readonly #timer: NodeJS.Timeout;
  readonly #done: Promise<{ readonly size: number }>;
  /** One piece at a time; a piece that is sent again waits for its first. */
  #turn: Promise<unknown> = Promise.resolve();
  #arrived = 0;
  #isEnded = false;
  #next = Promise.withResolvers<Uint8Array | undefined>();
  #taken = Promise.withResolvers<void>();

  constructor(blobs: Blobs, name: string, silentMs: number, onEnd: () => void) {
    this.name = name;
    this.#done = blobs.put(name, this.#pieces());
    this.#done.catch(() => onEnd()); // whoever sends the next piece hears of it
    this.#timer = setTimeout(() => {
      this.giveUp("nothing more has arrived");
      onEnd();
    }, silentMs).unref();
  }

  add(offset: number, bytes: Uint8Array, isLast: boolean): Promise<number> {
    const turn = this.#turn.then(() => this.#add(offset, bytes, isLast));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  giveUp(reason: string): void {
    this.#next.reject(new BlobError("unavailable", this.name, `${this.name}: ${reason}`));
    this.#next.promise.catch(() => undefined);
  }

  async #add(offset: number, bytes: Uint8Array, isLast: boolean): Promise<number> {
    this.#timer.refresh();
    if (offset > this.#arrived)
      throw new BlobError("unavailable", this.name, `${this.name}: pieces before this one are missing`);
    if (offset === this.#arrived && !this.#isEnded) {
      if (bytes.length > 0) {
        this.#taken = Promise.withResolvers();
        this.#next.resolve(bytes);
        await Promise.race([this.#taken.promise, this.#done]);
      }
      this.#arrived += bytes.length;
      if (isLast) {
        this.#isEnded = true;
        this.#next.resolve(undefined);
      }
    }
    return isLast ? (await this.#done).size : this.#arrived;
  }

  async *#pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const bytes = await this.#next.promise;
      if (!bytes) return;
      this.#next = Promise.withResolvers();
      yield bytes;
      this.#taken.resolve();
    }
  }
}
