import { FailureError } from "../../domain/failure.ts";
import { dropCredentials } from "./request-url.ts";
import { isRedirect, redirectedRequest } from "./redirect.ts";
import type { ItemRequest } from "./redirect.ts";
import type { WireHead } from "./wire.ts";

interface Hop {
  readonly head: WireHead;
  /** The `Cookie` header that went out, or "". */
  readonly cookie: string;
}

/** Makes requests until one is not redirected; gives back that request and what came of it. */
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
    // Cookies belong to it: many sites set one and send the visitor back to the very same URL.
    const identity = `${request.method} ${request.url.href} ${hop.cookie}`;
    if (seen.has(identity)) throw redirectFailure(request.url, "the redirects go round in a circle", status);
    seen.add(identity);
    if (seen.size > mostRedirects)
      throw redirectFailure(request.url, `more than ${mostRedirects} redirects`, status);
    request = redirectedRequest(request, status, targetOf(hop.head, request.url));
  }
};

const targetOf = (response: WireHead, from: URL): URL => {
  const { status } = response;
  const location = response.header("location");
  if (location === undefined) throw redirectFailure(from, "a redirect without a target", status);
  // Headers come as latin1; what is not ASCII in them is UTF-8, as browsers read it.
  const target = URL.parse(Buffer.from(location, "latin1").toString(), from.href);
  if (target === null) throw redirectFailure(from, "a redirect to something that is not a URL", status);
  target.hash = "";
  dropCredentials(target);
  return target;
};

const redirectFailure = (url: URL, detail: string, status: number): FailureError =>
  new FailureError({ kind: "navigation", detail, url: url.href, status });
