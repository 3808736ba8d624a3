/** Name and value pairs, in order. */
export type Headers = readonly (readonly [string, string])[];

export interface WireRequest {
  readonly method: string;
  /** http or https, without userinfo. */
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: Uint8Array;
  /** What the archive keeps instead of `body`, where that holds a secret. */
  readonly archivedBody?: Uint8Array;
  /** It may only go to public addresses, and those that the operator allows. */
  readonly isGuarded?: boolean;
}

/** Head of a response as it came. Header names keep the spelling of the site; `header` ignores case. */
export interface WireHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** First value, or undefined. Takes a lower-case name. */
  header(name: string): string | undefined;
}

export interface WireResponse {
  readonly head: WireHead;
  /** Still content-encoded, transfer coding removed. */
  readonly body: Buffer;
}

export interface WireStream {
  readonly head: WireHead;
  /** Read once. Throws a `FailureError` when the response breaks off or a cap is hit. */
  readonly body: AsyncIterable<Buffer>;
  /** Ends the request where the body is not wanted. */
  cancel(): void;
}

/** The request was not sent, for what allowed it is over. */
export class TooLateError extends Error {}

export interface WireCaps {
  /** From here to the last byte: queueing for a socket, connecting, headers, body. */
  readonly timeoutMs: number;
  readonly bodyBytes: number;
  readonly signal: AbortSignal;
  /** Called when the first byte is about to leave, with the address that it goes to. What it throws ends the request, and false with a `TooLateError`; the socket stays open. */
  readonly leave?: ((address: string | undefined) => boolean) | undefined;
  /** Body bytes are added as they arrive, those of failed responses included. */
  readonly meter: { bytes: number };
}
