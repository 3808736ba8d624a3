import { isSecretName } from "./secret-name.ts";

/** A request as the collector makes it; header names are lower case. */
export interface ItemRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** What the archive keeps instead of `body`, where that holds a secret. */
  readonly archivedBody?: Uint8Array;
  readonly acts: boolean;
  /** Statuses that count as an answer beside 2xx. */
  readonly accept: readonly number[];
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const BODY_HEADERS = new Set(["content-type", "content-encoding", "content-language", "origin"]);

export const isRedirect = (status: number): boolean => REDIRECTS.has(status);

/**
 * The request that follows a redirect, as browsers send it (fetch standard, HTTP-redirect fetch): 301 and 302 turn a
 * POST into a GET, 303 turns everything but HEAD, 307 and 308 change nothing.
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
