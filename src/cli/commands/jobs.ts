import type { FailureKind } from "../../model/failure.ts";
import type { JobView } from "../../model/job.ts";
import { readSets } from "../../reextract/job-sets.ts";
import { durationText } from "../duration-text.ts";
import { EXIT } from "../exit-codes.ts";
import { findJob, isTrial } from "../find-job.ts";
import { jobJson } from "../job-json.ts";
import { dataFlag } from "../next-steps.ts";
import { counted, countText } from "../number-text.ts";
import { openExistingHouse } from "../open-existing-house.ts";
import type { LookOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { extractionJson, extractionLines } from "../render-extraction.ts";
import { renderReport } from "../report.ts";
import { textTable } from "../text-table.ts";

export interface ListJobsOptions extends LookOptions {
  /** Those of `try` and `capture` too. */
  readonly all: boolean;
}

export const listJobsCommand = async ({ data, json, all }: ListJobsOptions): Promise<number> => {
  await using house = await openExistingHouse(data);
  const listed = await house.ledger.listJobs();
  const jobs = all ? listed : listed.filter((view) => !isTrial(view));
  print(json ? jobs.map((view) => JSON.stringify(jobJson(view))) : jobTable(jobs, printWidth(), Date.now()));
  return EXIT.ok;
};

const jobTable = (jobs: readonly JobView[], width: number, now: number): string[] => {
  if (jobs.length === 0) return ["No jobs yet. Start one with `sluice run`."];
  const number = (title: string) => ({ title, align: "right" as const });
  return textTable(
    [
      { title: "job" },
      { title: "state" },
      number("items"),
      number("done"),
      number("absent"),
      number("failed"),
      number("age"),
      { title: "scraper" },
    ],
    jobs.map(({ spec, state, counts: { accepted, states }, held, createdAt }) => [
      spec.id,
      held.length > 0 ? "held" : state,
      ...[accepted, states.done, states.absent, states.failed].map(countText),
      durationText(now - createdAt),
      spec.scraper,
    ]),
    width,
  );
};

export const showJobCommand = async (named: string, { data, json }: LookOptions): Promise<number> => {
  await using house = await openExistingHouse(data);
  const view = await findJob(house.ledger, named);
  const tookMs = (view.endedAt ?? Date.now()) - view.createdAt;
  const sets = await readSets(house.blobs, view.spec.id);
  const { extractions, current } = sets;
  print(
    json
      ? [
          JSON.stringify({
            ...jobJson(view),
            current: current?.id ?? "first",
            extractions: extractions.map(extractionJson),
          }),
        ]
      : [
          ...renderReport(view, { data, tookMs, ...(extractions.length > 0 && { set: current ?? "first" }) }),
          ...extractionLines(sets),
        ],
  );
  return EXIT.ok;
};

export interface RetryOptions extends LookOptions {
  readonly kind?: readonly FailureKind[];
}

export const retryJobCommand = async (named: string, { data, json, kind }: RetryOptions): Promise<number> => {
  await using house = await openExistingHouse(data);
  const { id } = (await findJob(house.ledger, named)).spec;
  const count = await house.ledger.retryItems(id, kind ? { kinds: kind } : {});
  const resume = `sluice resume ${id}${dataFlag(data)}`;
  if (json) print([JSON.stringify({ job: id, retried: count })]);
  else if (count === 0)
    print([`${id}: no ${kind ? `items that failed with ${kind.join(" or ")}` : "failed items"}.`]);
  else print([`${id}: ${counted(count, "failed item")} put back. Run them with:`, `  ${resume}`]);
  return EXIT.ok;
};

export const cancelJobCommand = async (named: string, { data, json }: LookOptions): Promise<number> => {
  await using house = await openExistingHouse(data);
  const { id } = (await findJob(house.ledger, named)).spec;
  await house.ledger.steerJob(id, "cancel");
  const cancelled = (await house.ledger.readJob(id))?.counts.states.cancelled ?? 0;
  print(
    json
      ? [JSON.stringify({ job: id, cancelled })]
      : [
          `${id}: cancelled, with ${counted(cancelled, "item")} that had not ended. What was collected is kept.`,
        ],
  );
  return EXIT.ok;
};
