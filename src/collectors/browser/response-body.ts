import type { Limits } from "../../ports/collector.ts";
import type { ResponseHead } from "../http/wire.ts";
import type { Paused, TrafficGate } from "./traffic-gate.ts";

export interface TooLarge {
  /** Why it is refused. */
  readonly tooLarge: string;
}

interface Whole {
  /** Without content coding. */
  readonly body: Buffer;
  /** Gives the response to the page. */
  readonly pass: () => Promise<unknown>;
}

interface Streamed {
  readonly stream: AsyncIterable<Buffer>;
  readonly cancel: () => void;
}

/** At most this many bytes come from one byte of gzip or deflate. Other codings have no such limit. */
const MOST_INFLATION = 1032;
const PIECE = 1024 * 1024;

/**
 * The body of a paused response. One that is known to be small is copied on its way to the page. Any other is taken piece by piece, so that
 * neither the browser nor this process holds more than the limit, and then given to the page.
 */
export function readResponse(
  gate: TrafficGate,
  paused: Paused,
  head: ResponseHead,
  limits: Limits,
): Promise<Whole | TooLarge>;
export function readResponse(
  gate: TrafficGate,
  paused: Paused,
  head: ResponseHead,
  limits: Limits,
  isFile: true,
): Promise<Streamed | TooLarge>;
export async function readResponse(
  gate: TrafficGate,
  paused: Paused,
  head: ResponseHead,
  limits: Limits,
  isFile = false,
): Promise<Whole | Streamed | TooLarge> {
  const { requestId } = paused;
  const pass = () => gate.send("Fetch.continueRequest", { requestId });
  const declared = Number(head.header("content-length") ?? NaN);
  const coding = head.header("content-encoding")?.trim().toLowerCase() ?? "";
  const most = isFile ? limits.fileBytes : limits.bodyBytes;
  if (declared > most) return { tooLarge: `the response declares ${declared} bytes, the limit is ${most}` };
  if (!isFile && isBodiless(paused, head)) return { body: Buffer.alloc(0), pass };
  if (!isFile && isSmall(declared, coding, limits)) {
    const answer = (await gate.send("Fetch.getResponseBody", { requestId })) as
      | { readonly body: string; readonly base64Encoded: boolean }
      | undefined;
    const body = Buffer.from(answer?.body ?? "", answer?.base64Encoded ? "base64" : "utf8");
    return { body, pass };
  }
  const taken = (await gate.send("Fetch.takeResponseBodyAsStream", { requestId })) as
    | { readonly stream: string }
    | undefined;
  if (!taken) return { body: Buffer.alloc(0), pass };
  const { stream: handle } = taken;
  const cancel = (): void => void gate.send("IO.close", { handle });
  if (isFile) return { stream: pieces(gate, handle), cancel };
  const limit = coding === "" ? limits.bodyBytes : limits.decodedBytes;
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of pieces(gate, handle)) {
      size += part.length;
      if (size > limit) return { tooLarge: `the response has at least ${size} bytes, the limit is ${limit}` };
      parts.push(part);
    }
  } finally {
    cancel();
  }
  const body = Buffer.concat(parts, size);
  return { body, pass: () => gate.send("Fetch.fulfillRequest", fulfilled(paused, head, body)) };
}

/** The connection, the page or the browser has ended before the response was complete. */
export class EndedEarlyError extends Error {}

async function* pieces(gate: TrafficGate, handle: string): AsyncGenerator<Buffer, void, void> {
  for (;;) {
    const read = (await gate.send("IO.read", { handle, size: PIECE })) as
      | { readonly data: string; readonly base64Encoded?: boolean; readonly eof: boolean }
      | undefined;
    if (!read) throw new EndedEarlyError("the response ended early");
    if (read.data !== "") yield Buffer.from(read.data, read.base64Encoded ? "base64" : "utf8");
    if (read.eof) return;
  }
}

const isBodiless = ({ request }: Paused, { status }: ResponseHead): boolean =>
  request.method === "HEAD" || status === 204 || status === 304 || (status >= 300 && status < 400);

const isSmall = (declared: number, coding: string, limits: Limits): boolean => {
  if (coding === "" || coding === "identity") return declared <= limits.bodyBytes;
  return /^(?:x-)?(?:gzip|deflate)$/.test(coding) && declared * MOST_INFLATION <= limits.decodedBytes;
};

const fulfilled = ({ requestId }: Paused, head: ResponseHead, body: Buffer): object => ({
  requestId,
  responseCode: head.status,
  ...(head.statusText !== "" && { responsePhrase: head.statusText }),
  responseHeaders: head.headers
    .filter(([name]) => !/^(?:content-encoding|content-length|transfer-encoding)$/i.test(name))
    .map(([name, value]) => ({ name, value })),
  body: body.toString("base64"),
});
