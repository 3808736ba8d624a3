import { existsSync, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Log, type LogLevel, openLog } from "./log.ts";
import { rotatedLogs } from "./rotate-log.ts";

const pathOf = (data: string, job: string): string => join(data, "logs", `${job}.jsonl`);

export const openJobLog = (data: string, job: string, level: LogLevel): Log => {
  mkdirSync(join(data, "logs"), { recursive: true, mode: 0o700 });
  return openLog(pathOf(data, job), level);
};

/** Of a job that `sluice run` or `resume` has run; jobs of the service have none of their own. */
export const removeJobLog = async (data: string, job: string): Promise<void> => {
  const file = pathOf(data, job);
  const folder = dirname(file);
  const aside = existsSync(folder) ? rotatedLogs(file) : [];
  for (const each of [file, ...aside]) await rm(each, { force: true });
};
