import type { AlertRules } from "../domain/alert-rules.ts";
import type { OptionNames } from "../domain/known-options.ts";
import type { DatasetConfig } from "../domain/release.ts";
import type { ScheduleDefinition } from "../schemas/schedule.ts";
import type { ProxyConfig } from "../domain/proxy-tier.ts";
import type { ChannelConfig } from "../ports/channel.ts";

/** The options of `sluice.config.ts`. Paths are relative to that file. */
export interface Config {
  /** Folder of the logs and, by default, of ledger and archive. Default `./data`; `--data` and `SLUICE_DATA` override it. */
  readonly data?: string;
  /**
   * URL of the ledger: `sqlite:FILE`, `postgres://…`, or the address of a controller for `sluice worker`. Default `sluice.db` in `data`; `--ledger` and `SLUICE_LEDGER`
   * override it.
   */
  readonly ledger?: string;
  /** URL of the archive: `file:FOLDER` or `s3://BUCKET/PREFIX` (see docs/s3.md). Default `blobs` in `data`; `--blobs` and `SLUICE_BLOBS` override it. */
  readonly blobs?: string;
  /** The folder or folders with scrapers. Default `./scrapers`. */
  readonly scrapers?: string | readonly string[];
  /**
   * Host names, addresses and networks (`10.1.0.0/16`) of your own network that jobs and webhooks of clients may reach. By default they reach only
   * public addresses and the sites that scrapers declare.
   */
  readonly allowTargets?: readonly string[];
  /** How long a site's `Retry-After` may hold a lane, for example "15m". Default 1h, at most 1d; `SLUICE_MAX_RETRY_AFTER` overrides it. */
  readonly maxRetryAfter?: string;
  /**
   * The browser of scrapers that need one: path of a Chromium, or the CDP address of a browser elsewhere (`wss://…`; keep a password in
   * `SLUICE_BROWSER` instead, which overrides it). Default: a Chromium of this machine, see `sluice doctor`.
   */
  readonly browser?: string;
  /** Tabs in use at once, in each worker process. By default from the machine's cores and memory; `SLUICE_BROWSER_TABS` overrides it. */
  readonly browserTabs?: number;
  /** Proxies that scrapers may use, by tier, and their prices. See docs/proxies.md. */
  readonly proxies?: ProxyConfig;
  /** Where `sluice serve` listens; `--host` and `--port` override it. */
  readonly server?: ServerConfig;
  /** Input sets by name: the rows of a file are their newest version. See docs/schedules.md. */
  readonly inputSets?: Readonly<Record<string, InputSetConfig>>;
  /** Datasets by name: what their releases are made of, and when a release is good. See docs/releases.md. */
  readonly datasets?: Readonly<Record<string, DatasetConfig>>;
  /** Schedules by name: what starts when, with which inputs. See docs/schedules.md. */
  readonly schedules?: Readonly<Record<string, ScheduleConfig>>;
  /** Who is notified when something is wrong with jobs, and when. */
  readonly alerts?: AlertConfig;
}

export const CONFIG_OPTIONS: OptionNames<Config> = {
  data: true,
  scrapers: true,
  allowTargets: true,
  maxRetryAfter: true,
  browser: true,
  browserTabs: true,
  proxies: true,
  server: true,
  ledger: true,
  blobs: true,
  alerts: true,
  schedules: true,
  datasets: true,
  inputSets: true,
};

export interface InputSetConfig {
  /** CSV, NDJSON, JSON or a list of URLs, also gzipped. */
  readonly file: string;
  /** Columns that identify a row; the whole row by default. */
  readonly key?: readonly string[];
  /** Whose it is; the machine's own client by default. */
  readonly client?: string;
}

export const INPUT_SET_OPTIONS: OptionNames<InputSetConfig> = {
  file: true,
  key: true,
  client: true,
};

/** As over the API; paths of `inputsFrom.file` are relative to the configuration. */
export type ScheduleConfig = ScheduleDefinition & {
  /** Whose jobs they are; those of the machine's own client by default. */
  readonly client?: string;
};

export interface AlertConfig {
  /** Slack and e-mail. Secrets are named by their environment variable. */
  readonly channels: readonly ChannelConfig[];
  /** Changes to the default rules; `false` turns a rule off. */
  readonly rules?: Partial<AlertRules>;
}

export const ALERT_OPTIONS: OptionNames<AlertConfig> = { channels: true, rules: true };

export interface ServerConfig {
  /** An address of this machine. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 7070; 0 picks a free port. */
  readonly port?: number;
  /** PEM files for HTTPS. Default plain HTTP; `--tls-cert` and `--tls-key` override it. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export const SERVER_OPTIONS: OptionNames<ServerConfig> = { host: true, port: true, tls: true };

/** Gives the configuration its type. It is checked when it is loaded. */
export const defineConfig = (config: Config): Config => config;

export const DEFAULT_DATA = "./data";
export const DEFAULT_SCRAPERS = "./scrapers";
