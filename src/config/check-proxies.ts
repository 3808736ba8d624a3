import { STORAGE } from "../domain/cost.ts";
import { unknownOption } from "../domain/known-options.ts";
import { DIRECT, parseTierUse } from "../domain/proxy-ladder.ts";
import {
  neededValues,
  parseProxyUrl,
  PRICE_OPTIONS,
  PROVIDERS,
  PROXY_OPTIONS,
  PROXY_TIER_OPTIONS,
  type ProxyTierConfig,
  userTemplate,
} from "../domain/proxy-tier.ts";

type Facts = Readonly<Record<string, unknown>>;

/** What is wrong with `proxies`; undefined if nothing is. */
export const proxyProblem = (proxies: unknown): string | undefined => {
  const unknown = unknownOption(proxies, PROXY_OPTIONS, "`proxies`");
  if (unknown !== undefined) return unknown;
  const { currency, tiers } = proxies as Facts;
  if (currency !== undefined && !(typeof currency === "string" && /^[A-Z]{3}$/.test(currency)))
    return '`proxies.currency` must be a code such as "USD".';
  if (!isObject(tiers))
    return '`proxies.tiers` must name the tiers, for example { datacenter: { url: "http://proxy.example:8080" } }.';
  for (const [name, tier] of Object.entries(tiers)) {
    const problem = nameProblem(name) ?? tierProblem(`\`proxies.tiers.${name}\``, tier);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const nameProblem = (name: string): string | undefined => {
  if (name === DIRECT) return `\`proxies.tiers\`: \`${DIRECT}\` is built in and uses no proxy.`;
  if (name === STORAGE)
    return `\`proxies.tiers\`: \`${STORAGE}\` is reserved for the blob store. Use another name.`;
  return parseTierUse(name)?.tier === name
    ? undefined
    : `\`proxies.tiers\`: ${name} is not a valid name. Use lower-case letters, digits and hyphens, for example datacenter.`;
};

const tierProblem = (what: string, tier: unknown): string | undefined => {
  const unknown = unknownOption(tier, PROXY_TIER_OPTIONS, what);
  if (unknown !== undefined) return unknown;
  const { provider, url, urls, file, user, values, passwordEnv, passwordFile, ca, price } = tier as Facts;
  if (provider !== undefined && !(typeof provider === "string" && Object.hasOwn(PROVIDERS, provider)))
    return `${what}: \`provider\` must be one of ${Object.keys(PROVIDERS).join(", ")}. For others, set \`url\` and \`user\`.`;
  const ways = [url, urls, file].filter((way) => way !== undefined).length;
  if (ways > 1 || (ways === 0 && provider === undefined))
    return `${what} needs one of \`url\`, \`urls\`, \`file\`${ways > 1 ? "" : " or `provider`"}.`;
  if (urls !== undefined && !(Array.isArray(urls) && urls.length > 0))
    return `${what}: \`urls\` must be a list of URLs.`;
  const wrong = [url, ...((urls as unknown[] | undefined) ?? [])]
    .filter((each) => each !== undefined)
    .map((each) => urlProblem(what, each))
    .find((each) => each !== undefined);
  if (wrong !== undefined) return wrong;
  for (const [name, path] of Object.entries({ file, passwordFile, ca }))
    if (path !== undefined && !isText(path)) return `${what}: \`${name}\` must be the path of a file.`;
  return (
    loginProblem(what, { user, values, passwordEnv, passwordFile }, tier as Facts) ??
    priceProblem(what, price)
  );
};

/** Does not quote the URL: it may hold a password. */
const urlProblem = (what: string, url: unknown): string | undefined => {
  if (typeof url === "string" && url.includes("@"))
    return `${what}: a URL must not contain a user name or password. Name the user in \`user\`, and the password's variable in \`passwordEnv\` or its file in \`passwordFile\`.`;
  return typeof url === "string" && parseProxyUrl(url)
    ? undefined
    : `${what}: a URL must have a scheme, a host and a port: http://, https:// or socks5://host:port.`;
};

const loginProblem = (
  what: string,
  { user, values, passwordEnv, passwordFile }: Facts,
  tier: ProxyTierConfig & Facts,
): string | undefined => {
  if (user !== undefined && !(isText(user) && /^[^\s:]+$/.test(user) && isClosed(user)))
    return `${what}: \`user\` must be a user name without spaces and colons, for example "customer-{customer}[-country-{country}]".`;
  if (values !== undefined && !(isObject(values) && Object.values(values).every(isValue)))
    return `${what}: \`values\` must be strings without spaces and colons, for example { customer: "c1", zone: "dc" }.`;
  const template = userTemplate(tier);
  const missing = neededValues(template ?? "").find((name) => !Object.hasOwn(values ?? {}, name));
  if (missing !== undefined) return `${what}: \`values.${missing}\` is missing; the user name refers to it.`;
  if (passwordEnv !== undefined && !(isText(passwordEnv) && /^\w+$/.test(passwordEnv)))
    return `${what}: \`passwordEnv\` must be the name of an environment variable.`;
  const passwords = [passwordEnv, passwordFile].filter((each) => each !== undefined).length;
  if (passwords > 1) return `${what}: give \`passwordEnv\` or \`passwordFile\`, not both.`;
  if (passwords > 0 && template === undefined) return `${what}: a password needs \`user\`.`;
  return tier.provider !== undefined && passwords === 0
    ? `${what}: \`passwordEnv\` or \`passwordFile\` is missing.`
    : undefined;
};

/** Each { and [ has its end, and no part lies in another. */
const isClosed = (template: string): boolean =>
  /^(?:[^[\]{}]|\{\w+\}|\[(?:[^[\]{}]|\{\w+\})*\])+$/.test(template);

const priceProblem = (what: string, price: unknown): string | undefined => {
  const unknown = unknownOption(price, PRICE_OPTIONS, `\`price\` of ${what}`);
  if (unknown !== undefined) return unknown;
  const isPrice = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;
  return Object.values((price as Facts | undefined) ?? {}).every(isPrice)
    ? undefined
    : `${what}: \`price\` must be numbers, for example { perGB: 8 } or { perRequest: 0.001 }.`;
};

const isValue = (value: unknown): boolean => typeof value === "string" && /^[^\s:]+$/.test(value);
const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isObject = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);
