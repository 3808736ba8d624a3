import { parseNetwork } from "../domain/address.ts";
import { DEFAULT_ALERT_RULES } from "../domain/alert-rules.ts";
import { unknownOption } from "../domain/known-options.ts";
import type { ProxyConfig } from "../domain/proxy-tier.ts";
import { isWithin, RANGES, readDuration } from "../domain/number-range.ts";
import { CHANNEL_OPTIONS } from "../ports/channel.ts";
import { parseStorageUrl } from "../ports/storage.ts";
import { proxyProblem } from "./check-proxies.ts";
import {
  ALERT_OPTIONS,
  type Config,
  CONFIG_OPTIONS,
  INPUT_SET_OPTIONS,
  SERVER_OPTIONS,
} from "./define-config.ts";

/** Checks `sluice.config.ts` once; the rest of the program trusts it. */
export const checkConfig = (found: unknown, file: string): Config => {
  const refuse = (problem: string): never => {
    throw new ConfigError("bad-config", `${file}: ${problem}`);
  };
  if (typeof found !== "object" || found === null || Array.isArray(found))
    return refuse('has no default export. Write `export default defineConfig({ data: "./data" })`.');
  const unknown = unknownOption(found, CONFIG_OPTIONS, "the configuration");
  if (unknown !== undefined) return refuse(unknown);
  const {
    data,
    ledger,
    blobs,
    scrapers,
    allowTargets,
    maxRetryAfter,
    browser,
    browserTabs,
    proxies,
    server,
    alerts,
    datasets,
    schedules,
    inputSets,
  }: { readonly [option in keyof Config]?: unknown } = found;
  if (data !== undefined && !isPath(data)) return refuse('`data` must be a folder, for example "./data".');
  if (ledger !== undefined && !isStorageUrl(ledger))
    return refuse(
      '`ledger` must be a URL, for example "sqlite:./data/sluice.db" or "https://sluice.example.org".',
    );
  if (blobs !== undefined && !isStorageUrl(blobs))
    return refuse('`blobs` must be a URL, for example "file:./data/blobs" or "s3://bucket/prefix".');
  const isFolders = isPath(scrapers) || (Array.isArray(scrapers) && scrapers.every(isPath));
  if (scrapers !== undefined && !isFolders)
    return refuse('`scrapers` must be a folder, for example "./scrapers", or a list of folders.');
  if (allowTargets !== undefined && !(Array.isArray(allowTargets) && allowTargets.every(isTarget)))
    return refuse(
      '`allowTargets` must be a list of hosts and networks, for example ["wiki.internal", "10.1.0.0/16"].',
    );
  if (browser !== undefined && (typeof browser !== "string" || browser === ""))
    return refuse("`browser` must be the path of a browser, or the address of a remote one (wss://…).");
  if (browserTabs !== undefined && !isTabCount(browserTabs))
    return refuse(`\`browserTabs\` must be a number from 1 to ${MOST_TABS}.`);
  if (maxRetryAfter !== undefined && !isMaxRetryAfter(maxRetryAfter))
    return refuse(`\`maxRetryAfter\` must be ${MAX_RETRY_AFTER_WANTED}.`);
  const wrongProxy = proxies === undefined ? undefined : proxyProblem(proxies);
  if (wrongProxy !== undefined) return refuse(wrongProxy);
  const unknownInServer = unknownOption(server, SERVER_OPTIONS, "`server`");
  if (unknownInServer !== undefined) return refuse(unknownInServer);
  if (server !== undefined && !isServer(server))
    return refuse(
      '`server` must say where to listen, for example { host: "127.0.0.1", port: 7070 }, and for TLS also tls: { cert: "cert.pem", key: "key.pem" }.',
    );
  // What each one says is checked when it is applied.
  if (datasets !== undefined && !(isObject(datasets) && Object.values(datasets).every(isObject)))
    return refuse(
      '`datasets` must have datasets by name, for example { taxes: { sources: [{ scraper: "county" }] } }.',
    );
  const wrongSet = inputSets === undefined ? undefined : inputSetProblem(inputSets);
  if (wrongSet !== undefined) return refuse(wrongSet);
  if (schedules !== undefined && !(isObject(schedules) && Object.values(schedules).every(isObject)))
    return refuse(
      '`schedules` must have schedules by name, for example { weekly: { scraper: "county", when: { cron: "0 6 * * mon", zone: "America/Chicago" }, inputsFrom: { set: "parcels" } } }.',
    );
  const problem = alerts === undefined ? undefined : alertProblem(alerts);
  if (problem !== undefined) return refuse(`\`alerts\`: ${problem}`);
  return found;
};

