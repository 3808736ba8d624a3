import type { NewJob } from "../../client.ts";
import { rateText } from "../text.ts";
import type { Submission } from "./verbs.ts";

/** The request that creates the job, for a server or in this process. Its inputs follow as an upload. */
export const jobRequest = (submission: Submission): NewJob => {
  const { scraper, perSecond, extracts, maxItems, inputsFrom } = submission;
  const { deadlineAt, isBatch: _, guardsTargets: __, ...options } = submission.options;
  return {
    scraper,
    ...(inputsFrom ? { inputsFrom } : { seal: false }),
    extracts,
    ...options,
    ...(deadlineAt !== undefined && { deadlineAt: new Date(deadlineAt).toISOString() }),
    ...(perSecond !== undefined && { pace: { perSecond } }),
    ...(maxItems !== undefined && { maxItems }),
  };
};

/** A new job whose upload failed before its first input would wait for inputs for ever. Errors are ignored: the user needs the first one. */
export const cancelIfEmpty = async (job: {
  readonly received: () => Promise<number | undefined>;
  readonly cancel: () => Promise<unknown>;
}): Promise<void> => {
  try {
    if ((await job.received()) === 0) await job.cancel();
  } catch {
    // the upload's error is thrown
  }
};

/** A job can only lower the pace of its scraper; undefined if `--rate` does that, or is not given. */
export const paceNote = (
  rate: number | undefined,
  { scraper, perSecond }: { readonly scraper: string; readonly perSecond: number },
): string | undefined =>
  rate === undefined || rate <= perSecond
    ? undefined
    : `--rate ${rate} has no effect: scraper ${scraper} allows ${rateText(perSecond)}. To go faster, declare a higher \`pace\` in the scraper.`;
