import { createHash, randomUUID } from "node:crypto";
import type { Exchange } from "../model/capture.ts";
import type { Blobs } from "../ports/blobs.ts";
import { mediaTypeOf } from "./media-type.ts";
import type { StoredFile } from "./warc-record.ts";

/** Streams a file to an object of its own; durable when it returns, nothing of it visible when the stream breaks. */
export const storeFile = async (
  blobs: Blobs,
  job: string,
  head: Omit<Exchange, "body">,
  body: AsyncIterable<Uint8Array>,
): Promise<StoredFile> => {
  const blob = `jobs/${job}/files/${randomUUID()}.${fileExtension(head)}`;
  const hash = createHash("sha256");
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const { size } = await blobs.put(blob, hashed());
  return { blob, size, digest: `sha256:${hash.digest("hex")}` };
};

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "pdf"],
  ["application/zip", "zip"],
  ["application/json", "json"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["text/csv", "csv"],
  ["text/html", "html"],
  ["text/plain", "txt"],
  ["image/jpeg", "jpg"],
  ["image/png", "png"],
  ["image/tiff", "tif"],
]);

/** The media type decides, since `bill.aspx` may well be a PDF; then the URL; so that a person can open the file. */
const fileExtension = (head: Omit<Exchange, "body">): string =>
  EXTENSIONS.get(mediaTypeOf(head.responseHeaders)) ??
  /\.([a-z0-9]{1,8})$/.exec(URL.parse(head.url)?.pathname.toLowerCase() ?? "")?.[1] ??
  "bin";
