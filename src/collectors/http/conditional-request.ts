import type { SessionOptions } from "../../ports/collector.ts";
import type { ItemRequest } from "./redirect.ts";

type Validators = NonNullable<SessionOptions["validators"]>;

/** Asks only for what has changed since. The caller's own conditions go before: then the answer is theirs. */
export const conditionalRequest = (request: ItemRequest, known: Validators): ItemRequest | undefined => {
  const isTheirs = "if-none-match" in request.headers || "if-modified-since" in request.headers;
  if (isTheirs || request.method !== "GET" || request.url.href !== known.url) return undefined;
  const headers = {
    ...request.headers,
    ...(known.etag && { "if-none-match": known.etag }),
    ...(known.lastModified && { "if-modified-since": known.lastModified }),
  };
  return { ...request, headers };
};

/** For where a redirect leads: what is known of one page says nothing of another. */
export const withoutConditions = (request: ItemRequest): ItemRequest => {
  const { "if-none-match": _etag, "if-modified-since": _since, ...headers } = request.headers;
  return { ...request, headers };
};
