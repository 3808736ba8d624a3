import { BlockList, isIPv6 } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Of an address or a host name as one listens on it, or as a `Host` header has it without its port. */
export const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (bare === "localhost" || bare.endsWith(".localhost")) return true;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  return LOOPBACK.check(mapped ?? bare, mapped === undefined && isIPv6(bare) ? "ipv6" : "ipv4");
};

/** Without keys everybody who can connect may do everything: then only this machine can connect. */
export const mayListen = (host: string, hasKeys: boolean): boolean => hasKeys || isLoopback(host);
