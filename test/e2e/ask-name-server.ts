/** Preloaded into a test's process: resolves names under `.example` with the DNS server in `NAME_SERVER` instead of the system's resolver. */
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const resolver = new dns.Resolver();
resolver.setServers([process.env["NAME_SERVER"]!]);
const { lookup } = dns;

type Found = (error: Error | null, address: string | dns.LookupAddress[], family?: number) => void;

const ask = (name: string, options: dns.LookupOptions, found: Found): void => {
  if (!/\.example\.?$/i.test(name)) return lookup(name, options, found);
  resolver.resolve4(name, (error, addresses) => {
    if (error) found(error, []);
    else if (options.all)
      found(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    else found(null, addresses[0]!, 4);
  });
};

Object.assign(dns, { lookup: ask });
syncBuiltinESMExports();
