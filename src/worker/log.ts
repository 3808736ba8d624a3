import { appendFileSync } from "node:fs";
import { redactSecrets } from "../model/redact-secrets.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Facts = Readonly<Record<string, unknown>>;

/** One JSON line per event: `{"at":…,"level":…,"event":…, job, item, attempt, kind, …}`. */
export type Log = Readonly<Record<Exclude<LogLevel, "silent">, (event: string, facts?: Facts) => void>>;

/**
 * Appends to a file that several processes share: each line is one write. Texts that look like secrets are not written. A disk that is full
 * costs lines, and stops nobody.
 */
export const openLog = (file: string, level: LogLevel): Log => {
  const lowest = LOG_LEVELS.indexOf(level);
  const write =
    (name: Exclude<LogLevel, "silent">): Log["info"] =>
    (event, facts) => {
      if (LOG_LEVELS.indexOf(name) < lowest) return;
      const line = JSON.stringify({ at: new Date().toISOString(), level: name, event, ...facts }, redacted);
      try {
        appendFileSync(file, `${line}\n`, { mode: 0o600 });
      } catch {
        // There is nowhere else to say so.
      }
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
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
