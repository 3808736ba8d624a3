import { setImmediate } from "node:timers/promises";
import type { JobSpec, JobView, RejectedInput } from "../domain/job.ts";
import { planInput } from "../pipeline/plan.ts";
import { type JobOptions as SpecOptions, jobSpecOf, proxiesProblem } from "../pipeline/submit.ts";
import type { Ledger, PlannedItem } from "../ports/ledger.ts";
import type { JobOptions } from "../schemas/job-options.ts";
import {
  compileScraper,
  type CompiledScraper,
  type JobPace,
  loweredPace,
} from "../scrapers/compiled-scraper.ts";
import { keepBundle } from "../scrapers/keep-bundle.ts";
import { canaryOf } from "./canaries.ts";
import type { ServiceContext } from "./context.ts";
import { readJob } from "./jobs.ts";
import { Problem } from "./problem.ts";
import { addWithinQuota, checkHoldings } from "./quotas.ts";
import type { Creation } from "./secrets.ts";
import { checkWebhook } from "./webhooks.ts";

interface NewJob {
  /** The job's id, and whether the job may exist already. */
  readonly creation: Creation;
  readonly client: string;
  readonly scraper: CompiledScraper;
  /** Sent with the job; more are uploaded later. */
  readonly inputs: readonly Readonly<Record<string, unknown>>[];
  readonly options: JobOptions;
  /** No more inputs will come. */
  readonly seal: boolean;
  /** The job must not reach into the operator's own network. False only for a person with access to the data folder. */
  readonly guardsTargets: boolean;
  readonly isBatch?: boolean;
  readonly extracts?: boolean | undefined;
  readonly maxItems?: number | undefined;
  readonly inputsFrom?: JobSpec["inputsFrom"];
  readonly firing?: JobSpec["firing"];
}

interface SubmittedJob {
  readonly view: JobView;
  readonly rejected: readonly RejectedInput[];
}

/** Others get their turn at the event loop after this time: the inputs may have megabytes. */
const TURN_MS = 10;
/** And after so many items were added; fewer if that takes long, as with items of many lanes. */
const MOST_ADDED = 500;
const LEAST_ADDED = 100;

/**
 * Creates a job with the inputs that came with it. Everything that can be wrong is found before the job is created. Repeated, it continues where the
 * first try stopped: a job that is sealed has all of its inputs.
 */
export const submitJob = async (context: ServiceContext, job: NewJob): Promise<SubmittedJob> => {
  const { ledger, now } = context;
  const { client, inputs, creation } = job;
  const id = creation.name;
  const { items, rejected } = await plan(context, job);
  if (inputs.length > 0 && items.length === 0) throw noInputFits(job.scraper, rejected);
  const begun = creation.isAgain ? await ledger.readJob(id) : undefined;
  const isOwn = begun?.spec.client === client;
  if (isOwn && begun.isSealed) return { view: begun, rejected };
  const missing = isOwn ? await missingItems(ledger, id, items) : items;
  // Rejected inputs are counted with the first items.
  const uncounted = isOwn && begun.counts.received > 0 ? [] : rejected;
  await addWithinQuota(context, { client, count: missing.length }, now, async () => {
    if (!isOwn) await create(context, job);
    if (missing.length + uncounted.length === 0) return;
    let at = 0;
    let size = LEAST_ADDED;
    do {
      if (at > 0) await setImmediate();
      const begunAt = performance.now();
      const some = missing.slice(at, at + size);
      await ledger.addItems(id, some, at === 0 ? uncounted : []);
      at += some.length;
      const isLong = performance.now() - begunAt > 2 * TURN_MS;
      size = isLong ? LEAST_ADDED : Math.min(MOST_ADDED, size * 2);
    } while (at < missing.length);
  });
  if (job.seal) await ledger.sealJob(id);
  return { view: await readJob(context, id), rejected };
};

