import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { DatasetConfig } from "../domain/release.ts";
import type { ProxyConfig } from "../domain/proxy-tier.ts";
import { checkConfig, ConfigError } from "./check-config.ts";
import {
  type AlertConfig,
  DEFAULT_DATA,
  DEFAULT_SCRAPERS,
  type InputSetConfig,
  type ScheduleConfig,
  type ServerConfig,
} from "./define-config.ts";
import { findConfig } from "./find-config.ts";
import { resolveStorageUrl } from "./storage-location.ts";

/** A folder with a `sluice.config.ts`, with defaults applied. */
export interface Project {
  /** Absolute, like all paths in here. */
  readonly file: string;
  readonly folder: string;
  readonly data: string;
  readonly ledger?: string;
  readonly blobs?: string;
  readonly scrapers: readonly string[];
  readonly allowTargets?: readonly string[];
  readonly maxRetryAfter?: string;
  readonly browser?: string;
  readonly browserTabs?: number;
  readonly proxies?: ProxyConfig;
  readonly server?: ServerConfig;
  readonly alerts?: AlertConfig;
  readonly schedules?: Readonly<Record<string, ScheduleConfig>>;
  readonly datasets?: Readonly<Record<string, DatasetConfig>>;
  readonly inputSets?: Readonly<Record<string, InputSetConfig>>;
}

/** The exit code for an invalid configuration. */
const EXIT_USAGE = 2;

/** The configuration in this folder or the nearest one above, or this file; undefined if there is none. */
export const loadConfig = async (from: string = process.cwd()): Promise<Project | undefined> => {
  const isFile = statSync(from, { throwIfNoEntry: false })?.isFile();
  const file = isFile ? resolve(from) : findConfig(resolve(from));
  if (file === undefined) return undefined;
  const {
    data = DEFAULT_DATA,
    scrapers = DEFAULT_SCRAPERS,
    server,
    ledger,
    blobs,
    proxies,
    ...others
  } = checkConfig(await importDefault(file), file);
  const folder = dirname(file);
  const tls = server?.tls && {
    cert: resolve(folder, server.tls.cert),
    key: resolve(folder, server.tls.key),
  };
  return {
    file,
    folder,
    data: resolve(folder, data),
    scrapers: [scrapers].flat().map((each) => resolve(folder, each)),
    ...(server && { server: { ...server, ...(tls && { tls }) } }),
    ...(proxies && { proxies: withPaths(proxies, folder) }),
    ...(ledger !== undefined && { ledger: resolveStorageUrl(ledger, folder) }),
    ...(blobs !== undefined && { blobs: resolveStorageUrl(blobs, folder) }),
    ...others,
  };
};

const withPaths = ({ tiers, ...others }: ProxyConfig, folder: string): ProxyConfig => ({
  ...others,
  tiers: Object.fromEntries(
    Object.entries(tiers).map(([name, { file, passwordFile, ca, ...tier }]) => {
      const paths = Object.entries({ file, passwordFile, ca }).filter(([, path]) => path !== undefined);
      return [
        name,
        { ...tier, ...Object.fromEntries(paths.map(([key, path]) => [key, resolve(folder, path!)])) },
      ];
    }),
  ),
});

const importDefault = async (file: string): Promise<unknown> => {
  const { explainImport, hookImports } = await import("../scrapers/load-scraper.ts");
  const { placingErrors } = await import("../scrapers/error-place.ts");
  hookImports();
  // The file may end the process; this reports why.
  const tell = (): void => {
    process.exitCode = EXIT_USAGE;
    console.error(
      `error: ${file}: the file ends the process while it is loaded. It must only export settings.`,
    );
  };
  process.once("exit", tell);
  try {
    const module = await placingErrors(() => import(pathToFileURL(file).href));
    return (module as { readonly default?: unknown }).default;
  } catch (error) {
    throw new ConfigError("broken-config", `${file}: cannot be loaded. ${explainImport(error)}`, {
      cause: error,
    });
  } finally {
    process.off("exit", tell);
  }
};
