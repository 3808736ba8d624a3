import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "../exit.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A file that only the user can read. */
export const keysFile = (environment: Environment = process.env): string =>
  join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "sluice", "servers.json");

/** The key for a server: `SLUICE_KEY` overrides the key stored by `sluice login`. */
export const keyFor = (server: string, environment: Environment = process.env): string | undefined =>
  environment["SLUICE_KEY"]?.trim() || readKeys(environment)[serverName(server)];

export const keepKey = (server: string, key: string, environment: Environment = process.env): string => {
  const file = keysFile(environment);
  const keys = { ...readKeys(environment), [serverName(server)]: key };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Written to a temporary file and renamed, so that a crash leaves the old keys.
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify({ servers: keys }, null, 2)}\n`, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, file);
  return file;
};

/** One spelling for each server. */
export const serverName = (server: string): string => {
  const url = URL.parse(server);
  if (url && (url.protocol === "http:" || url.protocol === "https:") && url.username === "")
    return url.origin;
  throw new UsageError(`${server}: not the address of a server. Expected for example http://127.0.0.1:7070.`);
};

const readKeys = (environment: Environment): Readonly<Record<string, string>> => {
  const file = keysFile(environment);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
  try {
    return (JSON.parse(text) as { readonly servers?: Record<string, string> }).servers ?? {};
  } catch {
    throw new UsageError(`${file}: it cannot be read. Remove it, and log in again with \`sluice login\`.`);
  }
};
