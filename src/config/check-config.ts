import { parseNetwork } from "../model/address.ts";
import { unknownOption } from "../model/known-options.ts";
import { alertProblem } from "./check-alerts.ts";
import { ConfigError } from "./config-error.ts";
import { isMaxRetryAfter, MAX_RETRY_AFTER_WANTED } from "./lane-policy.ts";
import { type Config, CONFIG_OPTIONS, SERVER_OPTIONS } from "./define-config.ts";

/** The gate for `sluice.config.ts`: what passes here is trusted inside. */
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
    scrapers,
    allowTargets,
    maxRetryAfter,
    server,
    alerts,
  }: { readonly [option in keyof Config]?: unknown } = found;
  if (data !== undefined && !isPath(data)) return refuse('`data` must be a folder, such as "./data".');
  if (ledger !== undefined && !(isPath(ledger) && /^https?:$/.test(URL.parse(ledger)?.protocol ?? "")))
    return refuse('`ledger` must be the address of a controller, such as "https://sluice.example.org".');
  const isFolders = isPath(scrapers) || (Array.isArray(scrapers) && scrapers.every(isPath));
  if (scrapers !== undefined && !isFolders)
    return refuse('`scrapers` must be a folder, such as "./scrapers", or a list of folders.');
  if (allowTargets !== undefined && !(Array.isArray(allowTargets) && allowTargets.every(isTarget)))
    return refuse(
      '`allowTargets` must be a list of hosts and networks, such as ["wiki.internal", "10.1.0.0/16"].',
    );
  if (maxRetryAfter !== undefined && !isMaxRetryAfter(maxRetryAfter))
    return refuse(`\`maxRetryAfter\` must be ${MAX_RETRY_AFTER_WANTED}.`);
  const unknownInServer = unknownOption(server, SERVER_OPTIONS, "`server`");
  if (unknownInServer !== undefined) return refuse(unknownInServer);
  if (server !== undefined && !isServer(server))
    return refuse(
      '`server` must say where to listen, such as { host: "127.0.0.1", port: 7070 }, and for TLS also tls: { cert: "cert.pem", key: "key.pem" }.',
    );
  const problem = alerts === undefined ? undefined : alertProblem(alerts);
  if (problem !== undefined) return refuse(`\`alerts\`: ${problem}`);
  return found;
};

const isPath = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

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
