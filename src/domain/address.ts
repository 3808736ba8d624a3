/** An IP address as a number; its width shows the family. */
interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** All addresses that begin with the same `length` bits. */
export interface Network extends Address {
  readonly length: number;
}

const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[\da-f]{1,4}$/i;

/** Dotted decimal, as URLs and resolvers write it; the octal and hexadecimal spellings have become that in a URL. */
const readV4 = (text: string): bigint | undefined => {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => OCTET.test(part) && Number(part) < 256)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
};

const readV6 = (text: string): bigint | undefined => {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const tail = dotted && readV4(dotted[2]!);
  if (dotted && tail === undefined) return undefined;
  const plain = dotted
    ? `${dotted[1]}${(tail! >> 16n).toString(16)}:${(tail! & 0xffffn).toString(16)}`
    : text;
  const halves = plain.split("::");
  if (halves.length > 2) return undefined;
  const [head, rest] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - head!.length - (rest?.length ?? 0);
  if (rest ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head!, ...Array.from({ length: rest ? missing : 0 }, () => "0"), ...(rest ?? [])];
  if (!groups.every((group) => GROUP.test(group))) return undefined;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
};

/** An address as a URL's host (brackets and all) or a resolver writes it; undefined for a name. */
export const parseAddress = (text: string): Address | undefined => {
  const bare = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  // A zone names the interface of a link-local address and is not part of the address.
  const [plain = ""] = bare.split("%");
  const value = plain.includes(":") ? readV6(plain) : readV4(plain);
  if (value === undefined) return undefined;
  return { bits: plain.includes(":") ? 128 : 32, value };
};

/** `10.0.0.0/8`, `fd00::/8`, or a single address. Bits after the prefix do not matter. */
export const parseNetwork = (text: string): Network | undefined => {
  const [head = "", length, ...more] = text.split("/");
  const address = parseAddress(head);
  if (!address || more.length > 0) return undefined;
  if (length === undefined) return { ...address, length: address.bits };
  if (!/^\d{1,3}$/.test(length) || Number(length) > address.bits) return undefined;
  return { ...address, length: Number(length) };
};

export const isWithin = (address: Address, network: Network): boolean => {
  const shift = BigInt(network.bits - network.length);
  return address.bits === network.bits && address.value >> shift === network.value >> shift;
};

type Row = readonly [network: string, what: string];

/**
 * Addresses without public sites: the IANA registries of special-purpose addresses, and the metadata addresses of clouds (first, so that errors name
 * them).
 */
const BLOCKS: readonly Row[] = [
  ["169.254.169.254/32", "cloud metadata"],
  ["169.254.170.0/24", "cloud metadata"], // credentials of containers (AWS)
  ["100.100.100.200/32", "cloud metadata"], // Alibaba
  ["168.63.129.16/32", "cloud metadata"], // Azure, out of a public block
  ["192.0.0.192/32", "cloud metadata"], // Oracle
  ["fd00:ec2::/32", "cloud metadata"], // AWS
  ["fd20:ce::254/128", "cloud metadata"], // Google
  ["0.0.0.0/8", "this host"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["255.255.255.255/32", "broadcast"],
  ["240.0.0.0/4", "reserved"],
  ["::/128", "this host"],
  ["::1/128", "loopback"],
  ["64:ff9b:1::/48", "local NAT64"],
  ["100::/64", "discarded"],
  ["2001::/32", "Teredo"],
  ["2001::/23", "reserved"],
  ["2001:db8::/32", "documentation"],
  ["3fff::/20", "documentation"],
  ["fc00::/7", "unique local"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "site-local"],
  ["ff00::/8", "multicast"],
];

/** IPv6 addresses that stand for an IPv4 one: judged by it. `shift` is where it ends, in bits from the right. */
const EMBEDDED: readonly (readonly [network: string, shift: bigint, what: string])[] = [
  ["::ffff:0:0/96", 0n, "IPv4-mapped"],
  ["64:ff9b::/96", 0n, "NAT64"],
  ["2002::/16", 80n, "6to4"],
];

const read = (network: string): Network => parseNetwork(network)!;
const blocks = BLOCKS.map(([network, what]) => ({ network: read(network), name: network, what }));
const embedded = EMBEDDED.map(([network, shift, what]) => ({ network: read(network), shift, what }));
/** All addresses for public hosts; the others are reserved, deprecated or unassigned. */
const GLOBAL_V6 = read("2000::/3");

/**
 * Why an address is not one of a public host, as in `private (10.0.0.0/8)`; undefined if it is public. A text that is not an address is not public.
 */
export const specialAddress = (text: string): string | undefined => {
  const address = parseAddress(text);
  return address ? reasonOf(address) : "not an IP address";
};

const reasonOf = (address: Address): string | undefined => {
  const inside = embedded.find(({ network }) => isWithin(address, network));
  if (inside) {
    const reason = reasonOf({ bits: 32, value: (address.value >> inside.shift) & 0xffff_ffffn });
    return reason && `${reason} as ${inside.what}`;
  }
  const block = blocks.find(({ network }) => isWithin(address, network));
  if (block) return `${block.what} (${block.name})`;
  return address.bits === 128 && !isWithin(address, GLOBAL_V6) ? "reserved (outside 2000::/3)" : undefined;
};
