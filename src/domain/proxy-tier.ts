import type { OptionNames } from "./known-options.ts";
import { DIRECT, parseTierUse, type TierUse } from "./proxy-ladder.ts";

/** Proxies of the configuration. */
export interface ProxyConfig {
  /** Of all prices; USD by default. */
  readonly currency?: string;
  /** By the name that scrapers use: `datacenter`, `residential`. `direct` is always there. */
  readonly tiers: Readonly<Record<string, ProxyTierConfig>>;
}

/** A provider's proxies, or your own. Passwords are named, never written here. */
export interface ProxyTierConfig {
  /** Fills `url` and `user`. */
  readonly provider?: ProviderName;
  /** `http://host:port`, `https://host:port` or `socks5://host:port`. */
  readonly url?: string;
  /** Several proxies: a session keeps one of them, and a proxy that cannot be reached is skipped for a minute. */
  readonly urls?: readonly string[];
  /** A file with one URL per line. These may have a user name and a password. */
  readonly file?: string;
  /** The user name: values in {}, and parts in [] only where their values are given. */
  readonly user?: string;
  /** For `user`: customer, zone and so on. `country`, `state` and `city` apply where a scraper names none. */
  readonly values?: Readonly<Record<string, string>>;
  /** The environment variable with the password, for workers. */
  readonly passwordEnv?: string;
  /** A file with the password, for workers. */
  readonly passwordFile?: string;
  /** A PEM file: certificates that are trusted in this tier besides the usual ones. */
  readonly ca?: string;
  readonly price?: ProxyPrice;
}

export interface ProxyPrice {
  /** For 1,000,000,000 bytes, in both directions. */
  readonly perGB?: number;
  readonly perRequest?: number;
}

export const PROXY_OPTIONS: OptionNames<ProxyConfig> = { currency: true, tiers: true };
export const PROXY_TIER_OPTIONS: OptionNames<ProxyTierConfig> = {
  provider: true,
  url: true,
  urls: true,
  file: true,
  user: true,
  values: true,
  passwordEnv: true,
  passwordFile: true,
  ca: true,
  price: true,
};
export const PRICE_OPTIONS: OptionNames<ProxyPrice> = { perGB: true, perRequest: true };

/** What is known of a provider. */
export interface Provider {
  readonly url: string;
  readonly user: string;
  /** Headers with its reason for a refusal: it sends them with no good response. */
  readonly errorHeaders: RegExp;
  /** Names in the certificates that it makes where it reads TLS itself. */
  readonly issuer: RegExp;
}

export type ProviderName = "bright-data" | "oxylabs" | "decodo";

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  "bright-data": {
    // The certificates of the older ports, 22225 and 33335, have expired.
    url: "http://brd.superproxy.io:44445",
    user: "brd-customer-{customer}-zone-{zone}[-country-{country}][-state-{state}][-city-{city}][-session-{session}]",
    errorHeaders: /^x-(?:brd|luminati)-err/i,
    issuer: /bright ?data|luminati/i,
  },
  oxylabs: {
    url: "http://pr.oxylabs.io:7777",
    user: "customer-{customer}[-cc-{COUNTRY}][-st-us_{statename}][-city-{city}][-sessid-{session}][-sesstime-{minutes}]",
    errorHeaders: /^x-oxylabs-\w*err/i,
    issuer: /oxylabs/i,
  },
  decodo: {
    url: "http://gate.decodo.com:7000",
    user: "user-{customer}[-country-{country}][-state-us_{statename}][-city-{city}][-session-{session}][-sessionduration-{minutes}]",
    errorHeaders: /^x-(?:decodo|smartproxy)-\w*err/i,
    issuer: /decodo|smartproxy/i,
  },
};

/** Values that come from the scraper and the item; all others from `values`. */
const GIVEN = new Set(["country", "COUNTRY", "state", "statename", "city", "session"]);

export const userTemplate = ({ provider, user }: ProxyTierConfig): string | undefined =>
  user ?? (provider && PROVIDERS[provider].user);

/** Values that a template needs from `values`. */
export const neededValues = (template: string): string[] =>
  namesIn(template.replace(OPTIONAL, "")).filter((name) => !GIVEN.has(name));

const OPTIONAL = /\[([^[\]]*)\]/g;

