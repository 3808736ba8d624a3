/** What `sluice.config.ts` may say. Paths are relative to that file. */
export interface Config {
  /** Folder of the ledger, the archive and the logs; `./data` unless given. `--data` and `SLUICE_DATA` go before it. */
  readonly data?: string;
  /** The folder, or folders, in which scrapers are found by name; `./scrapers` unless given. */
  readonly scrapers?: string | readonly string[];
}

/** Types the configuration; it is checked when it is loaded. */
export const defineConfig = (config: Config): Config => config;

export const DEFAULT_DATA = "./data";
export const DEFAULT_SCRAPERS = "./scrapers";
