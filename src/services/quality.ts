import {
  type DriftOptions,
  type Finding,
  judgeDrift,
  keyOf,
  learnPriors,
  MEASURES,
  type Priors,
  RECENT_RUNS,
} from "../domain/drift.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { JobView } from "../domain/job.ts";
import { type RunQuality, runShares, type StoredFinding } from "../domain/quality.ts";
import type { DocumentChange } from "../ports/documents.ts";
import { readSets } from "../archive/extractions.ts";
import { countQuality } from "../releases/count-quality.ts";
import { type Actor, isAtLeast, mayRead, noteOther, type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";

type Stores = Pick<ServiceContext, "ledger" | "blobs">;

/** Two years of weeks. */
const MOST_RUNS = 110;
const MOST_FINDINGS = 40;
const FINDINGS_PAGE = 500;
/** No scraper has this name. */
const PRIORS = "_priors";
const PRIOR_SCRAPERS = 200;

const runsOf = async ({ ledger }: Pick<Stores, "ledger">, scraper: string): Promise<RunQuality[]> => {
  const found = await ledger.documents.list("quality", {
    prefix: `${scraper}/`,
    newest: true,
    limit: MOST_RUNS,
  });
  return found.map(({ body }) => body as RunQuality);
};

const findingsOf = async (
  { ledger }: Pick<Stores, "ledger">,
  scraper: string,
): Promise<{ readonly name: string; readonly revision: number; readonly body: StoredFinding }[]> => {
  const found = await ledger.documents.list("finding", {
    prefix: `${scraper}/`,
    newest: true,
    limit: FINDINGS_PAGE,
  });
  return found.map(({ name, revision, body }) => ({ name, revision, body: body as StoredFinding }));
};

const nameOfRun = (scraper: string, endedAt: number, job: string): string =>
  `${scraper}/${isoTime(endedAt)}/${job}`;

interface NotingOptions extends DriftOptions {
  /** Even if only the current extraction has changed since it was counted, which takes a read of the archive to find out. */
  readonly renews?: boolean;
}

/** Counts a job again whose current extraction has changed, if it was counted before. */
export const renewQuality = async (stores: Stores, job: string): Promise<void> => {
  const scraper = (await stores.ledger.readJob(job))?.spec.scraper ?? "";
  if ((await runsOf(stores, scraper)).some((run) => run.job === job))
    await noteQuality(stores, job, { renews: true });
};

/**
 * Measures the quality of a job that has ended, compares it with earlier runs of the same client, and stores both. A job that
 * ended again is measured again. Undefined for jobs that did not end normally.
 */
export const noteQuality = async (
  stores: Stores,
  job: string,
  { renews = false, ...options }: NotingOptions = {},
): Promise<RunQuality | undefined> => {
  const { ledger } = stores;
  const view = await ledger.readJob(job);
  if (view?.state !== "done" || view.endedAt === undefined || !view.spec.extracts) return undefined;
  const { scraper, client } = view.spec;
  const all = await runsOf(stores, scraper);
  const known = all.find((run) => run.job === job);
  const isCounted = known?.endedAt === view.endedAt;
  if (isCounted && !renews) return known;
  const extraction = (await readSets(stores.blobs, job)).current?.id;
  if (isCounted && known.extraction === extraction) return known;
  const earlier = all.filter(
    (run) => run.client === client && run.job !== job && run.endedAt < view.endedAt!,
  );
  const counted = await countQuality(stores, view, {
    earlier: earlier.slice(0, RECENT_RUNS),
    before: await jobBefore(stores, view, earlier),
  });
  const findings = await findingsOf(stores, scraper);
  const priors = await readPriors(stores);
  const openOf = (of: string): string[] =>
    findings.filter(({ body }) => body.job === of && !body.accepted).map(({ body }) => keyOf(body));
  const {
    findings: found,
    run: _,
    ...drift
  } = judgeDrift(
    runShares(counted.quality),
    earlier.map((run) => runShares(run, openOf(run.job))),
    { priors, ...options },
  );
  const kept = found.toSorted((a, b) => a.probability - b.probability).slice(0, MOST_FINDINGS);
  const stored = kept.map((finding, at): StoredFinding => ({
    ...finding,
    id: `${job}.${at + 1}`,
    scraper,
    client,
    job,
    at: view.endedAt!,
    examples: examplesOf(finding, counted.examples),
  }));
  const quality: RunQuality = { ...counted.quality, ...(extraction !== undefined && { extraction }), drift };
  const told = stored.map((finding, at) => ({
    kind: "finding" as const,
    name: `${scraper}/${isoTime(finding.at)}/${job}.${String(at + 1).padStart(2, "0")}`,
    body: finding,
  }));
  const old: DocumentChange[] = [
    ...(known && !isCounted
      ? [{ kind: "quality" as const, name: nameOfRun(scraper, known.endedAt, job), body: null }]
      : []),
    ...findings
      .filter(({ name, body }) => body.job === job && !told.some((one) => one.name === name))
      .map(({ name }) => ({ kind: "finding" as const, name, body: null })),
  ];
  const reply = await ledger.documents.commit({
    changes: [
      ...old,
      {
        kind: "quality",
        name: nameOfRun(scraper, view.endedAt, job),
        body: quality,
        ...(!isCounted && { expected: 0 }),
      },
      ...told,
    ],
    events: stored.length === 0 ? [] : [{ type: "drift.found", job, facts: factsOf(quality, stored) }],
  });
  // Another controller has measured it at the same time.
  return reply.committed ? quality : await noteQuality(stores, job, { renews, ...options });
};

const examplesOf = (
  { measure, fields, ...finding }: Finding,
  examples: ReadonlyMap<string, readonly string[]>,
): readonly string[] => {
  if (!fields) return examples.get(keyOf({ measure, ...finding })) ?? [];
  const all = fields.flatMap((field) => examples.get(keyOf({ measure, field })) ?? []);
  return [...new Set(all)].slice(0, 10);
};

const factsOf = ({ scraper, client }: RunQuality, findings: readonly StoredFinding[]) => ({
  scraper,
  client,
  findings: findings.length,
  blocking: findings.filter(({ level }) => level === "block").length,
  first: findingText(findings[0]!),
});

/** The previous run whose values are compared: the newest that still exists. */
const jobBefore = async (
  { ledger }: Stores,
  { spec, endedAt = 0 }: JobView,
  earlier: readonly RunQuality[],
): Promise<JobView | undefined> => {
  const [last] = earlier;
  const known = last && (await ledger.readJob(last.job));
  if (known) return known;
  const { client, scraper } = spec;
  const jobs = await ledger.listJobs({ client, scraper, states: ["done"], limit: 20 });
  return jobs.find((job) => job.spec.id !== spec.id && (job.endedAt ?? Infinity) < endedAt);
};

const readPriors = async ({ ledger }: Pick<Stores, "ledger">): Promise<Priors> =>
  ((await ledger.documents.read("quality", PRIORS))?.body as { readonly priors: Priors } | undefined)
    ?.priors ?? {};

/** Learns from the newest runs of all scrapers how much shares vary. Once a day is enough. */
export const renewPriors = async ({ ledger }: Pick<Stores, "ledger">, now: number): Promise<boolean> => {
  const known = await ledger.documents.read("quality", PRIORS);
  if (known && now - known.changedAt < DAY_MS) return false;
  const scrapers = [];
  let after = "";
  while (scrapers.length < PRIOR_SCRAPERS) {
    const [next] = await ledger.documents.list("quality", { after, limit: 1 });
    if (!next) break;
    const scraper = next.name.split("/")[0]!;
    // The first name after all of this scraper's: "0" follows "/".
    after = `${scraper}0`;
    if (scraper === PRIORS) continue;
    const runs = await ledger.documents.list("quality", {
      prefix: `${scraper}/`,
      newest: true,
      limit: RECENT_RUNS,
    });
    scrapers.push(runs.map(({ body }) => runShares(body as RunQuality)));
  }
  if (scrapers.length === 0) return false;
  await ledger.documents.commit({
    changes: [{ kind: "quality", name: PRIORS, body: { priors: learnPriors(scrapers) } }],
  });
  return true;
};

const DAY_MS = 86_400_000;

interface ScraperDrift {
  readonly scraper: string;
  /** Newest first. */
  readonly runs: readonly RunQuality[];
  readonly findings: readonly StoredFinding[];
}

/** The runs of a scraper and the findings about them, newest first: of the actor's own jobs, or of all jobs for operators. */
export const readDrift = async (
  context: Pick<ServiceContext, "ledger">,
  actor: Actor,
  scraper: string,
  { limit, isOpen = false }: { readonly limit: number; readonly isOpen?: boolean },
): Promise<ScraperDrift> => {
  const runs = (await runsOf(context, scraper)).filter(({ client }) => mayRead(actor, client));
  const findings = (await findingsOf(context, scraper)).map(({ body }) => body);
  const own = findings.filter(({ client, accepted }) => mayRead(actor, client) && !(isOpen && accepted));
  return { scraper, runs: runs.slice(0, limit), findings: own.slice(0, limit) };
};

/**
 * Accepts a finding with a reason: its run becomes part of the baseline, and the finding no longer blocks releases. Accepting it
 * again changes nothing.
 */
export const acceptFinding = async (
  { ledger, now }: Pick<ServiceContext, "ledger" | "now">,
  actor: Actor,
  { scraper, id, reason }: { readonly scraper: string; readonly id: string; readonly reason: string },
): Promise<StoredFinding> => {
  const found = (await findingsOf({ ledger }, scraper)).find(({ body }) => body.id === id);
  const isTheirs = found && (isAtLeast(actor.role, "operator") || found.body.client === actor.client);
  if (!isTheirs) throw new Problem("not-found", `${shown(id)}: ${shown(scraper)} has no such finding.`);
  if (found.body.accepted) return found.body;
  noteOther(actor, found.body.client);
  const body: StoredFinding = { ...found.body, accepted: { at: now(), by: actor.client, reason } };
  const { name, revision } = found;
  const reply = await ledger.documents.commit({
    changes: [{ kind: "finding", name, expected: revision, body }],
  });
  return reply.committed ? body : await acceptFinding({ ledger, now }, actor, { scraper, id, reason });
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** The finding as one sentence. */
export const findingText = ({ field, fields, measure, share, expected, runs }: Finding): string => {
  const about = field ?? (fields ? `${fields.length} fields together` : "the run");
  const now = percent(share.hits / share.of);
  return `${about}: ${now} ${MEASURES[measure].says}; ${percent(expected)} were expected from ${runs} earlier runs`;
};
