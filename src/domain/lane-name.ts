import { parseAddress } from "./address.ts";

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

const PREFIX = "address:";

/** The lane whose rate, if an operator has set one, limits every address: see `addressLane`. */
export const EVERY_ADDRESS = `${PREFIX}*`;

/**
 * The lane of a machine, in which requests to all of its host names are paced together. For IPv6 the 64-bit network, because one machine can have any
 * number of addresses in it. Undefined for a text that is not an address.
 */
export const addressLane = (address: string): string | undefined => {
  const parsed = parseAddress(address);
  if (!parsed) return undefined;
  const { bits, value } = parsed;
  const isMapped = bits === 128 && value >> 32n === 0xffffn;
  if (bits === 32 || isMapped) return PREFIX + dotted(value & 0xffffffffn);
  const groups = Array.from({ length: 4 }, (_, n) =>
    ((value >> BigInt(112 - 16 * n)) & 0xffffn).toString(16),
  );
  return `${PREFIX}${groups.join(":")}::/64`;
};

const dotted = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");

/** Whether a lane is that of a machine, or of all machines. No host has such a name, because a port is a number. */
export const isAddressLane = (lane: string): boolean =>
  lane === EVERY_ADDRESS || (lane.startsWith(PREFIX) && /[.:]/.test(lane.slice(PREFIX.length)));