const plan = async ({ laneOf }: ServiceContext, { scraper, inputs }: NewJob) => {
  const items: PlannedItem[] = [];
  const rejected: RejectedInput[] = [];
  let sinceMs = performance.now();
  for (const [at, value] of inputs.entries()) {
    if (performance.now() - sinceMs > TURN_MS) {
      await setImmediate();
      sinceMs = performance.now();
    }
    const planned = planInput(scraper.scraper, { line: at + 1, value }, laneOf);
    if ("item" in planned) items.push(planned.item);
    else rejected.push(planned.rejected);
  }
  return { items, rejected };
};

const create = async (context: ServiceContext, job: NewJob): Promise<void> =>
  await context.ledger.createJob(await prepareJob(context, job));

/** The job as the ledger gets it, after all checks, with its scraper's code stored. */
export const prepareJob = async (
  context: ServiceContext,
  job: Omit<NewJob, "inputs" | "seal"> & Partial<Pick<NewJob, "inputs">>,
): Promise<JobSpec> => {
  const { creation, client, scraper, options, guardsTargets, extracts = true, maxItems, isBatch } = job;
  const { inputsFrom, firing } = job;
  checkProxies(scraper, options.proxies);
  await checkWebhook(context, options.webhook);
  await checkHoldings(context, client, { isNew: true });
  const unkept = await keepBundle(context.blobs, scraper);
  if (unkept !== undefined) context.onUnkept?.(creation.name, unkept);
  const paceOf = ({ pace }: CompiledScraper): JobPace => loweredPace(pace, options.pace ?? {});
  const canary = extracts ? await canaryOf(context, scraper, job.inputs?.length ?? 0) : undefined;
  return jobSpecOf({
    ...(canary && { canaryOf: (spec) => canary(spec, paceOf) }),
    job: creation.name,
    client,
    // A job that only collects pages has no fields.
    ready: extracts ? scraper : await compileScraper(scraper, { extracts }),
    paceOf,
    options: {
      ...specOptions(options),
      ...(isBatch && { isBatch }),
      ...(guardsTargets && { guardsTargets }),
      ...(inputsFrom && { inputsFrom }),
      ...(firing && { firing }),
    },
    extracts,
    ...(maxItems !== undefined && { maxItems }),
  });
};

const checkProxies = (scraper: CompiledScraper, proxies: JobOptions["proxies"]): void => {
  const problem = proxiesProblem(scraper, proxies);
  if (problem !== undefined)
    throw new Problem("invalid-request", problem, { errors: [{ path: "proxies", message: problem }] });
};

const specOptions = ({ pace: _pace, deadlineAt, ...others }: JobOptions): SpecOptions => {
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(given) as SpecOptions),
    ...(deadlineAt !== undefined && { deadlineAt: Date.parse(deadlineAt) }),
  };
};

const PAGE = 500;

/** Items whose keys the job does not have yet. */
const missingItems = async (
  ledger: Pick<Ledger, "listItems">,
  job: string,
  items: readonly PlannedItem[],
): Promise<PlannedItem[]> => {
  const known = new Set<string>();
  const keys = [...new Set(items.map(({ key }) => key))];
  for (let at = 0; at < keys.length; at += PAGE) {
    const asked = keys.slice(at, at + PAGE);
    // Inputs have depth 0; the same key may also have been found on a page, for another scraper.
    const found = await ledger.listItems(job, { keys: asked, limit: Number.MAX_SAFE_INTEGER });
    for (const { key, depth } of found.items) if (depth === 0) known.add(key);
  }
  return items.filter(({ key }) => !known.has(key));
};

const SHOWN = 20;

const noInputFits = ({ scraper }: CompiledScraper, rejected: readonly RejectedInput[]): Problem =>
  new Problem(
    "no-input-fits",
    `Scraper ${scraper.name} accepts none of the ${rejected.length} inputs. GET /v1/scrapers/${scraper.name} shows the schema of an input.`,
    {
      errors: rejected
        .slice(0, SHOWN)
        .map(({ line, problem }) => ({ path: `inputs/${line - 1}`, message: problem })),
    },
  );
