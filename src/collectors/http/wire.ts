import type { Dispatcher } from "undici";
import type { Identity, ProxyRoute } from "../../ports/collector.ts";

/** Name and value pairs, in order. */
export type Headers = readonly (readonly [string, string])[];

export interface WireRequest {
  readonly method: string;
  /** http or https, without userinfo. */
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: Uint8Array;
  /** Stored in the archive instead of `body` if that holds a secret. */
  readonly archivedBody?: Uint8Array;
  /** Restricted to public addresses, and those that the operator allows. */
  readonly isGuarded?: boolean;
  /** Through a proxy; directly without it. */
  readonly route?: ProxyRoute | undefined;
  readonly identity?: Identity | undefined;
}

export interface WireResponse {
  readonly head: ResponseHead;
  /** Still content-encoded, transfer coding removed. */
  readonly body: Buffer;
}

export interface WireStream {
  readonly head: ResponseHead;
  /** Readable once. Throws a `FailureError` if the response ends early or hits a cap. */
  readonly body: AsyncIterable<Buffer>;
  /** Ends the request without reading the rest of the body. */
  cancel(): void;
}

/** The request was not sent because its slot has passed. */
export class TooLateError extends Error {}

export interface WireCaps {
  /** Up to the last byte: waiting for a socket, connecting, headers, body. */
  readonly timeoutMs: number;
  readonly bodyBytes: number;
  readonly signal: AbortSignal;
  /** Called just before the first byte is sent, with the target address. False ends the request with a `TooLateError`, an exception with itself; the socket stays open. */
  readonly leave?: ((address: string | undefined) => boolean) | undefined;
  /** Body bytes are added as they arrive, those of failed responses included. */
  readonly meter: WireMeter;
}

export interface WireMeter {
  bytes: number;
  /** Bytes of the socket to the proxy in both directions, added when a request ends: those that opened the connection belong to its first request. */
  proxyBytes?: number;
}

type RawHeaders = Dispatcher.DispatchController["rawHeaders"];

/** The head of a response, from undici's raw form: a flat list for HTTP/1.1, an object for HTTP/2. Header names keep the site's spelling. */
export class ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;

  constructor(status: number, statusText: string | undefined, raw: RawHeaders) {
    this.status = status;
    this.statusText = statusText ?? "";
    this.headers = Array.isArray(raw) ? pairsOfList(raw) : pairsOfObject(raw ?? {});
  }

  /** The first value, or undefined. Takes a lower-case name. */
  header(name: string): string | undefined {
    for (const [key, value] of this.headers) {
      if (key.length === name.length && key.toLowerCase() === name) return value;
    }
    return undefined;
  }
}

const latin1 = (part: Buffer | string): string => (typeof part === "string" ? part : part.toString("latin1"));

const pairsOfList = (raw: readonly (Buffer | string)[]): Headers => {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    pairs.push([latin1(raw[index]!), latin1(raw[index + 1]!)]);
  }
  return pairs;
};

const pairsOfObject = (raw: Readonly<Record<string, string | string[] | undefined>>): Headers =>
  Object.entries(raw).flatMap(([name, value]) =>
    // HTTP/2 pseudo headers such as `:status` are not headers.
    name.startsWith(":") || value === undefined
      ? []
      : [value].flat().map((one): [string, string] => [name, one]),
  );
