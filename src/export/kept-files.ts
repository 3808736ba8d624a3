import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isPacked } from "../archive/read-capture.ts";
import { ArchiveError } from "../archive/stored-bytes.ts";
import type { CaptureRef } from "../domain/capture.ts";
import type { ItemView } from "../domain/item.ts";
import type { Blobs } from "../ports/blobs.ts";
import { absoluteBlobPath, type StorageLocation } from "../ports/storage.ts";
import { toOutputError } from "./outputs/open-output.ts";

/** A kept file, as exports list it. */
export interface KeptFile {
  /** The name given to `keep.file`. */
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
  readonly url: string;
  readonly path?: string;
}

/** The path of an item's file, if it is exported. `number`: its index among the item's captures. */
export type PathOfFile = (
  item: ItemView,
  ref: CaptureRef,
  number: number,
) => string | undefined | Promise<string>;

/** In the archive. */
export const storedPath =
  (location: StorageLocation): PathOfFile =>
  (_, { blob }) =>
    absoluteBlobPath(location, blob);

export const keptFiles = async (item: ItemView, pathOf: PathOfFile): Promise<readonly KeptFile[]> => {
  const files: KeptFile[] = [];
  for (const [number, ref] of item.captures.entries()) {
    if (isPacked(ref)) continue;
    const { name, mediaType, length: size, digest, url } = ref;
    const path = await pathOf(item, ref, number);
    files.push({ name, mediaType, size, digest, url, ...(path !== undefined && { path }) });
  }
  return files;
};

/** Bytes; longer names are cut. With a number and an extension they stay within the 255 that file systems allow. */
const LONGEST = 200;

/** Kept files under readable names: `<key>-<name>.pdf`. Equal names are numbered. */
export class FileFolder {
  readonly #blobs: Blobs;
  readonly #folder: string;
  /** In lower case: some file systems ignore case. */
  readonly #taken = new Set<string>();
  #bytes = 0;

  constructor(blobs: Blobs, folder: string) {
    this.#blobs = blobs;
    this.#folder = folder;
  }

  get files(): number {
    return this.#taken.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Writes the whole file or nothing, and returns its path. */
  async write({ key }: Pick<ItemView, "key">, ref: CaptureRef): Promise<string> {
    const path = join(this.#folder, this.#nameOf(key, ref));
    const part = `${path}.part`;
    try {
      await mkdir(this.#folder, { recursive: true });
      await pipeline(this.#checked(ref), createWriteStream(part));
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined);
      throw error instanceof Error && "syscall" in error ? toOutputError(error, path) : error;
    }
    this.#bytes += ref.length;
    return path;
  }

  #nameOf(key: string, { name, blob }: CaptureRef): string {
    const extension = extname(blob);
    const stem = safeName(`${key}-${name}`);
    for (let number = 1; ; number++) {
      const full = `${stem}${number === 1 ? "" : `-${number}`}${stem.endsWith(extension) && number === 1 ? "" : extension}`;
      const folded = full.normalize("NFC").toLowerCase();
      if (this.#taken.has(folded)) continue;
      this.#taken.add(folded);
      return full;
    }
  }

  async *#checked({ blob, digest, name }: CaptureRef): AsyncGenerator<Uint8Array> {
    const hash = createHash("sha256");
    for await (const chunk of this.#blobs.stream(blob)) {
      hash.update(chunk);
      yield chunk;
    }
    if (`sha256:${hash.digest("hex")}` !== digest)
      throw new ArchiveError(blob, `${blob}: file ${name} is damaged: digest mismatch.`);
  }
}

/** Letters, digits, dot, dash and underscore; a URL loses its scheme. No name begins with a dot. */
const safeName = (text: string): string => {
  const safe = text
    .replace(/^https?:\/\//, "")
    .replace(/[^\p{Letter}\p{Number}\p{Mark}._-]+/gu, "_")
    .replace(/^[._]+/, "")
    .replace(/\.\.+/g, ".");
  return cut(safe) || "file";
};

const cut = (name: string): string => {
  let bytes = 0;
  let end = 0;
  for (const letter of name) {
    bytes += Buffer.byteLength(letter);
    if (bytes > LONGEST) return name.slice(0, end);
    end += letter.length;
  }
  return name;
};
