import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { ArchiveError } from "../archive/stored-bytes.ts";
import type { ReleaseFile } from "../domain/release.ts";
import type { Blobs } from "../ports/blobs.ts";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  parquet: "application/vnd.apache.parquet",
  csv: "text/csv; charset=utf-8",
  jsonl: "application/x-ndjson",
  json: "application/json",
};

/** Stores a file of a release, durably, and says what was stored. */
export const putFile = async (
  blobs: Blobs,
  folder: string,
  name: string,
  body: string | { readonly path: string },
): Promise<ReleaseFile> => {
  const hash = createHash("sha256");
  async function* bytes(): AsyncGenerator<Uint8Array> {
    const chunks =
      typeof body === "string" ? [Buffer.from(body)] : (createReadStream(body.path) as AsyncIterable<Buffer>);
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const blob = `${folder}/${name}`;
  const { size } = await blobs.put(blob, bytes());
  const mediaType = MEDIA_TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  return { name, blob, bytes: size, digest: `sha256:${hash.digest("hex")}`, mediaType };
};

/** Throws at the end if the bytes are not those of the file. */
export async function* sha256Stream(
  bytes: AsyncIterable<Uint8Array>,
  { blob, digest }: Pick<ReleaseFile, "blob" | "digest">,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  if (`sha256:${hash.digest("hex")}` !== digest)
    throw new ArchiveError(
      blob,
      `${blob}: the object is damaged: digest mismatch. Restore it from a backup.`,
    );
}
