import { readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isWithin, RANGES } from "../domain/number-range.ts";

export interface LogLimits {
  /** A file that has grown to this is set aside, and another begun. */
  readonly maxBytes: number;
  /** Files set aside that are kept; older ones are deleted. */
  readonly kept: number;
}

export const LOG_MAX_MB = { variable: "SLUICE_LOG_MAX_MB", usual: 64 };
export const LOG_KEEP = { variable: "SLUICE_LOG_KEEP", usual: 4 };

/** From the environment, which worker processes inherit; what cannot be is taken as not said. */
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

/** Two of one process in one millisecond have names of their own. */
let count = 0;

/**
 * Sets a log file aside under a name with the time, `worker.20261116T042309472-11905-1.jsonl`. Other processes append to the same file by its name: whatever
 * they are writing goes to the file set aside or to the new one, and no line is lost. Of two that come at the same time, the later finds a small
 * file and leaves it.
 */
export const rotateLog = (file: string, { maxBytes, kept }: LogLimits): void => {
  const stem = basename(file, ".jsonl");
  if (statSync(file).size < maxBytes) return;
  const at = new Date().toISOString().replaceAll(/[-:.Z]/g, "");
  renameSync(file, join(dirname(file), `${stem}.${at}-${process.pid}-${++count}.jsonl`));
  const aside = rotatedLogs(file);
  for (const old of aside.slice(0, Math.max(0, aside.length - kept))) rmSync(old, { force: true });
};

/** Those set aside, the oldest first. */
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
