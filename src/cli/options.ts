import type { JobCaps } from "../domain/job.ts";
import type { LogLevel } from "../worker/log.ts";
import type { InputFormat } from "../inputs/input-format.ts";

export { DEFAULT_DATA } from "../config/define-config.ts";

/** What every command that runs a job takes. */
interface WorkingOptions {
  /** Inputs: a path, or `-` for stdin. */
  readonly input?: string;
  readonly format?: InputFormat;
  readonly output?: string;
  readonly data: string;
  readonly processes: number;
  readonly logLevel: LogLevel;
  readonly json: boolean;
  readonly quiet: boolean;
}

export interface RunOptions extends WorkingOptions {
  readonly limit?: number;
  /** Requests a second in each lane; only ever lowers what the scraper asks for. */
  readonly rate?: number;
  /** Items in all, those found on the way included. */
  readonly maxItems?: number;
  /** False for `--no-extract`: the job only collects. */
  readonly extract: boolean;
}

export interface ResumeOptions extends WorkingOptions, CapOptions {
  /** Go on with the scraper as it is now. */
  readonly newVersion: boolean;
}

/** Limits of a job that goes on. */
export type CapOptions = JobCaps;

/** Where a command looks: at a server, where one is named, else in a data folder. */
export interface PlaceOptions {
  readonly data: string;
  readonly server?: string;
  /** For a server that lets nothing move, in milliseconds. */
  readonly timeout?: number;
  readonly json: boolean;
}

/** What the commands that only look at a data folder, or steer a job in it, take. */
export interface LookOptions {
  readonly data: string;
  readonly json: boolean;
}
