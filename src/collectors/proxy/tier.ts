import { readFileSync } from "node:fs";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { FailureError } from "../../domain/failure.ts";
import {
  hashOf,
  parseProxyUrl,
  type ProviderName,
  PROVIDERS,
  type ProxyTierConfig,
  type ProxyUrl,
} from "../../domain/proxy-tier.ts";
import { registerSecret } from "../../domain/redact-secrets.ts";

export interface Member {
  readonly url: ProxyUrl;
  /** Left out until then. */
  outUntil: number;
}

/** With the content of its files and variables. */
export interface Tier {
  readonly config: ProxyTierConfig;
  readonly provider: ProviderName | undefined;
  readonly members: readonly Member[];
  readonly password: string | undefined;
  readonly secureContext: SecureContext | undefined;
}

/** How long an unreachable proxy is skipped. */
export const OUT_MS = 60_000;
/** Proxies of a list that are tried for one connection. */
const MOST_TRIES = 3;

/** The session's own first, then its neighbours; recently unreachable ones only if there are no others. */
export const order = (members: readonly Member[], session: string): Member[] => {
  if (members.length === 1) return [...members];
  const start = hashOf(session) % members.length;
  const turned = [...members.slice(start), ...members.slice(0, start)];
  const now = performance.now();
  const up = turned.filter(({ outUntil }) => outUntil <= now);
  return (up.length > 0 ? up : turned).slice(0, MOST_TRIES);
};

export const openTier = (name: string, config: ProxyTierConfig): Tier => {
  const { provider, passwordEnv, passwordFile, ca, file } = config;
  const what = `tier \`${name}\``;
  const password =
    passwordEnv === undefined
      ? passwordFile && textOf(passwordFile, `the password of ${what}`).trim()
      : process.env[passwordEnv];
  if ((passwordEnv ?? passwordFile) !== undefined && !password)
    throw failed(
      `the password of ${what} is missing: ${passwordEnv === undefined ? "its file is empty" : `the environment variable ${passwordEnv} is not set`}`,
    );
  if (password !== undefined) registerSecret(password);
  const lines = file === undefined ? [] : textOf(file, `the proxies of ${what}`).split(/\r?\n/);
  const listed = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
  const texts = file === undefined ? [config.urls ?? config.url ?? PROVIDERS[provider!].url].flat() : listed;
  const members = texts.map((text, index) => {
    const url = parseProxyUrl(text);
    if (!url)
      throw failed(`the proxies of ${what}: entry ${index + 1} is not a URL with scheme, host and port`);
    if (url.password !== undefined) registerSecret(url.password);
    return { url, outUntil: 0 };
  });
  if (members.length === 0) throw failed(`the proxies of ${what}: the file is empty`);
  const secureContext =
    ca === undefined
      ? undefined
      : createSecureContext({ ca: [...getCACertificates("default"), textOf(ca, `the \`ca\` of ${what}`)] });
  return { config, provider, members, password, secureContext };
};

const textOf = (file: string, what: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw failed(`${what} cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
};

const failed = (detail: string, cause?: unknown): FailureError =>
  new FailureError({ kind: "proxy", detail }, { cause });
