import { readDuration } from "../model/duration.ts";
import { isWithin, RANGES } from "../model/number-range.ts";
import { ConfigError } from "./config-error.ts";

/** Worker processes inherit it. */
const VARIABLE = "SLUICE_MAX_RETRY_AFTER";

export const isMaxRetryAfter = (value: unknown): boolean =>
  typeof value === "string" && isWithin(RANGES.retryAfterMs, readDuration(value));

export const MAX_RETRY_AFTER_WANTED = "a duration from 1s to 1d, for example 15m";

/** What the configuration says holds where the environment says nothing. */
export const takeLanePolicy = (project: { readonly maxRetryAfter?: string } | undefined): void => {
  if (project?.maxRetryAfter !== undefined) process.env[VARIABLE] ??= project.maxRetryAfter;
};

/** How long a site's `Retry-After` may hold a lane, in milliseconds; undefined where nothing was said. */
export const maxRetryAfterMs = (): number | undefined => {
  const text = process.env[VARIABLE];
  if (text === undefined || text === "") return undefined;
  if (!isMaxRetryAfter(text))
    throw new ConfigError("bad-config", `${VARIABLE} is ${text}: expected ${MAX_RETRY_AFTER_WANTED}.`);
  return readDuration(text)!;
};
