import { FailureError } from "../domain/failure.ts";
import { ended } from "../domain/stage.ts";
import type { InputsFrom, ItemsOf } from "../domain/inputs-from.ts";
import type { ItemView } from "../domain/item.ts";
import type { JobSpec, JobView } from "../domain/job.ts";
import { DigestTable } from "../inputs/digest-table.ts";
import { InputError, type InputRow } from "../inputs/input-format.ts";
import { readList, writeList } from "../inputs/input-list.ts";
import { readInputs } from "../inputs/read-inputs.ts";
import { BlobError } from "../ports/blobs.ts";
import type { ItemQuery, Ledger } from "../ports/ledger.ts";
import { type Actor, LOCAL_ACTOR, type ServiceContext, shown } from "./context.ts";
import { checkSource, isLasting } from "./fire-schedule.ts";
import { findVersion } from "./input-sets.ts";
import { Problem } from "./problem.ts";
import { firingChange, readFiring } from "./schedule-documents.ts";
import { uploadInputs } from "./upload.ts";

type Loads = Pick<ServiceContext, "ledger" | "registry" | "blobs" | "laneOf" | "now" | "readUrl">;

/**
 * Loads the inputs of a job with `inputsFrom`, then seals it. After a crash it continues where it stopped: inputs from a source
 * that may change are stored once, before the first one is loaded, and the job's upload records how many were accepted.
 */
export const loadInputs = async (context: Loads, { spec }: JobView, signal: AbortSignal): Promise<void> => {
  try {
    const rows = await openRows(context, spec, spec.inputsFrom!, signal);
    const isGone = (): boolean => signal.aborted;
    await uploadInputs(context, LOCAL_ACTOR, spec.id, { rows: () => rows, offset: 0, seal: true, isGone });
  } catch (error) {
    const why = lastingReason(error);
    if (signal.aborted || why === undefined) throw error;
    await giveUp(context, spec, why);
  }
};

/** Why another attempt would not help; undefined if it may. */
const lastingReason = (error: unknown): string | undefined => {
  if (error instanceof FailureError) return error.failure.detail;
  if (isLasting(error) || error instanceof InputError) return error.message;
  return error instanceof Error ? lastingReason(error.cause) : undefined;
};

