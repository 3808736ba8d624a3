import { readDuration } from "../model/duration.ts";
import { type OptionNames, unknownOption } from "../model/known-options.ts";
import type { Retention } from "../model/removal.ts";
import type { RetentionSetting } from "./scraper.ts";

const RETENTION_OPTIONS: OptionNames<RetentionSetting> = { pages: true, records: true };
const WANTED = 'takes durations, for example { pages: "90d", records: "2y" }';

/** What is wrong with a scraper's `retention`; undefined where nothing is. */
export const retentionProblem = (setting: unknown): string | undefined => {
  if (setting === undefined) return undefined;
  if (typeof setting !== "object" || setting === null || Array.isArray(setting))
    return `\`retention\` ${WANTED}.`;
  const unknown = unknownOption(setting, RETENTION_OPTIONS, "`retention`");
  if (unknown !== undefined) return unknown;
  for (const [word, value] of Object.entries(setting))
    if (typeof value !== "string" || readDuration(value) === undefined)
      return `\`retention.${word}\` is no duration: \`retention\` ${WANTED}. Units are s, m, h, d, w and y.`;
  const { pagesMs = 0, recordsMs = Infinity } = retentionOf(setting) ?? {};
  return pagesMs > recordsMs
    ? "`retention.pages` is longer than `retention.records`: with its records, a job's pages go too."
    : undefined;
};

/** In milliseconds. Call with a setting that has passed the check. */
export const retentionOf = ({ pages, records }: RetentionSetting): Retention | undefined => {
  const pagesMs = pages === undefined ? undefined : readDuration(pages);
  const recordsMs = records === undefined ? undefined : readDuration(records);
  if (pagesMs === undefined && recordsMs === undefined) return undefined;
  return { ...(pagesMs !== undefined && { pagesMs }), ...(recordsMs !== undefined && { recordsMs }) };
};
