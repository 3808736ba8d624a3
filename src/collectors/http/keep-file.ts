import { FailureError } from "../../domain/failure.ts";
import type { CollectorTools, KeptFile, Limits } from "../../ports/collector.ts";
import { readContentType } from "./decode-text.ts";
import { followRedirects, type ItemRequest } from "./follow-redirects.ts";
import type { ExchangeHead, ItemRequests, Opened, Received } from "./item-requests.ts";
import { isUnaskedPart, receivePage } from "./page.ts";
import type { ResponseHead, WireStream } from "./wire.ts";

/**
 * Fetches a file and streams it to the archive. Any other response (a redirect, an error, an HTML page) is read
 * whole and archived like a page, so that a block page in place of a file is recognized. Because downloading and
 * archiving run together, a download is limited by the request's time and does not count against the item's.
 */
export const keepFile = async (
  first: ItemRequest,
  requests: ItemRequests,
  tools: CollectorTools,
  limits: Limits,
): Promise<KeptFile> => {
  const { request, hop } = await followRedirects(first, limits.redirects, (one) =>
    openFile(one, requests, limits),
  );
  const url = request.url.href;
  const { mediaType } = readContentType(hop.head.header("content-type"));
  if ("stream" in hop) {
    const kept = await requests.untimed(archiveStream(hop.exchangeHead, hop.stream, tools));
    return { url, mediaType, size: kept.size, digest: kept.digest };
  }
  await receivePage(request, hop, limits.decodedBytes);
  // HTML is a file only if the caller accepts HTML. It is then archived twice: as the response, and as the file.
  if (!/\bhtml\b/.test(first.headers["accept"] ?? "")) {
    const detail = `the site sent ${mediaType || "a response without a media type"} instead of a file`;
    throw new FailureError({ kind: "bad-content", detail, url, status: hop.head.status });
  }
  const { body, ...exchangeHead } = hop.exchange;
  const kept = await requests.untimed(tools.archiveFile(exchangeHead, once(body)));
  return { url, mediaType, size: kept.size, digest: kept.digest };
};

const isFile = (head: ResponseHead, request: ItemRequest): boolean =>
  (head.status < 300 || request.accept.includes(head.status)) &&
  !isUnaskedPart(request, head) &&
  !/\bhtml\b/.test(readContentType(head.header("content-type")).mediaType);

const openFile = async (
  request: ItemRequest,
  requests: ItemRequests,
  limits: Limits,
): Promise<Opened | Received> => {
  const opened = await requests.open(request, limits.fileBytes);
  const { cookie, head, stream, exchangeHead } = opened;
  if (isFile(head, request)) return opened;
  const body = await readWhole(stream, limits.bodyBytes, request.url.href);
  return { cookie, head, body, exchange: await requests.archive(exchangeHead, body) };
};

const readWhole = async (stream: WireStream, bodyBytes: number, url: string): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream.body) {
    size += chunk.length;
    if (size > bodyBytes) {
      const detail = `the response has at least ${size} bytes, the limit is ${bodyBytes}`;
      throw new FailureError({ kind: "too-large", detail, url, status: stream.head.status });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** If the stream breaks, its error is the failure, not the archive's. */
const archiveStream = async (
  head: ExchangeHead,
  stream: WireStream,
  tools: CollectorTools,
): Promise<{ size: number; digest: string }> => {
  let broken: unknown;
  const body = async function* (): AsyncGenerator<Buffer, void, void> {
    try {
      yield* stream.body;
    } catch (error) {
      broken = error;
      throw error;
    }
  };
  try {
    return await tools.archiveFile(head, body());
  } catch (error) {
    throw broken ?? error;
  } finally {
    stream.cancel();
  }
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}
