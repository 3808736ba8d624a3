import type { AlertRules } from "../domain/alert-rules.ts";
import type { OptionNames } from "../domain/known-options.ts";
import type { ChannelConfig } from "../ports/channel.ts";

/** What `sluice.config.ts` may say. Paths are relative to that file. */
export interface Config {
  /** Folder of the ledger, the archive and the logs; `./data` unless given. `--data` and `SLUICE_DATA` go before it. */
  readonly data?: string;
  /** The controller that `sluice worker` works for, such as "https://sluice.example.org"; it works in `data` unless given. `--ledger` and `SLUICE_LEDGER` go before it. */
  readonly ledger?: string;
  /** The folder, or folders, in which scrapers are found by name; `./scrapers` unless given. */
  readonly scrapers?: string | readonly string[];
  /**
   * Host names, addresses and networks (`10.1.0.0/16`) inside your own network that jobs and webhooks of clients may reach. Without it, only
   * public addresses and the sites that scrapers declare.
   */
  readonly allowTargets?: readonly string[];
  /** How long a site's `Retry-After` may hold a lane, such as "15m"; an hour unless given, a day at most. `SLUICE_MAX_RETRY_AFTER` goes before it. */
  readonly maxRetryAfter?: string;
  /** Where `sluice serve` listens; `--host` and `--port` go before it. */
  readonly server?: ServerConfig;
  /** Who is told when something is wrong with jobs, and when that is. */
  readonly alerts?: AlertConfig;
}

export const CONFIG_OPTIONS: OptionNames<Config> = {
  data: true,
  scrapers: true,
  allowTargets: true,
  maxRetryAfter: true,
  server: true,
  ledger: true,
  alerts: true,
};

export interface AlertConfig {
  /** Slack and e-mail. What opens doors is named by its environment variable. */
  readonly channels: readonly ChannelConfig[];
  /** What is left out is as by default; `false` turns a rule off. */
  readonly rules?: Partial<AlertRules>;
}

export const ALERT_OPTIONS: OptionNames<AlertConfig> = { channels: true, rules: true };

export interface ServerConfig {
  /** An address of this machine; 127.0.0.1 unless given. */
  readonly host?: string;
  /** 7070 unless given; 0 for a free one. */
  readonly port?: number;
  /** PEM files, for HTTPS; plain HTTP unless given. `--tls-cert` and `--tls-key` go before it. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export const SERVER_OPTIONS: OptionNames<ServerConfig> = { host: true, port: true, tls: true };

/** Types the configuration; it is checked when it is loaded. */
export const defineConfig = (config: Config): Config => config;

export const DEFAULT_DATA = "./data";
export const DEFAULT_SCRAPERS = "./scrapers";
