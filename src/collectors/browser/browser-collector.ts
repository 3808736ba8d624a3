import type { Collector } from "../../ports/collector.ts";
import type { Proxies } from "../proxy/proxies.ts";
import { type EgressProxy, startEgressProxy } from "../egress/egress-proxy.ts";
import { TargetGuard } from "../http/target-guard.ts";
import { BrowserPool } from "./browser-pool.ts";
import { openBrowserSession } from "./browser-session.ts";

/** How an installation runs its browsers. */
export interface BrowserSettings {
  /** Path of the binary; default: it is searched for. */
  readonly path?: string | undefined;
  /** Full Chromium instead of the headless shell. */
  readonly full?: boolean | undefined;
  /** A browser elsewhere, by its CDP address: `wss://…`. May contain a password. */
  readonly remote?: string | undefined;
  /** Tabs in use at once, in each worker process; default: by cores and memory. */
  readonly tabs?: number | undefined;
}

interface CollectorOptions extends BrowserSettings {
  readonly userAgent: string;
  readonly allowTargets: readonly string[];
  readonly proxies?: Proxies | undefined;
  /** The registrable domain of a host, or null. */
  readonly domainOf: (host: string) => string | null;
}

export const openBrowserCollector = async (options: CollectorOptions): Promise<Collector<"browser">> => {
  const { allowTargets, domainOf, ...settings } = options;
  const guard = new TargetGuard({ allow: allowTargets });
  // A remote browser cannot reach this machine's loopback address.
  const proxy: EgressProxy | undefined =
    options.remote === undefined ? await startEgressProxy({ guard }) : undefined;
  const pool = new BrowserPool({ ...settings, proxy, args: trustOf(options.proxies) });
  const isOwnHost = (site: string, host: string): boolean => {
    const own = new URL(site).hostname;
    return host === own || (domainOf(host) ?? host) === (domainOf(own) ?? own);
  };
  return {
    open: (session) => openBrowserSession({ ...session, pool, guard, isOwnHost, proxies: options.proxies }),
    async close() {
      await pool.close();
      await proxy?.close();
    },
  };
};

/** If a provider intercepts TLS, this process checks its certificate, and the browser gets another key. */
const trustOf = (proxies: Proxies | undefined): string[] =>
  proxies?.keyHash === undefined ? [] : [`--ignore-certificate-errors-spki-list=${proxies.keyHash}`];