const namesIn = (template: string): string[] => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** The user name of an exit at this place, with this session. */
export const userName = (
  config: ProxyTierConfig,
  use: Omit<TierUse, "tier">,
  session: string,
): string | undefined => {
  const template = userTemplate(config);
  if (template === undefined) return undefined;
  const values = spelled({ ...config.values, ...use, session: sessionName(session) });
  return template
    .replace(OPTIONAL, (_, part: string) =>
      namesIn(part).every((name) => values[name] !== undefined) ? part : "",
    )
    .replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
};

/** All providers take up to 12 lower-case letters and digits. */
const sessionName = (session: string): string =>
  /^[a-z0-9]{1,12}$/.test(session)
    ? session
    : (hashOf(session).toString(36) + hashOf(`${session}+`).toString(36)).slice(0, 12);

/** FNV-1a: spreads sessions, hides nothing. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};

const spelled = (
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> => {
  const { country, state } = values;
  const statename = country === "us" && state !== undefined ? (US_STATES[state] ?? state) : undefined;
  return { ...values, COUNTRY: country?.toUpperCase(), statename };
};

/** Why a step of a ladder cannot be used; undefined if it can. An exit in another location would give wrong data. */
export const tierProblem = (config: ProxyConfig | undefined, text: string): string | undefined => {
  const use = parseTierUse(text);
  if (!use)
    return `\`${text}\` is not a proxy tier: expected a name such as residential or residential:us-tx`;
  const { tier, ...place } = use;
  if (tier === DIRECT) return Object.keys(place).length > 0 ? "`direct` has no country" : undefined;
  const found = config && Object.hasOwn(config.tiers, tier) ? config.tiers[tier] : undefined;
  if (!found)
    return `\`proxies\` has no tier \`${tier}\`. It has: ${[DIRECT, ...Object.keys(config?.tiers ?? {})].join(", ")}`;
  const template = userTemplate(found) ?? "";
  const places = { country: /\{country\}/i, state: /\{state(?:name)?\}/, city: /\{city\}/ };
  const missing = (["country", "state", "city"] as const).find(
    (part) => place[part] !== undefined && !places[part].test(template),
  );
  if (missing !== undefined) return `the user name of tier \`${tier}\` has no place for a ${missing}`;
  const isNamed = template.includes("{statename}");
  return isNamed && place.state !== undefined && place.country !== "us"
    ? `tier \`${tier}\` supports states only in the country us`
    : undefined;
};

/** The price of a step of a ladder; nothing for `direct`. */
export const priceOf = (config: ProxyConfig | undefined, text: string): ProxyPrice =>
  config?.tiers[parseTierUse(text)?.tier ?? ""]?.price ?? {};

export const proxyCurrency = (config: ProxyConfig | undefined): string => config?.currency ?? "USD";

export interface ProxyUrl {
  readonly scheme: "http" | "https" | "socks5";
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
}

const URL_OF_PROXY =
  /^(https?|socks5):\/\/(?:([^\s:@/]*)(?::([^\s@/]*))?@)?(\[[\da-f:.]+\]|[^\s:@/[\]]+):(\d{1,5})\/?$/i;

/** `scheme://[user:password@]host:port`; undefined for anything else. */
export const parseProxyUrl = (text: string): ProxyUrl | undefined => {
  const [, scheme, user, password, host, port] = URL_OF_PROXY.exec(text) ?? [];
  if (scheme === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return {
    scheme: scheme.toLowerCase() as ProxyUrl["scheme"],
    host: host!.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port),
    ...(user !== undefined && { user: decoded(user), password: decoded(password ?? "") }),
  };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

// prettier-ignore
const US_STATES: Readonly<Record<string, string>> = Object.fromEntries(
  ("al alabama ak alaska az arizona ar arkansas ca california co colorado ct connecticut de delaware dc district_of_columbia fl florida " +
    "ga georgia hi hawaii id idaho il illinois in indiana ia iowa ks kansas ky kentucky la louisiana me maine md maryland " +
    "ma massachusetts mi michigan mn minnesota ms mississippi mo missouri mt montana ne nebraska nv nevada nh new_hampshire " +
    "nj new_jersey nm new_mexico ny new_york nc north_carolina nd north_dakota oh ohio ok oklahoma or oregon pa pennsylvania " +
    "ri rhode_island sc south_carolina sd south_dakota tn tennessee tx texas ut utah vt vermont va virginia wa washington " +
    "wv west_virginia wi wisconsin wy wyoming")
    .match(/\S+ \S+/g)!
    .map((pair) => pair.split(" ") as [string, string]),
);
