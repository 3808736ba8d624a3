import type { Failure } from "../../domain/failure.ts";
import { PROVIDERS, type ProviderName } from "../../domain/proxy-tier.ts";
import { redactSecrets } from "../../domain/redact-secrets.ts";
import type { Headers } from "../http/wire.ts";

/** Who failed: `proxy` counts against the tier, the others against the site. */
export type Refused = Pick<Failure, "detail"> & { readonly kind: "proxy" | "connection" | "timeout" };

const MOST_REASON = 300;

/** Why a proxy did not open a tunnel. */
export const refusalOfTunnel = (
  status: number,
  headers: Headers,
  provider: ProviderName | undefined,
): Refused => {
  const reason = reasonIn(headers, "any");
  // Without a reason, these speak of the server behind the proxy (RFC 9110, 15.6); 593 to 596 are those of proxy-chain. Providers use them for their own exits.
  const isOfSite = reason
    ? reason.isOfSite
    : provider === undefined && (status === 502 || status === 504 || (status >= 593 && status <= 596));
  return refused(status, reason?.text, isOfSite);
};

/** A provider's error in place of the site's response: also with status 200 and no body. Only a known provider's headers count: any site may send others. */
export const refusalInResponse = (
  status: number,
  headers: Headers,
  provider: ProviderName | undefined,
): Refused | undefined => {
  const reason = provider && reasonIn(headers, provider);
  return reason && refused(status, reason.text, reason.isOfSite);
};

const refused = (status: number, reason: string | undefined, isOfSite: boolean): Refused => {
  const what = isOfSite ? "the proxy could not reach the site" : "the proxy refused the request";
  const why = reason === undefined ? (MEANINGS[status] ?? "") : reason;
  const hint = /policy/i.test(why) && /20130|\bPOST\b/.test(why) ? POST_HINT : "";
  return {
    kind: isOfSite ? (/time[d_ -]?out/i.test(why) || status === 504 ? "timeout" : "connection") : "proxy",
    detail: `${what}: ${status}${why === "" ? "" : ` ${why}`}${hint}`,
  };
};

const POST_HINT =
  ". Unverified zones may not POST: verify the account with the provider, or use another tier";

const MEANINGS: Readonly<Record<number, string>> = {
  402: "payment required",
  403: "forbidden",
  407: "the user name or password is wrong",
  429: "too many requests",
  502: "no exit",
  503: "service unavailable",
  522: "the exit timed out",
  525: "no exit found",
};

interface Reason {
  readonly text: string;
  readonly isOfSite: boolean;
}

/** RFC 9209 errors of what is behind the proxy. */
const OF_SITE =
  /\berror=(?:dns_\w+|destination_(?:not_found|unavailable)|connection_(?:refused|terminated|timeout|read_timeout|write_timeout)|tls_\w+|http_response_\w+)/;

const reasonIn = (headers: Headers, provider: ProviderName | "any"): Reason | undefined => {
  const presets = provider === "any" ? Object.values(PROVIDERS) : [PROVIDERS[provider]];
  const parts = headers
    .filter(([key, value]) => value !== "" && presets.some(({ errorHeaders }) => errorHeaders.test(key)))
    .map(([, value]) => value);
  // In a response, a site's own CDN may have sent it: there it must name the provider.
  const status = headers.find(
    ([key, value]) =>
      key.toLowerCase() === "proxy-status" &&
      /\berror=/.test(value) &&
      (provider === "any" || new RegExp(NAMES[provider], "i").test(value)),
  )?.[1];
  const own = status === undefined ? [] : [detailsOf(status)];
  const all = [...new Set([...parts, ...own])];
  if (all.length === 0) return undefined;
  const text = shown(all.join(": "));
  // The provider's own family of codes is more exact than the error type of the standard.
  const family = /\b(client|policy|peer|no_peer|proxy|target)[-_]/i.exec(text)?.[1]?.toLowerCase();
  return { text, isOfSite: family === undefined ? OF_SITE.test(status ?? "") : family === "target" };
};

/** How providers name themselves in `Proxy-Status`. */
const NAMES: Readonly<Record<ProviderName, string>> = {
  "bright-data": '^\\s*"?(?:[\\w.-]*\\.)?(?:brd|bright?data|luminati|superproxy)',
  oxylabs: "oxylabs",
  decodo: "decodo|smartproxy",
};

const detailsOf = (proxyStatus: string): string => {
  const [, details] = /\bdetails="((?:[^"\\]|\\.)*)"/.exec(proxyStatus) ?? [];
  return details?.replace(/\\(.)/g, "$1") ?? /\berror=([\w-]+)/.exec(proxyStatus)![1]!;
};

/** Text from the provider: reduced to one short line, without secrets that it may repeat. */
const shown = (text: string): string =>
  redactSecrets(text.replace(/[^\x20-\x7e]+/g, " ")).slice(0, MOST_REASON);
