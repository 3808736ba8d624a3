import { planInput } from "../flow/plan.ts";
import { createJob, type JobOptions } from "../flow/submit.ts";
import { jobId } from "../model/job-id.ts";
import type { RejectedInput } from "../model/job.ts";
import { type AddReply, LedgerError, type PlannedItem } from "../ports/ledger.ts";
import type { ReadyScraper } from "../scrapers/ready-scraper.ts";
import type { ControllerHouse } from "./house.ts";
import { itemsLeft, quotaProblem } from "./items-quota.ts";
import { loweredPace } from "./job-pace.ts";
import { Problem } from "./problem.ts";
import type { AskedOptions } from "./schemas/job-options.ts";

export interface Start {
  readonly client: string;
  readonly ready: ReadyScraper;
  readonly inputs: readonly Record<string, unknown>[];
  readonly asked: AskedOptions;
  readonly seals: boolean;
  readonly isBatch?: boolean;
  readonly extracts?: boolean;
  readonly maxItems?: number;
}

export interface Started extends AddReply {
  readonly job: string;
  readonly rejected: readonly RejectedInput[];
}

/** Names of one second may clash, rarely: another is drawn. */
const NAMES_DRAWN = 5;

/** A job with the inputs that came with it. Everything that can be wrong is found before it is made. */
export const startJob = async (house: ControllerHouse, start: Start, now: number): Promise<Started> => {
  const { ledger, laneOf } = house;
  const { client, ready, inputs, asked } = start;
  const items: PlannedItem[] = [];
  const rejected: RejectedInput[] = [];
  for (const [at, value] of inputs.entries()) {
    const planned = planInput(ready.scraper, { line: at + 1, value }, laneOf);
    if ("item" in planned) items.push(planned.item);
    else rejected.push(planned.rejected);
  }
  if (inputs.length > 0 && items.length === 0) throw misfits(ready, rejected);
  if (items.length > (await itemsLeft(house, client, now))) throw quotaProblem(client, now);
  await checkWebhook(house, asked.webhook);
  const { extracts, maxItems, isBatch } = start;
  const job = await createNamed(house, now, {
    client,
    ready,
    paceOf: loweredPace(asked.pace),
    options: optionsOf(asked, isBatch),
    ...(extracts !== undefined && { extracts }),
    ...(maxItems !== undefined && { maxItems }),
  });
  const none = { accepted: 0, folded: 0, capped: 0 };
  const added = inputs.length === 0 ? none : await ledger.addItems(job, items, rejected);
  if (start.seals) await ledger.sealJob(job);
  return { job, rejected, ...added };
};

const createNamed = async (
  { ledger }: ControllerHouse,
  now: number,
  submission: Omit<Parameters<typeof createJob>[1], "job">,
): Promise<string> => {
  for (let drawn = 1; ; drawn++) {
    const job = jobId(new Date(now));
    try {
      await createJob(ledger, { ...submission, job });
      return job;
    } catch (error) {
      const isTaken = error instanceof LedgerError && error.code === "job-exists";
      if (!isTaken || drawn === NAMES_DRAWN) throw error;
    }
  }
};

const optionsOf = (asked: AskedOptions, isBatch: boolean | undefined): JobOptions => {
  const { pace: _pace, deadlineAt, ...others } = asked;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(given) as JobOptions),
    ...(deadlineAt !== undefined && { deadlineAt: Date.parse(deadlineAt) }),
    ...(isBatch && { isBatch }),
    guardsTargets: true,
  };
};

/** A webhook is a request that a client makes this house send. */
export const checkWebhook = async (
  { whyNotCall }: ControllerHouse,
  webhook: string | undefined,
): Promise<void> => {
  if (webhook === undefined) return;
  const url = new URL(webhook);
  if (url.username !== "" || url.password !== "")
    throw new Problem(
      "forbidden-target",
      "A webhook's URL holds no user name or password: it is signed instead.",
    );
  const reason = await whyNotCall?.(url);
  if (reason !== undefined) throw new Problem("forbidden-target", `${url.host}: ${reason}`);
};

const SHOWN = 20;

const misfits = ({ scraper }: ReadyScraper, rejected: readonly RejectedInput[]): Problem =>
  new Problem(
    "no-input-fits",
    `None of the ${rejected.length} inputs fits the scraper ${scraper.name}. GET /v1/scrapers/${scraper.name} says what it takes.`,
    {
      errors: rejected
        .slice(0, SHOWN)
        .map(({ line, problem }) => ({ path: `inputs/${line - 1}`, message: problem })),
    },
  );
