/** Preloaded into a process: for the first seconds name lookups fail and no name server answers. Then names under `.example` resolve to loopback. */
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const DOWN_MS = 3_000;
const { lookup } = dns;
const SystemResolver = dns.promises.Resolver;
const isDown = (): boolean => performance.now() < DOWN_MS;

type Found = (error: Error | null, address: string | dns.LookupAddress[], family?: number) => void;

const ask = (name: string, options: dns.LookupOptions, found: Found): void => {
  if (!name.endsWith(".example")) return lookup(name, options, found);
  setImmediate(() => {
    if (isDown()) found(Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: "EAI_AGAIN" }), []);
    else if (options.all) found(null, [{ address: "127.0.0.40", family: 4 }]);
    else found(null, "127.0.0.40", 4);
  });
};

class DeafResolver extends SystemResolver {
  constructor(options?: dns.ResolverOptions) {
    super({ ...options, timeout: 100, tries: 1 });
    // Nobody listens there.
    this.setServers(["127.0.0.1:9"]);
  }
}

Object.assign(dns, { lookup: ask });
Object.assign(dns.promises, { Resolver: DeafResolver });
syncBuiltinESMExports();