const openRows = async (
  context: Loads,
  spec: JobSpec,
  from: InputsFrom,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly InputRow[]>> => {
  const { blobs } = context;
  if ("set" in from)
    return readList(blobs, (await findVersion(context, LOCAL_ACTOR, from.set, from.version)).blob);
  if ("rows" in from) return batchOf(from.rows);
  const blob = `jobs/${spec.id}/inputs.ndjson.gz`;
  if (!(await isThere(context, blob))) await writeList(blobs, blob, readFrom(context, spec, from, signal));
  return readList(blobs, blob);
};

async function* batchOf(rows: readonly Readonly<Record<string, unknown>>[]): AsyncGenerator<InputRow[]> {
  yield rows.map((value, at) => ({ line: at + 1, value }));
}

const isThere = async ({ blobs }: Pick<Loads, "blobs">, blob: string): Promise<boolean> => {
  try {
    await blobs.get(blob, { offset: 0, length: 1 });
    return true;
  } catch (error) {
    if (error instanceof BlobError && error.code === "not-found") return false;
    throw error;
  }
};

const readFrom = (
  context: Loads,
  spec: JobSpec,
  from: Exclude<InputsFrom, { readonly set: string } | { readonly rows: unknown }>,
  signal: AbortSignal,
): AsyncIterable<readonly InputRow[]> => {
  if ("itemsOf" in from) return itemRows(context, spec, from.itemsOf);
  if ("file" in from) return readInputs(from.file);
  if (!context.readUrl) throw new Problem("bad-inputs", "Inputs from a URL are read by a controller only.");
  return readInputs(context.readUrl(new URL(from.url), signal), { name: from.url });
};

/** Checks `inputsFrom` of a client, and adds the current version of the set. */
export const jobInputsFrom = async (
  context: Pick<ServiceContext, "ledger">,
  actor: Actor,
  from: InputsFrom,
  {
    inputs,
    seal,
  }: { readonly inputs?: readonly unknown[] | undefined; readonly seal?: boolean | undefined } = {},
): Promise<InputsFrom> => {
  if (inputs || seal !== undefined)
    throw new Problem(
      "invalid-request",
      "`inputsFrom` replaces `inputs` and `seal`: the job is sealed when its inputs are loaded.",
    );
  checkSource(from, true);
  if (!("set" in from)) return from;
  return { set: from.set, version: (await findVersion(context, actor, from.set, from.version)).version };
};

/** The job ends with the inputs that it has, and its firing has the reason. */
const giveUp = async ({ ledger, now }: Loads, { id, firing }: JobSpec, why: string): Promise<void> => {
  const detail = `the inputs cannot be loaded: ${why}`;
  const stored = firing && (await readFiring(ledger, firing.schedule, firing.at));
  if (stored?.body.job === id) {
    const stages = ended(stored.body.stages, "collect", { ok: false, detail }, now());
    const reply = await ledger.documents.commit({
      changes: [firingChange({ ...stored.body, stages }, stored.revision)],
    });
    if (!reply.committed)
      throw new Problem("changed-meanwhile", `${id}: its firing was changed at the same time.`);
  }
  await ledger.controlJob(id, "cancel", { cause: "asked", reason: detail });
};

const PAGE = 1000;
/** How far back earlier runs are considered. */
const MOST_RUNS = 200;
const WEEK_MS = 7 * 86_400_000;

type Items = Pick<Loads, "ledger" | "now">;

/** Inputs of earlier jobs of the client, each key once. Only submitted inputs: those found on pages are found again. */
async function* itemRows(context: Items, spec: JobSpec, of: ItemsOf): AsyncGenerator<InputRow[]> {
  const seen = new DigestTable();
  let line = 0;
  for await (const items of chosenItems(context, spec, of)) {
    const rows: InputRow[] = [];
    for (const { key, input, depth } of items)
      if (depth === 0 && seen.add(key))
        rows.push({ line: ++line, value: input as Readonly<Record<string, unknown>> });
    yield rows;
  }
}

async function* chosenItems(
  { ledger, now }: Items,
  spec: JobSpec,
  { which, kinds, runs = 1, weeks = 1, scraper = spec.scraper, job }: ItemsOf,
): AsyncGenerator<readonly ItemView[]> {
  const earlier = await earlierJobs(ledger, spec, scraper, job);
  const last = earlier[0] ? [earlier[0]] : [];
  switch (which) {
    case "absent":
      for (const {
        spec: { id },
      } of last)
        yield* itemsOf(ledger, id, { scraper, states: ["absent"] });
      return;
    case "failed":
      for (const {
        spec: { id },
      } of last)
        yield* itemsOf(ledger, id, { scraper, states: ["failed"], ...(kinds && { kinds }) });
      return;
    case "changed": {
      const some = earlier.slice(0, runs);
      const blind = some.find(({ changes }) => changes === undefined);
      if (blind)
        throw new Problem(
          "no-changes",
          `${blind.spec.id}: the job does not record changes. Only jobs with \`freshness\` do.`,
        );
      for (const {
        spec: { id },
      } of some)
        for await (const items of itemsOf(ledger, id, { scraper }))
          yield items.filter(({ change }) => change === "new" || change === "changed");
      return;
    }
    case "unchecked": {
      const checked = new DigestTable();
      const sinceAt = now() - weeks * WEEK_MS;
      for (const {
        spec: { id },
        endedAt = Infinity,
      } of earlier) {
        if (endedAt < sinceAt) break;
        for await (const items of itemsOf(ledger, id, { scraper, states: ["done", "absent", "skipped"] }))
          for (const item of items) if ((item.endedAt ?? 0) >= sinceAt) checked.add(item.key);
      }
      for (const {
        spec: { id },
      } of earlier)
        for await (const items of itemsOf(ledger, id, { scraper }))
          yield items.filter(({ key }) => !checked.has(key));
      return;
    }
    default:
      which satisfies never;
  }
}

/** Newest first, only jobs that have ended. */
const earlierJobs = async (
  ledger: Pick<Ledger, "listJobs" | "readJob">,
  { id, client }: JobSpec,
  scraper: string,
  job: string | undefined,
): Promise<readonly JobView[]> => {
  if (job === undefined) {
    const jobs = await ledger.listJobs({ client, scraper, states: ["done", "cancelled"], limit: MOST_RUNS });
    return jobs.filter(({ spec }) => spec.id !== id);
  }
  const view = await ledger.readJob(job);
  if (view?.spec.client !== client) throw new Problem("not-found", `${shown(job)}: no such job.`);
  return [view];
};

async function* itemsOf(
  ledger: Pick<Ledger, "listItems">,
  job: string,
  query: Omit<ItemQuery, "limit" | "after">,
): AsyncGenerator<readonly ItemView[]> {
  for (let after: ItemQuery["after"]; ;) {
    const page = await ledger.listItems(job, { ...query, limit: PAGE, ...(after && { after }) });
    yield page.items;
    if (!page.next) return;
    after = page.next;
  }
}
