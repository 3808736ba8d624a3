import { FailureError } from "../../domain/failure.ts";
import { dropCredentials, isSecretName } from "./secrets.ts";
import type { ResponseHead } from "./wire.ts";

interface Hop {
  readonly head: ResponseHead;
  /** The `Cookie` header that went out, or "". */
  readonly cookie: string;
}

/** Sends requests until one is not redirected; returns that request and its response. */
export const followRedirects = async <Made extends Hop>(
  first: ItemRequest,
  mostRedirects: number,
  makeHop: (request: ItemRequest) => Promise<Made>,
): Promise<{ readonly request: ItemRequest; readonly hop: Made }> => {
  let request = first;
  let seen: Set<string> | undefined;
  for (;;) {
    const hop = await makeHop(request);
    const { status } = hop.head;
    if (!isRedirect(status) || request.accept.includes(status)) return { request, hop };
    seen ??= new Set();
    // Cookies are part of it: many sites set one and redirect to the same URL.
    const identity = `${request.method} ${request.url.href} ${hop.cookie}`;
    if (seen.has(identity)) throw redirectFailure(request.url, "the redirects form a loop", status);
    seen.add(identity);
    if (seen.size > mostRedirects)
      throw redirectFailure(request.url, `more than ${mostRedirects} redirects`, status);
    request = redirectedRequest(request, status, targetOf(hop.head, request.url));
  }
};

const targetOf = (response: ResponseHead, from: URL): URL => {
  const { status } = response;
  const location = response.header("location");
  if (location === undefined) throw redirectFailure(from, "a redirect without a target", status);
  // Headers arrive as latin1; bytes beyond ASCII are UTF-8, as in browsers.
  const target = URL.parse(Buffer.from(location, "latin1").toString(), from.href);
  if (target === null) throw redirectFailure(from, "a redirect to an invalid URL", status);
  target.hash = "";
  dropCredentials(target);
  return target;
};

const redirectFailure = (url: URL, detail: string, status: number): FailureError =>
  new FailureError({ kind: "navigation", detail, url: url.href, status });

/** A request of an item. Header names are lower case. */
export interface ItemRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Stored in the archive instead of `body` if that holds a secret. */
  readonly archivedBody?: Uint8Array;
  readonly acts: boolean;
  /** Statuses that count as success beside 2xx. */
  readonly accept: readonly number[];
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const BODY_HEADERS = new Set(["content-type", "content-encoding", "content-language", "origin"]);

export const isRedirect = (status: number): boolean => REDIRECTS.has(status);

/**
 * The request that follows a redirect, as in browsers (fetch standard, HTTP-redirect fetch): 301 and 302 turn a
 * POST into a GET, 303 turns every method but HEAD, 307 and 308 change nothing.
 */
export const redirectedRequest = (request: ItemRequest, status: number, url: URL): ItemRequest => {
  const turnsToGet = status === 303 ? request.method !== "HEAD" : status < 303 && request.method === "POST";
  const leavesOrigin = url.origin !== request.url.origin;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    const isDropped = (turnsToGet && BODY_HEADERS.has(name)) || (leavesOrigin && isSecretName(name));
    if (!isDropped) headers[name] = value;
  }
  if (!turnsToGet) return { ...request, url, headers };
  return { method: "GET", url, headers, acts: false, accept: request.accept };
};
