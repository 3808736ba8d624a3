import { sha256Stream } from "./release-files.ts";
import type { LastRow, Release } from "../domain/release.ts";
import type { Blobs } from "../ports/blobs.ts";

export interface ReleaseRow {
  readonly key: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly gaps: Readonly<Record<string, string>>;
}

/** The name of the file that every release has. */
export const ROWS_FILE = "data.jsonl";

/** The rows of a release, in byte order of keys. Throws if the bytes are not those that were written. */
export async function* releaseRows(blobs: Blobs, release: Release): AsyncGenerator<ReleaseRow> {
  const file = release.files.find(({ name }) => name === ROWS_FILE);
  if (!file) throw new Error(`release ${release.number} of ${release.dataset} has no ${ROWS_FILE}`);
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of sha256Stream(blobs.stream(file.blob), file)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { key, _gaps, ...values } = JSON.parse(line) as { key: string; _gaps: Record<string, string> };
      yield { key, values, gaps: _gaps };
    }
  }
}

/** Keys are in the order of their bytes, which is not that of JavaScript's texts. */
export const compareKeys = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Looks rows up while keys ascend, reading each once. */
export class LastRows implements AsyncDisposable {
  readonly #rows: AsyncGenerator<ReleaseRow> | undefined;
  readonly #day: string;
  #next: ReleaseRow | undefined;
  #isDone = false;

  constructor(blobs: Blobs, release: Release | undefined) {
    this.#rows = release && releaseRows(blobs, release);
    this.#day = new Date(release?.writtenAt ?? 0).toISOString().slice(0, "YYYY-MM-DD".length);
  }

  async find(key: string): Promise<LastRow | undefined> {
    if (!this.#rows) return undefined;
    while (!this.#isDone && (this.#next === undefined || compareKeys(this.#next.key, key) < 0)) {
      const { done, value } = await this.#rows.next();
      this.#isDone = done === true;
      this.#next = done === true ? undefined : value;
    }
    return this.#next?.key === key ? { ...this.#next, day: this.#day } : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rows?.return(undefined);
  }
}
