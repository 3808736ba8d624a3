import { readFileSync } from "node:fs";
import { keyFor, serverName } from "./service/stored-keys.ts";
import { UsageError } from "./usage-error.ts";

interface ControllerPlace {
  readonly url: string;
  /** Left out if the controller has no keys. */
  readonly key?: string;
}

/** The controller that a worker works for, with its key: of the file, else `SLUICE_KEY`, else the one that `sluice login` keeps. */
export const controllerAt = (url: string, keyFile: string | undefined): ControllerPlace => {
  serverName(url); // refuses what is no address
  const key = keyFile === undefined ? keyFor(url) : keyIn(keyFile);
  return { url, ...(key !== undefined && { key }) };
};

const keyIn = (file: string): string => {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--key-file ${file}: cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (/^\S+$/.test(text)) return text;
  throw new UsageError(
    `--key-file ${file}: expected one line with a key, as \`sluice clients key\` prints it.`,
  );
};