const isPath = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

const isStorageUrl = (value: unknown): boolean => isPath(value) && parseStorageUrl(value) !== undefined;

const isServer = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false;
  const { host, port, tls } = value as Readonly<Record<string, unknown>>;
  const isPort = Number.isInteger(port) && (port as number) >= 0 && (port as number) <= 65_535;
  return (
    (host === undefined || isPath(host)) &&
    (port === undefined || isPort) &&
    (tls === undefined || isTls(tls))
  );
};

const isTls = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false;
  const { cert, key, ...others } = value as Readonly<Record<string, unknown>>;
  return isPath(cert) && isPath(key) && Object.keys(others).length === 0;
};

/** A host without scheme and port, or a network. */
const isTarget = (value: unknown): boolean =>
  typeof value === "string" &&
  (parseNetwork(value) !== undefined || (/^[^\s/:]+$/.test(value) && URL.canParse(`http://${value}/`)));

const inputSetProblem = (sets: unknown): string | undefined => {
  const wanted =
    '`inputSets` must have sets by name, for example { parcels: { file: "parcels.csv", key: ["parcel"] } }.';
  if (!isObject(sets)) return wanted;
  for (const [name, set] of Object.entries(sets)) {
    const unknown = unknownOption(set, INPUT_SET_OPTIONS, `input set ${name}`);
    if (unknown !== undefined) return unknown;
    if (!isObject(set) || !isPath(set["file"])) return wanted;
    const { key = [], client = "local" } = set;
    if (!Array.isArray(key) || !key.every(isText))
      return `\`key\` of input set ${name} must be a list of columns, for example ["parcel"].`;
    if (!isText(client)) return `\`client\` of input set ${name} must be a client's name.`;
  }
  return undefined;
};

type Facts = Readonly<Record<string, unknown>>;

/** What is wrong with `alerts`; undefined if nothing is. */
const alertProblem = (alerts: unknown): string | undefined => {
  if (!isObject(alerts) || !Array.isArray(alerts["channels"]))
    return 'expected channels, for example { channels: [{ kind: "slack", urlFrom: "SLACK_URL" }] }.';
  const { channels, rules } = alerts;
  const unknown = unknownOption(alerts, ALERT_OPTIONS, "`alerts`");
  if (unknown !== undefined) return unknown;
  const problem = (channels as unknown[]).map(channelProblem).find((one) => one !== undefined);
  return problem ?? (rules === undefined ? undefined : ruleProblem(rules));
};

const WANTED = {
  text: "a string",
  texts: "a list of strings",
  variable: "the name of an environment variable",
} as const;

const channelProblem = (channel: unknown): string | undefined => {
  const kinds: Readonly<Record<string, Readonly<Record<string, keyof typeof WANTED>>>> = CHANNEL_OPTIONS;
  const options =
    isObject(channel) && typeof channel["kind"] === "string" ? kinds[channel["kind"]] : undefined;
  if (!isObject(channel) || !options)
    return `a channel's \`kind\` must be ${Object.keys(CHANNEL_OPTIONS).join(" or ")}.`;
  const ofKind = `a channel of kind ${String(channel["kind"])}`;
  const unknown = unknownOption(channel, namesOf({ kind: true, name: true, ...options }), ofKind);
  if (unknown !== undefined) return unknown;
  if (channel["name"] !== undefined && !isText(channel["name"]))
    return `\`name\` of ${ofKind} must be a string.`;
  const wrong = Object.keys(options).find((name) => !isRight(options[name]!, channel[name]));
  return wrong === undefined ? undefined : `\`${wrong}\` of ${ofKind} must be ${WANTED[options[wrong]!]}.`;
};

const isRight = (wanted: keyof typeof WANTED, value: unknown): boolean =>
  wanted === "texts"
    ? Array.isArray(value) && value.length > 0 && value.every(isText)
    : isText(value) && (wanted === "text" || /^\w+$/.test(value));

