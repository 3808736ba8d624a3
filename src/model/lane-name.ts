/**
 * The lane of a URL: the registrable domain, whatever the port. IP addresses and single-label hosts (`localhost`) have
 * no domain and share nothing with their neighbours: `host:port`. A public suffix on its own (`co.uk`) is its own lane.
 */
export const laneName = (url: URL, registrableDomain: (host: string) => string | null): string => {
  const host = url.hostname.replace(/\.$/, "");
  if (isAddress(host) || !host.includes("."))
    return `${host}:${url.port || DEFAULT_PORTS[url.protocol] || ""}`;
  return registrableDomain(host) ?? host;
};

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** A URL's host is in normal form already: IPv6 in brackets, IPv4 (in any spelling) as four decimal numbers. */
const isAddress = (host: string): boolean => host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host);
