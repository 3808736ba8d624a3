import type { FailureKind } from "../../model/failure.ts";
import type { JobView } from "../../model/job.ts";
import { listExtractions } from "../../reextract/stored-extraction.ts";
import { durationText } from "../duration-text.ts";
import { EXIT } from "../exit-codes.ts";
import { findJob } from "../find-job.ts";
import { jobJson } from "../job-json.ts";
import { dataFlag } from "../next-steps.ts";
import { countText } from "../number-text.ts";
import { openExistingHouse } from "../open-existing-house.ts";
import type { LookOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { extractionJson, extractionLines } from "../render-extraction.ts";
import { renderReport } from "../report.ts";
import { textTable } from "../text-table.ts";

export const listJobsCommand = async ({ data, json }: LookOptions): Promise<number> => {
  await using house = await openExistingHouse(data);
  const jobs = await house.ledger.listJobs();
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
  const extractions = await listExtractions(house.blobs, view.spec.id);
  print(
    json
      ? [JSON.stringify({ ...jobJson(view), extractions: extractions.map(extractionJson) })]
      : [...renderReport(view, { data, tookMs }), ...extractionLines(extractions)],
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
  else
    print([
      `${id}: ${countText(count)} failed ${count === 1 ? "item" : "items"} put back. Run them with:`,
      `  ${resume}`,
    ]);
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
          `${id}: cancelled, with ${countText(cancelled)} ${cancelled === 1 ? "item" : "items"} that had not ended. What was collected is kept.`,
        ],
  );
  return EXIT.ok;
};