const ruleProblem = (rules: unknown): string | undefined => {
  const names = Object.keys(DEFAULT_ALERT_RULES);
  if (!isObject(rules)) return `\`rules\` must be an object with some of: ${names.join(", ")}.`;
  const unknown = unknownOption(rules, namesOf(DEFAULT_ALERT_RULES), "`rules`");
  if (unknown !== undefined) return unknown;
  for (const [name, rule] of Object.entries(rules)) {
    const usual: unknown = DEFAULT_ALERT_RULES[name as keyof typeof DEFAULT_ALERT_RULES];
    if (rule === false || (typeof usual === "boolean" && typeof rule === "boolean")) continue;
    const wanted = isObject(usual) ? Object.keys(usual) : [];
    const other =
      isObject(rule) && isObject(usual) ? unknownOption(rule, namesOf(usual), `rule \`${name}\``) : undefined;
    if (other !== undefined) return other;
    const isWhole =
      isObject(rule) &&
      Object.keys(rule).length === wanted.length &&
      wanted.every((part) => isWithin(RANGES.alertNumber, rule[part]));
    if (!isWhole)
      return `rule \`${name}\` must be false or ${typeof usual === "boolean" ? "true" : `as in ${JSON.stringify(usual)}`}.`;
  }
  return undefined;
};

const namesOf = (options: object): Readonly<Record<string, true>> =>
  Object.fromEntries(Object.keys(options).map((name) => [name, true]));

const isObject = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** `broken-config`: the file cannot be loaded. `bad-config`: its content is invalid. */
type ConfigErrorCode = "broken-config" | "bad-config";

/** An invalid configuration: the message names the file, the option and what to do. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;
  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConfigError";
    this.code = code;
  }
}

/** Worker processes inherit it. */
const VARIABLE = "SLUICE_MAX_RETRY_AFTER";

const isMaxRetryAfter = (value: unknown): boolean =>
  typeof value === "string" && isWithin(RANGES.retryAfterMs, readDuration(value));

const MAX_RETRY_AFTER_WANTED = "a duration from 1s to 1d, for example 15m";

interface InheritedSettings {
  readonly maxRetryAfter?: string;
  readonly browser?: string;
  readonly browserTabs?: number;
  readonly proxies?: ProxyConfig;
}

/** Settings that worker processes inherit through the environment, which overrides the configuration. */
export const takeInheritedSettings = (project: InheritedSettings | undefined): void => {
  const { maxRetryAfter, browser, browserTabs, proxies } = project ?? {};
  if (maxRetryAfter !== undefined) process.env[VARIABLE] ??= maxRetryAfter;
  if (browser !== undefined) process.env[BROWSER] ??= browser;
  if (browserTabs !== undefined) process.env[BROWSER_TABS] ??= String(browserTabs);
  // Holds no secrets: passwords are named by their variable or file.
  if (proxies !== undefined) process.env[PROXIES] ??= JSON.stringify(proxies);
};

const PROXIES = "SLUICE_PROXIES";

/** The proxies that this process may use; undefined if there are none. */
export const proxySettings = (): ProxyConfig | undefined => {
  const text = process.env[PROXIES] ?? "";
  if (text === "") return undefined;
  const refuse = (problem: string): never => {
    throw new ConfigError("bad-config", `${PROXIES}: ${problem}`);
  };
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return refuse("expected the option `proxies` as JSON.");
  }
  const problem = proxyProblem(found);
  return problem === undefined ? (found as ProxyConfig) : refuse(problem);
};

const BROWSER = "SLUICE_BROWSER";
const BROWSER_TABS = "SLUICE_BROWSER_TABS";
const MOST_TABS = 256;

/** Which browser this process uses, and how many of its tabs at once. */
export const browserSettings = (): { path?: string; remote?: string; tabs?: number } => {
  const browser = process.env[BROWSER] ?? "";
  const tabs = process.env[BROWSER_TABS] ?? "";
  if (tabs !== "" && !isTabCount(Number(tabs)))
    throw new ConfigError(
      "bad-config",
      `${BROWSER_TABS} is ${tabs}: expected a number from 1 to ${MOST_TABS}.`,
    );
  const isRemote = /^(?:wss?|https?):\/\//i.test(browser);
  return {
    ...(browser !== "" && (isRemote ? { remote: browser } : { path: browser })),
    ...(tabs !== "" && { tabs: Number(tabs) }),
  };
};

const isTabCount = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MOST_TABS;

/** How long a site's `Retry-After` may hold a lane, in milliseconds; undefined if not set. */
export const maxRetryAfterMs = (): number | undefined => {
  const text = process.env[VARIABLE];
  if (text === undefined || text === "") return undefined;
  if (!isMaxRetryAfter(text))
    throw new ConfigError("bad-config", `${VARIABLE} is ${text}: expected ${MAX_RETRY_AFTER_WANTED}.`);
  return readDuration(text)!;
};
