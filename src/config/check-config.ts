import { ConfigError } from "./config-error.ts";
import type { Config } from "./define-config.ts";

const OPTIONS: readonly (keyof Config)[] = ["data", "scrapers"];

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
  const { data, scrapers }: { readonly data?: unknown; readonly scrapers?: unknown } = found;
  if (data !== undefined && !isPath(data)) return refuse('`data` must be a folder, such as "./data".');
  const isFolders = isPath(scrapers) || (Array.isArray(scrapers) && scrapers.every(isPath));
  if (scrapers !== undefined && !isFolders)
    return refuse('`scrapers` must be a folder, such as "./scrapers", or a list of folders.');
  return found;
};

const isPath = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
