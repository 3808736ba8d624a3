import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Sluice's own files: a mistake that they find is the author's, and its place is not in them. */
const OWN_SOURCES = ["../", "../../bin/"].map((folder) => new URL(folder, import.meta.url).href);
/** `at f (file:///x.ts:3:5)`, or the head that Node puts over an error of syntax: `/x.ts:3`. */
const FRAME = /(?:(file:\/\/[^\s()]+?)|^(\/[^():]+\.[cm]?[jt]s)):(\d+)(?::(\d+))?\)?$/;
/** In the stack, the author's own line is below those of Sluice that found the error. */
const FRAMES = 40;
const LONGEST_LINE = 100;

/**
 * The place of an error in the author's own files, with that line: an invalid selector is found by the field that uses it.
 */
export const errorPlace = (error: Error): string | undefined => {
  const frame = authorFrame((error.stack ?? "").split("\n"));
  if (frame === undefined) return undefined;
  const place = [fileURLToPath(frame.url), ...frame.numbers].join(":");
  const source = sourceLine(frame.url, Number(frame.numbers[0]));
  return source === undefined ? place : `${place}: \`${source}\``;
};

/** `my.scraper.ts:12:5`, to be stored with an item. Undefined if the author's files are not in the stack. */
export const shortErrorPlace = (error: Error): string | undefined => {
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const frame = authorFrame(frames);
  return frame && [basename(fileURLToPath(frame.url)), ...frame.numbers].join(":");
};

const authorFrame = (
  lines: readonly string[],
): { readonly url: string; readonly numbers: readonly string[] } | undefined => {
  for (const line of lines) {
    const [, found, path, row, column] = FRAME.exec(line.trim()) ?? [];
    const url = found ?? (path === undefined ? undefined : pathToFileURL(path).href);
    if (url === undefined || url.includes("/node_modules/") || OWN_SOURCES.some((own) => url.startsWith(own)))
      continue;
    return { url, numbers: [row, column].filter((part) => part !== undefined) };
  }
  return undefined;
};

/** Loads something so that the place of an error in it can be found. */
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
