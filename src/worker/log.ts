import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isWithin, RANGES } from "../domain/number-range.ts";
import { redactSecrets } from "../domain/redact-secrets.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Facts = Readonly<Record<string, unknown>>;

/** One JSON line per event: `{"at":…,"level":…,"event":…, job, item, attempt, kind, …}`. */
export type Log = Readonly<Record<Exclude<LogLevel, "silent">, (event: string, facts?: Facts) => void>>;

/**
 * Appends to a file that several processes share: each line is one write. A large file is rotated. Texts that look like secrets are redacted. On a
 * full disk, lines are lost and work continues.
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
        // There is no other place to report it.
      }
    };
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
};

/** Returns the file's new size. It is opened by name each time, because it may have been rotated. */
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

export interface LogLimits {
  /** A file of this size is rotated. */
  readonly maxBytes: number;
  /** Rotated files to keep; older ones are deleted. */
  readonly kept: number;
}

export const LOG_MAX_MB = { variable: "SLUICE_LOG_MAX_MB", usual: 64 };
export const LOG_KEEP = { variable: "SLUICE_LOG_KEEP", usual: 4 };

/** From the environment, which worker processes inherit. Invalid values are ignored. */
export const logLimits = (environment: NodeJS.ProcessEnv = process.env): LogLimits => {
  const numberOf = (variable: string, range: keyof typeof RANGES, usual: number): number => {
    const said = environment[variable];
    const value = said === undefined || said === "" ? NaN : Number(said);
    return isWithin(RANGES[range], value) ? value : usual;
  };
  return {
    maxBytes: numberOf(LOG_MAX_MB.variable, "logMb", LOG_MAX_MB.usual) * 1e6,
    kept: numberOf(LOG_KEEP.variable, "logFiles", LOG_KEEP.usual),
  };
};

/** Makes names unique within a process and millisecond. */
let count = 0;

/**
 * Renames a log file to one with the time, `worker.20261116T042309472-11905-1.jsonl`. Other processes append by name: their lines go to the old or the
 * new file, and none is lost. If two processes rotate at once, the second finds a small file and leaves it.
 */
export const rotateLog = (file: string, { maxBytes, kept }: LogLimits): void => {
  const stem = basename(file, ".jsonl");
  if (statSync(file).size < maxBytes) return;
  const at = new Date().toISOString().replaceAll(/[-:.Z]/g, "");
  renameSync(file, join(dirname(file), `${stem}.${at}-${process.pid}-${++count}.jsonl`));
  const aside = rotatedLogs(file);
  for (const old of aside.slice(0, Math.max(0, aside.length - kept))) rmSync(old, { force: true });
};

/** Rotated files, oldest first. */
export const rotatedLogs = (file: string): string[] => {
  const stem = basename(file, ".jsonl");
  return readdirSync(dirname(file))
    .filter(
      (name) =>
        name.startsWith(`${stem}.`) && /^\d{8}T\d{9}-\d+-\d+\.jsonl$/.test(name.slice(stem.length + 1)),
    )
    .toSorted()
    .map((name) => join(dirname(file), name));
};

const pathOf = (data: string, job: string): string => join(data, "logs", `${job}.jsonl`);

export const openJobLog = (data: string, job: string, level: LogLevel): Log => {
  mkdirSync(join(data, "logs"), { recursive: true, mode: 0o700 });
  return openLog(pathOf(data, job), level);
};

/** The log of a job run by `sluice run` or `resume`; jobs of the service have none. */
export const removeJobLog = async (data: string, job: string): Promise<void> => {
  const file = pathOf(data, job);
  const folder = dirname(file);
  const aside = existsSync(folder) ? rotatedLogs(file) : [];
  for (const each of [file, ...aside]) await rm(each, { force: true });
};
