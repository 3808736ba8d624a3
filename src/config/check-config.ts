import { parseNetwork } from "../model/address.ts";
import { alertProblem } from "./check-alerts.ts";
import { ConfigError } from "./config-error.ts";
import type { Config } from "./define-config.ts";

const OPTIONS: readonly (keyof Config)[] = ["data", "scrapers", "allowTargets", "server", "alerts"];

/** The gate for `sluice.config.ts`: what passes here is trusted inside. */
export const checkConfig = (found: unknown, file: string): Config => {
  const refuse = (problem: string): never => {
    throw new ConfigError("bad-config", `${file}: ${problem}`);
  };
  if (typeof found !== "object" || found === null || Array.isArray(found))
    return refuse('has no default export. Write `export default defineConfig({ data: "./data" })`.');
  const unknown = Object.keys(found).find((name) => !(OPTIONS as readonly string[]).includes(name));
  if (unknown !== undefined)
    return refuse(`there is no option \`${unknown}\`. It takes: ${OPTIONS.join(", ")}.`);
  const { data, scrapers, allowTargets, server, alerts }: { readonly [option in keyof Config]?: unknown } =
    found;
  if (data !== undefined && !isPath(data)) return refuse('`data` must be a folder, such as "./data".');
  const isFolders = isPath(scrapers) || (Array.isArray(scrapers) && scrapers.every(isPath));
  if (scrapers !== undefined && !isFolders)
    return refuse('`scrapers` must be a folder, such as "./scrapers", or a list of folders.');
  if (allowTargets !== undefined && !(Array.isArray(allowTargets) && allowTargets.every(isTarget)))
    return refuse(
      '`allowTargets` must be a list of hosts and networks, such as ["wiki.internal", "10.1.0.0/16"].',
    );
  if (server !== undefined && !isServer(server))
    return refuse('`server` must say where to listen, such as { host: "127.0.0.1", port: 7070 }.');
  const problem = alerts === undefined ? undefined : alertProblem(alerts);
  if (problem !== undefined) return refuse(`\`alerts\`: ${problem}`);
  return found;
};

const isPath = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

const isServer = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false;
  const { host, port, ...others } = value as Readonly<Record<string, unknown>>;
  const isPort = Number.isInteger(port) && (port as number) >= 0 && (port as number) <= 65_535;
  return (
    Object.keys(others).length === 0 && (host === undefined || isPath(host)) && (port === undefined || isPort)
  );
};

/** A host without scheme and port, or a network. */
const isTarget = (value: unknown): boolean =>
  typeof value === "string" &&
  (parseNetwork(value) !== undefined || (/^[^\s/:]+$/.test(value) && URL.canParse(`http://${value}/`)));
