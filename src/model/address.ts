/** An IP address as a number; the width tells the family. */
export interface Address {
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
  // A zone says on which cable a link-local address is meant, not which address.
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
