import {
  canaryFindings,
  type CanaryNews,
  canaryPrefix,
  canaryShare,
  type CanaryVerdict,
  DEFAULT_CANARY,
  judgeCanary,
  newCanary,
  observe,
  WHOLE_ITEM,
} from "../domain/canary.ts";
import type { JobCanary } from "../domain/job-version.ts";
import type { JobSpec } from "../domain/job.ts";
import { narrowScraper } from "../domain/narrow-ladder.ts";
import { pinnedOf } from "../pipeline/submit.ts";
import type { StoredDocument } from "../ports/documents.ts";
import { checkFits } from "../reextract/take-new-version.ts";
import type { EndCanary, StartCanary, Version } from "../schemas/version.ts";
import type { CompiledScraper, JobPace } from "../scrapers/compiled-scraper.ts";
import { jobFields, jobScrapers } from "../scrapers/load-pinned.ts";
import { type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";
import {
  type CanaryRecord,
  changing,
  type Found,
  loadVersion,
  type Pointers,
  pointersChange,
  readPointers,
  readVersion,
  versionChange,
  versionRecord,
  type VersionRecord,
} from "./version-documents.ts";
import { activation, openJobsOf, showVersion, versionEvent } from "./versions.ts";

type Context = Pick<ServiceContext, "ledger" | "blobs" | "scrapers" | "laneOf" | "now">;

interface Starting extends StartCanary {
  readonly scraper: string;
  readonly version: string;
  readonly by: string;
}

/** New jobs run some of their items with the version; with `move`, so do jobs that have not ended. */
export const startCanary = async (
  context: Context,
  { scraper, version, by, share, tolerance = DEFAULT_CANARY.tolerance, move = false }: Starting,
): Promise<{ readonly version: Version; readonly moved: readonly string[] }> => {
  const { active } = (await readPointers(context.ledger, scraper)).body;
  if (active === undefined)
    throw new Problem(
      "version-refused",
      `${scraper} has no active version to compare a canary with. Activate one: sluice versions activate ${scraper}`,
    );
  if (active === version)
    throw new Problem("version-refused", `${scraper} ${version} is the active version already.`);
  const [before, after] = await Promise.all(
    [active, version].map(async (one) => (await loadVersion(context, scraper, one)).ready),
  );
  const why = misfit(before!, after!);
  if (why !== undefined)
    throw new Problem(
      "version-refused",
      `${scraper} ${version} cannot be a canary: ${why}. Activate it, or undo that change.`,
    );
  const fields = jobFields(jobScrapers(before!)).fields.filter((name) =>
    jobFields(jobScrapers(after!)).fields.includes(name),
  );
  const required = jobFields(jobScrapers(before!)).required.filter((name) => fields.includes(name));
  await changing(scraper, async () => {
    const pointers = await readPointers(context.ledger, scraper);
    const { canary: running } = pointers.body;
    if (running !== undefined && running !== version)
      throw new Problem(
        "version-refused",
        `${scraper} has a canary: ${running}. End it first: sluice versions canary ${scraper} --promote | --roll-back`,
      );
    const record = await versionRecord(context, scraper, version, by);
    const canary: CanaryRecord = {
      ...DEFAULT_CANARY,
      state: "running",
      fields: [...fields, WHOLE_ITEM],
      required: [...required, WHOLE_ITEM],
      share: share ?? 0.1,
      ...(share !== undefined && { ownShare: share }),
      tolerance,
      startedAt: context.now(),
      by,
      test: newCanary(),
      jobs: [],
      unread: [],
    };
    const changes = [
      pointersChange(scraper, pointers, { ...pointers.body, canary: version }),
      versionChange(scraper, version, record, { ...record.body, canary }),
    ];
    return { result: undefined, ...(await context.ledger.documents.commit({ changes })) };
  });
  const moved: string[] = [];
  if (move)
    for (const { spec, counts } of await openJobsOf(context, scraper)) {
      if (spec.canary || !spec.extracts) continue;
      await checkFits(context.ledger, spec, jobScrapers(after!, spec.scrapers), context.laneOf);
      const canary = canaryPins(spec, after!, share ?? canaryShare(counts.accepted));
      if (await context.ledger.changeVersions(spec.id, { to: "canary", canary })) moved.push(spec.id);
    }
  return { version: await showVersion(context, scraper, version), moved };
};

/** Why items of one job cannot run with both versions. */
const misfit = (before: CompiledScraper, after: CompiledScraper): string | undefined => {
  const [was, is] = [jobScrapers(before), jobScrapers(after)].map((all) =>
    all.map(({ ready }) => ready.scraper),
  );
  const names = (all: typeof was): string =>
    (all ?? [])
      .map(({ name }) => name)
      .toSorted()
      .join();
  if (names(was) !== names(is)) return "it emits to other scrapers";
  for (const scraper of is ?? []) {
    const other = was?.find(({ name }) => name === scraper.name);
    if ((scraper.kind ?? "http") !== (other?.kind ?? "http"))
      return `${scraper.name} is of kind ${scraper.kind ?? "http"} instead of ${other?.kind ?? "http"}`;
    if (scraper.archive === "none") return `${scraper.name} stores no pages, which a rollback reads again`;
  }
  return undefined;
};

const canaryPins = (
  spec: Pick<JobSpec, "scrapers" | "proxies">,
  ready: CompiledScraper,
  share: number,
  paceOf?: (one: CompiledScraper) => JobPace,
): JobCanary => {
  const pins = pinnedOf(jobScrapers(ready, spec.scrapers), paceOf);
  return { ...pins, scrapers: pins.scrapers.map((one) => narrowScraper(one, spec.proxies)), share };
};

/** The canary of a new job; undefined if the scraper has none. */
export const canaryOf = async (
  context: Pick<Context, "ledger" | "blobs">,
  { scraper, version }: CompiledScraper,
  items: number,
): Promise<
  | ((spec: Pick<JobSpec, "scrapers" | "proxies">, paceOf?: (one: CompiledScraper) => JobPace) => JobCanary)
  | undefined
> => {
  const { canary, active } = (await readPointers(context.ledger, scraper.name)).body;
  if (canary === undefined || active !== version) return undefined;
  const record = await readVersion(context.ledger, scraper.name, canary);
  const { ready } = await loadVersion(context, scraper.name, canary);
  const [last] = await context.ledger.listJobs({ scraper: scraper.name, limit: 1 });
  // More inputs may still arrive: a job is assumed to be as large as the previous one.
  const size = Math.max(items, last?.counts.accepted ?? 0);
  const share = record?.body.canary?.ownShare ?? canaryShare(size);
  return (spec, paceOf) => canaryPins(spec, ready, share, paceOf);
};

/** A person decides. */
export const endCanary = async (
  context: Context,
  { scraper, by, to, reason }: EndCanary & { readonly scraper: string; readonly by: string },
): Promise<Version> => {
  const version = await changing(scraper, async () => {
    const pointers = await readPointers(context.ledger, scraper);
    const { canary: running } = pointers.body;
    if (running === undefined)
      throw new Problem(
        "not-found",
        `${shown(scraper)} has no canary. Start one: sluice versions canary ${shown(scraper)} VERSION`,
      );
    const record = await versionRecord(context, scraper, running, by);
    const why = reason ?? `decided by ${by}`;
    const ended = await endedCanary(
      context,
      { scraper, version: running, pointers, record, by },
      to,
      why,
      [],
    );
    return { result: running, ...(await context.ledger.documents.commit(ended)) };
  });
  return await showVersion(context, scraper, version);
};

interface Ending {
  readonly scraper: string;
  readonly version: string;
  readonly pointers: Found<Pointers>;
  readonly record: Found<VersionRecord>;
  readonly by: string;
}

/** The commit that ends a canary: after it, no new job has the canary. Its jobs are changed afterwards, one by one. */
const endedCanary = async (
  context: Pick<Context, "ledger" | "now">,
  { scraper, version, pointers, record, by }: Ending,
  to: EndCanary["to"],
  reason: string,
  findings: readonly unknown[],
) => {
  const before = record.body.canary!;
  const open = (await openJobsOf(context, scraper)).filter(
    ({ spec }) => spec.canary?.scrapers[0]?.version === version,
  );
  const jobs = [...new Set([...before.jobs, ...open.map(({ spec }) => spec.id)])];
  const at = context.now();
  const canary: CanaryRecord = {
    ...before,
    state: to === "promote" ? "promoted" : "rolled-back",
    endedAt: at,
    reason,
    jobs,
    unread: jobs,
  };
  const { canary: _, ...rest } = pointers.body;
  const body = { ...record.body, canary };
  const promoted = to === "promote" && activation(rest, body, version, { at, by, how: "promoted" });
  const facts = { version, reason, items: canary.test.items, by, ...(findings.length > 0 && { findings }) };
  return {
    changes: [
      pointersChange(scraper, pointers, { ...(promoted ? promoted.pointers : rest), ending: version }),
      versionChange(scraper, version, record, promoted ? promoted.record : body),
    ],
    events: [
      versionEvent(to === "promote" ? "canary.promoted" : "canary.rolled-back", scraper, facts),
      ...(promoted ? [versionEvent("version.activated", scraper, { version, by, how: "promoted" })] : []),
    ],
  };
};

/** Anyone who is not a person. */
const JUDGE = "canary";
const MOST_NEWS = 50;

/**
 * Adds new results of a canary, and ends the canary if they are enough. The results are removed in the same commit. Returns
 * whether there were any.
 */
export const judgeNews = async (
  context: Pick<Context, "ledger" | "now">,
  scraper: string,
  version: string,
  random: () => number,
): Promise<boolean> => {
  const { documents } = context.ledger;
  const news = await documents.list("canary", { prefix: canaryPrefix(scraper, version), limit: MOST_NEWS });
  if (news.length === 0) return false;
  const [pointers, record] = [
    await readPointers(context.ledger, scraper),
    await readVersion(context.ledger, scraper, version),
  ];
  const canary = record?.body.canary;
  const taken = news.map(({ kind, name, revision }) => ({ kind, name, expected: revision, body: null }));
  if (!record || !canary) return (await documents.commit({ changes: taken })).committed;
  const jobs = [...new Set([...canary.jobs, ...news.map(({ body }) => (body as CanaryNews).job)])];
  if (canary.state !== "running" && canary.state !== "undecided") {
    // Items that were in flight, and jobs that began at that moment: they are changed and extracted again.
    const late = news.map(({ body }) => (body as CanaryNews).job);
    const next = { ...canary, jobs, unread: [...new Set([...canary.unread, ...late])] };
    const changes = [
      ...taken,
      versionChange(scraper, version, record, { ...record.body, canary: next }),
      pointersChange(scraper, pointers, { ...pointers.body, ending: version }),
    ];
    return (await documents.commit({ changes })).committed;
  }
  const test = news.reduce(
    (state, { body }) => observe(state, body as CanaryNews, canary, random),
    canary.test,
  );
  const verdict = judgeCanary(test, canary);
  const seen = { ...canary, jobs, test };
  const body = { ...record.body, canary: seen };
  const commit = async () => {
    switch (verdict.verdict) {
      case "bad":
      case "good": {
        const ending = { scraper, version, pointers, record: { ...record, body }, by: JUDGE };
        const to = verdict.verdict === "good" ? "promote" : "roll-back";
        return await endedCanary(
          context,
          ending,
          to,
          reasonOf(verdict),
          "findings" in verdict ? verdict.findings : [],
        );
      }
      case "undecided":
      case "going": {
        const isNew = verdict.verdict === "undecided" && canary.state === "running";
        const state = isNew ? ({ state: "undecided" } as const) : {};
        return {
          changes: [versionChange(scraper, version, record, { ...body, canary: { ...seen, ...state } })],
          ...(isNew && {
            events: [
              versionEvent("canary.undecided", scraper, {
                version,
                items: test.items,
                fields: canaryFindings(test).slice(0, 10),
              }),
            ],
          }),
        };
      }
      default:
        return verdict satisfies never;
    }
  };
  const { changes, ...rest } = await commit();
  return (await documents.commit({ changes: [...taken, ...changes], ...rest })).committed;
};

const reasonOf = (verdict: CanaryVerdict): string => {
  if (!("findings" in verdict)) return "no required field is worse";
  const [{ field, canary, control } = { field: "", canary: [0, 0], control: [0, 0] }] = verdict.findings;
  const what = field === WHOLE_ITEM ? "items failed or were absent" : `${field} was bad`;
  return `${what} in ${canary[1]} of ${canary[0]} items of the canary, and in ${control[1]} of ${control[0]} of the others`;
};

/** Canaries that need action: there are new results, or they have ended. */
export const canariesToDo = async ({
  ledger,
}: Pick<Context, "ledger">): Promise<readonly (readonly [scraper: string, version: string])[]> => {
  const news = await ledger.documents.list("canary", { limit: 500 });
  const found = new Set(news.map(({ name }) => name.split("/").slice(0, 2).join("/")));
  for (let after: string | undefined; ;) {
    const page: readonly StoredDocument[] = await ledger.documents.list("scraper", {
      limit: 500,
      ...(after !== undefined && { after }),
    });
    for (const { name, body } of page) {
      const { ending } = body as Pointers;
      if (ending !== undefined) found.add(`${name}/${ending}`);
    }
    after = page.at(-1)?.name;
    if (page.length < 500) break;
  }
  return [...found].map((name) => name.split("/") as [string, string]);
};

/**
 * Changes the jobs of a canary that has ended. After a rollback, extracts the canary's items again, using `readAgain` for each
 * job. A job that fails stays in the list.
 */
export const finishCanary = async (
  context: Pick<Context, "ledger">,
  scraper: string,
  version: string,
  readAgain: (job: string, version: string) => Promise<void>,
): Promise<void> => {
  const { ledger } = context;
  const canary = (await readVersion(ledger, scraper, version))?.body.canary;
  if (!canary || canary.state === "running" || canary.state === "undecided") return;
  for (const job of canary.unread) {
    const view = await ledger.readJob(job);
    if (view?.spec.canary?.scrapers[0]?.version === version)
      await ledger.changeVersions(job, { to: canary.state === "promoted" ? "promoted" : "rolled-back" });
    if (view && view.state !== "cancelled" && canary.state === "rolled-back") await readAgain(job, version);
    await changing(scraper, async () => {
      const record = (await readVersion(ledger, scraper, version))!;
      const now = record.body.canary!;
      const body = { ...record.body, canary: { ...now, unread: now.unread.filter((one) => one !== job) } };
      return {
        result: undefined,
        ...(await ledger.documents.commit({ changes: [versionChange(scraper, version, record, body)] })),
      };
    });
  }
  await changing(scraper, async () => {
    const [pointers, record] = [
      await readPointers(ledger, scraper),
      await readVersion(ledger, scraper, version),
    ];
    const isDone = record?.body.canary?.unread.length === 0 && pointers.body.ending === version;
    if (!isDone) return { committed: true, result: undefined };
    // Some of its items may still be in flight: their results are new, and start this again.
    const { ending: _, ...rest } = pointers.body;
    return {
      result: undefined,
      ...(await ledger.documents.commit({ changes: [pointersChange(scraper, pointers, rest)] })),
    };
  });
};
