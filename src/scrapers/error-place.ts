import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const HOUSE = new URL("../", import.meta.url).href;
/** `at f (file:///x.ts:3:5)`, or the head that Node puts over an error of syntax: `/x.ts:3`. */
const FRAME = /(?:(file:\/\/[^\s()]+?)|^(\/[^():]+\.[cm]?[jt]s)):(\d+)(?::(\d+))?\)?$/;
/** The author's own line stands below those of the house that found the mistake. */
const FRAMES = 40;
const LONGEST_LINE = 100;

/**
 * Where in the author's own files something went wrong, with the line that stands there: a selector that cannot be read is found by the
 * field it is given to.
 */
export const errorPlace = (error: Error): string | undefined => {
  for (const line of (error.stack ?? "").split("\n")) {
    const [, found, path, row, column] = FRAME.exec(line.trim()) ?? [];
    const url = found ?? (path === undefined ? undefined : pathToFileURL(path).href);
    if (url === undefined || url.startsWith(HOUSE) || url.includes("/node_modules/")) continue;
    const place = [fileURLToPath(url), row, column].filter((part) => part !== undefined).join(":");
    const source = sourceLine(url, Number(row));
    return source === undefined ? place : `${place}: \`${source}\``;
  }
  return undefined;
};

/** Loads something such that an error in it can be placed. */
export const placingErrors = async <T>(load: () => Promise<T>): Promise<T> => {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  try {
    return await load();
  } finally {
    Error.stackTraceLimit = before;
  }
};

const sourceLine = (url: string, row: number): string | undefined => {
  try {
    const line = readFileSync(fileURLToPath(url), "utf8").split("\n")[row - 1]?.trim();
    return line === undefined || line === "" ? undefined : line.slice(0, LONGEST_LINE);
  } catch {
    return undefined;
  }
};
