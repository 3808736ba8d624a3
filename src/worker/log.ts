import { appendFileSync } from "node:fs";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One JSON line per event: `{"at":…,"level":…,"event":…, job, item, attempt, kind, …}`. */
export type Log = Readonly<
  Record<Exclude<LogLevel, "silent">, (event: string, facts?: Readonly<Record<string, unknown>>) => void>
>;

/** Appends to a file that several processes share: each line is one write. */
export const openLog = (file: string, level: LogLevel): Log => {
  const lowest = LOG_LEVELS.indexOf(level);
  const write =
    (name: Exclude<LogLevel, "silent">): Log["info"] =>
    (event, facts) => {
      if (LOG_LEVELS.indexOf(name) < lowest) return;
      const line = JSON.stringify({ at: new Date().toISOString(), level: name, event, ...facts });
      appendFileSync(file, `${line}\n`);
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
};
