import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import { redactSecrets } from "../domain/redact-secrets.ts";
import { type LogLimits, logLimits, rotateLog } from "./rotate-log.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Facts = Readonly<Record<string, unknown>>;

/** One JSON line per event: `{"at":…,"level":…,"event":…, job, item, attempt, kind, …}`. */
export type Log = Readonly<Record<Exclude<LogLevel, "silent">, (event: string, facts?: Facts) => void>>;

/**
 * Appends to a file that several processes share: each line is one write. A file that has grown large is set aside. Texts that look like secrets
 * are not written. A disk that is full costs lines, and stops nobody.
 */
export const openLog = (file: string, level: LogLevel, limits: LogLimits = logLimits()): Log => {
  const lowest = LOG_LEVELS.indexOf(level);
  const write =
    (name: Exclude<LogLevel, "silent">): Log["info"] =>
    (event, facts) => {
      if (LOG_LEVELS.indexOf(name) < lowest) return;
      const line = JSON.stringify({ at: new Date().toISOString(), level: name, event, ...facts }, redacted);
      try {
        if (append(file, `${line}\n`) >= limits.maxBytes) rotateLog(file, limits);
      } catch {
        // There is nowhere else to say so.
      }
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
};

/** Answers how large the file is then. It is opened by its name each time, as it may have been set aside. */
const append = (file: string, text: string): number => {
  const opened = openSync(file, "a", 0o600);
  try {
    writeSync(opened, text);
    return fstatSync(opened).size;
  } finally {
    closeSync(opened);
  }
};

const redacted = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? redactSecrets(value) : value;

/** The same log, with these facts on every line. */
export const logWith = (log: Log, facts: Facts): Log => {
  const write =
    (name: Exclude<LogLevel, "silent">): Log["info"] =>
    (event, own) =>
      log[name](event, { ...facts, ...own });
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
};
