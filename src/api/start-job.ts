import { planInput } from "../pipeline/plan.ts";
import { createJob, type JobOptions } from "../pipeline/submit.ts";
import type { RejectedInput } from "../domain/job.ts";
import type { PlannedItem } from "../ports/ledger.ts";
import { loweredPace, type CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { Once } from "./api.ts";
import { checkHoldings } from "./holdings.ts";
import type { ServiceContext } from "./service-context.ts";
import { addWithinQuota } from "./items-quota.ts";
import { giveWay } from "./metrics/give-way.ts";
import { missingItems } from "./missing-items.ts";
import { Problem } from "./problem.ts";
import type { AskedOptions } from "./schemas/job-options.ts";

interface Start {
  /** The job's name, and whether it may be there already. */
  readonly once: Once;
  readonly client: string;
  readonly ready: CompiledScraper;
  readonly inputs: readonly Record<string, unknown>[];
  readonly asked: AskedOptions;
  readonly seals: boolean;
  readonly isBatch?: boolean;
  readonly extracts?: boolean;
  readonly maxItems?: number;
}

interface Started {
  readonly job: string;
  readonly rejected: readonly RejectedInput[];
}

/** Others get their turn at the event loop after so long: the inputs may have megabytes. */
const TURN_MS = 10;
/** And after so many that the ledger has taken. */
const BATCH = 500;

/**
 * A job with the inputs that came with it. Everything that can be wrong is found before it is made. Begun again, it goes on where the first try stopped: a
 * job that is sealed has all of its inputs.
 */
export const startJob = async (service: ServiceContext, start: Start, now: number): Promise<Started> => {
  const { ledger, laneOf } = service;
  const { client, ready, inputs, once } = start;
  const job = once.name;
  const items: PlannedItem[] = [];
  const rejected: RejectedInput[] = [];
  let sinceMs = performance.now();
  for (const [at, value] of inputs.entries()) {
    if (performance.now() - sinceMs > TURN_MS) {
      await giveWay();
      sinceMs = performance.now();
    }
    const planned = planInput(ready.scraper, { line: at + 1, value }, laneOf);
    if ("item" in planned) items.push(planned.item);
    else rejected.push(planned.rejected);
  }
  if (inputs.length > 0 && items.length === 0) throw misfits(ready, rejected);
  const begun = once.isAgain ? await ledger.readJob(job) : undefined;
  const isOwn = begun?.spec.client === client;
  if (isOwn && begun.isSealed) return { job, rejected };
  const missing = isOwn ? await missingItems(ledger, job, items) : items;
  // Rejected ones are counted with the first items.
  const uncounted = isOwn && begun.counts.received > 0 ? [] : rejected;
  await addWithinQuota(
    service,
    { client, count: missing.length },
    () => now,
    async () => {
      if (!isOwn) await makeJob(service, start);
      for (let at = 0; at < Math.max(1, missing.length); at += BATCH) {
        const some = missing.slice(at, at + BATCH);
        if (at > 0) await giveWay();
        if (some.length + uncounted.length > 0) await ledger.addItems(job, some, at === 0 ? uncounted : []);
      }
    },
  );
  if (start.seals) await ledger.sealJob(job);
  return { job, rejected };
};

const makeJob = async (service: ServiceContext, start: Start): Promise<void> => {
  const { once, client, ready, asked, extracts, maxItems, isBatch } = start;
  await checkWebhook(service, asked.webhook);
  await checkHoldings(service, client, { isNew: true });
  await createJob(service.ledger, {
    job: once.name,
    client,
    ready,
    paceOf: ({ pace }) => loweredPace(pace, asked.pace ?? {}),
    options: optionsOf(asked, isBatch),
    ...(extracts !== undefined && { extracts }),
    ...(maxItems !== undefined && { maxItems }),
  });
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

/** A webhook is a request that a client makes this service send. */
export const checkWebhook = async (
  { whyNotCall }: ServiceContext,
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

const misfits = ({ scraper }: CompiledScraper, rejected: readonly RejectedInput[]): Problem =>
  new Problem(
    "no-input-fits",
    `None of the ${rejected.length} inputs fits the scraper ${scraper.name}. GET /v1/scrapers/${scraper.name} says what it takes.`,
    {
      errors: rejected
        .slice(0, SHOWN)
        .map(({ line, problem }) => ({ path: `inputs/${line - 1}`, message: problem })),
    },
  );
