import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Client, Key } from "../../client.ts";
import { laneOf, newKey, newWebhookSecret, openRegistry, openStorage, type Storage } from "../../compose.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import { changeShare } from "../../domain/change-share.ts";
import { jobId, type LaneState } from "../../domain/job.ts";
import { isAddressLane } from "../../domain/lane-name.ts";
import { exportJob } from "../../export/export-records.ts";
import { storedPath } from "../../export/kept-files.ts";
import { openOutput } from "../../export/outputs/open-output.ts";
import { openInputs } from "../../inputs/open-inputs.ts";
import { createJob, loadInputs } from "../../pipeline/submit.ts";
import type { JobLedger, Ledger } from "../../ports/ledger.ts";
import type { ClientInfo, KeyInfo, Registry } from "../../ports/registry.ts";
import { currentView } from "../../reextract/current-view.ts";
import { itemPages } from "../../archive/manifest.ts";
import { readSets } from "../../archive/extractions.ts";
import { compileScraper } from "../../scrapers/compiled-scraper.ts";
import { loadPinned } from "../../scrapers/load-pinned.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { isGone } from "../../worker/this-process.ts";
import { openExistingStorage, ownScraperName } from "../existing-storage.ts";
import { UsageError } from "../exit.ts";
import { allJobs, findJob, newestJobs } from "../find-job.ts";
import { paceAtRate } from "../rate-option.ts";
import { readNewVersion } from "../read-new-version.ts";
import { reapDead } from "../actions/supervise-job.ts";
import { extractionJson, extractionLines } from "../render/extraction.ts";
import { jobJson } from "../render/job-json.ts";
import { dataFlag } from "../options.ts";
import { jobLog, renderReport } from "../render/report.ts";
import { auditedVerbs } from "./audit-local.ts";
import { localItems } from "./local-items.ts";
import { localRemovals } from "./local-removals.ts";
import type { Steered, Submission, Submitted, Verbs } from "./verbs.ts";

/** Whose jobs they are that were started on this machine. */
const LOCAL_CLIENT = "local";
const LANE_PAGE = 200;
const QUIET_MS = 20_000;
const CORES = availableParallelism();

/** The verbs of a data folder on this machine. */
export const openLocal = async (data: string, { makes }: { readonly makes: boolean }): Promise<Verbs> => {
  const storage = makes ? await openStorage(data) : await openExistingStorage(data);
  const { ledger, blobs } = storage;
  let opened: Promise<Registry> | undefined;
  const registry = (): Promise<Registry> => (opened ??= openRegistry(data));
  const lanes = async function* (): AsyncGenerator<LaneState> {
    let after: string | undefined;
    for (;;) {
      const page = await ledger.listLanes({ limit: LANE_PAGE, ...(after !== undefined && { after }) });
      yield* page;
      if (page.length < LANE_PAGE) return;
      after = page.at(-1)!.lane;
    }
  };
  const verbs: Verbs = {
    flag: dataFlag(data),
    async listJobs({ scraper, ...which } = { withTrials: false }) {
      const of = scraper === undefined ? {} : { scraper: await ownScraperName(scraper) };
      return await newestJobs(allJobs(ledger, of), which);
    },
    findJob: (named) => findJob(ledger, named),
    async report(run) {
      const sets = await readSets(blobs, run.spec.id);
      const { extractions, current } = sets;
      const view = await currentView(storage, run, current);
      const tookMs = (view.endedAt ?? Date.now()) - view.createdAt;
      return {
        lines: [
          ...renderReport(view, {
            data,
            tookMs,
            log: logOf(data, view.spec.id),
            ...(extractions.length > 0 && { set: current ?? "first", run }),
          }),
          ...extractionLines(sets),
        ],
        json: {
          ...jobJson(view),
          current: current?.id ?? "first",
          extractions: extractions.map(extractionJson),
        },
      };
    },
    controlJob: (job, to) => steer(ledger, job, to),
    async sealJob(job) {
      await ledger.sealJob(job);
      return { view: (await ledger.readJob(job))! };
    },
    async resumeJob(job, { newVersion, caps, say }) {
      await reapDead(ledger);
      const isOverQuota = (await ledger.readJob(job))!.cappedBy.quota > 0;
      if (caps || isOverQuota) await ledger.raiseCaps(job, caps ?? {});
      await readNewVersion(storage, (await ledger.readJob(job))!, { isAsked: newVersion, cores: CORES, say });
      await ledger.controlJob(job, "resume");
      return { view: (await ledger.readJob(job))! };
    },
    retryItems: (job, filter) => ledger.retryItems(job, filter),
    async *items(job, filter) {
      for await (const items of itemPages(ledger, job, filter))
        yield items.map((item) => ({
          ...item,
          ...(item.skipped && { skipReason: item.skipped.reason }),
          json: item,
        }));
    },
    findItems: (job, key) => localItems(storage, job, key),
    ...localRemovals(storage),
    slowLanes: (job) => ledger.listLanes({ job, limit: 200 }),
    writeResults: async (job, output, settings) =>
      void (await exportJob(storage, job, openOutput(output), {
        ...settings,
        pathOfFile: storedPath(data),
      })),
    submit: (submission) => submit(storage, submission),

    lanes,
    async controlLane(lane, to) {
      if (isAddressLane(lane)) return await ledger.controlLane(lane, to);
      for await (const known of lanes()) if (known.lane === lane) return await ledger.controlLane(lane, to);
      throw new UsageError(
        `${lane}: no such lane. \`sluice lanes ls\` lists them; each comes with its first items.`,
      );
    },
    // Nobody has taken note yet of those that ended just now, or were killed.
    workers: async () => (await ledger.listWorkers()).filter((worker) => !isGone(worker)),

    listClients: async () => (await (await registry()).listClients()).map(clientView),
    async addClient({ name, ...share }) {
      const known = await registry();
      const webhookSecret = await newWebhookSecret();
      const bare: ClientInfo = {
        name,
        weight: 1,
        webhooks: [],
        secrets: [webhookSecret],
        createdAt: Date.now(),
      };
      const made = changeShare(bare, share);
      const card = await known.changeClient(name, (there) => (there ? undefined : made));
      if (card !== made) throw new UsageError(`${name}: there is a client of that name.`);
      await ledger.setShare(made.name, made);
      return { ...clientView(made), webhookSecret };
    },
    async changeClient(name, to) {
      const known = await registry();
      const card = await known.changeClient(name, (there) => there && changeShare(there, to));
      if (!card) throw new UsageError(`${name}: no such client. \`sluice clients add ${name}\` makes it.`);
      await ledger.setShare(card.name, card);
      return clientView(card);
    },
    listKeys: async (client) => (await (await registry()).listKeys(client)).map(keyView),
    async makeKey(client, role) {
      const known = await registry();
      if (!(await known.readClient(client)))
        throw new UsageError(`${client}: no such client. \`sluice clients add ${client}\` makes it.`);
      const { key, card } = await newKey(client, role);
      await known.saveKey(card);
      return { ...keyView(card), key };
    },
    async revokeKey(client, id) {
      const known = await registry();
      const isTheirs = (await known.listKeys(client)).some((key) => key.id === id);
      if (!isTheirs) throw new UsageError(`${id}: client ${client} has no such key.`);
      await known.revokeKey(id, Date.now());
    },
    listAudit: async ({ since, ...query }, limit) =>
      (
        await (
          await registry()
        ).listAudit({ ...query, limit, ...(since !== undefined && { sinceAt: Date.parse(since) }) })
      ).map(({ at, detail, ...entry }) => ({
        ...entry,
        at: isoTime(at),
        ...(detail !== undefined && { detail: JSON.parse(detail) as unknown }),
      })),
    async [Symbol.asyncDispose]() {
      await (await opened)?.close();
      await storage[Symbol.asyncDispose]();
    },
  };
  return auditedVerbs(verbs, registry);
};

/** What `sluice run` and `resume` have run has a log of its own; workers write one for all jobs. */
const logOf = (data: string, job: string): string => {
  const own = jobLog(data, job);
  return existsSync(own) ? own : jobLog(data, "worker");
};

const steer = async (ledger: Ledger, job: string, to: "pause" | "cancel"): Promise<Steered> => {
  await reapDead(ledger);
  await ledger.controlJob(job, to);
  const isQuiet = await untilQuiet(ledger, job);
  return { view: (await ledger.readJob(job))!, isQuiet };
};

const untilQuiet = async (ledger: JobLedger, job: string): Promise<boolean> => {
  const endsAt = performance.now() + QUIET_MS;
  for (;;) {
    const reply = await ledger.isQuiet(job);
    const view = reply.quiet ? await ledger.readJob(job) : undefined;
    // A cancelled job has its final numbers once what was in flight is counted.
    if (view && (view.state !== "cancelled" || view.endedAt !== undefined)) return true;
    if (performance.now() > endsAt) return reply.quiet;
    await delay(reply.quiet ? 50 : reply.againInMs);
  }
};

/** Made, and left to workers: `sluice worker`, `sluice serve --workers`, or `sluice resume`. */
const submit = async ({ ledger }: Storage, submission: Submission): Promise<Submitted> => {
  const { input, format, perSecond, extracts, maxItems, options, onProgress, onJob } = submission;
  const known = submission.job === undefined ? undefined : await ledger.readJob(submission.job);
  const ready = known
    ? await loadPinned(known.spec)
    : await compileScraper(await loadScraper(await resolveScraper(submission.scraper)), { extracts });
  const inputs = await openInputs(input, format, ready.scraper, laneOf);
  const job = known?.spec.id ?? jobId(new Date());
  const whole = {
    job,
    client: LOCAL_CLIENT,
    ready,
    paceOf: paceAtRate(perSecond),
    extracts,
    laneOf,
    inputs,
    options,
    onProgress,
    ...(maxItems !== undefined && { maxItems }),
  };
  if (!known) await createJob(ledger, whole);
  onJob(job);
  try {
    await loadInputs(ledger, whole);
  } catch (error) {
    if (!known) await cancelEmpty(ledger, job);
    throw error;
  }
  return { view: (await ledger.readJob(job))! };
};

/** A job that has taken no inputs would wait for them for ever. */
const cancelEmpty = async (ledger: JobLedger, job: string): Promise<void> => {
  const view = await ledger.readJob(job).catch(() => undefined);
  // What went wrong is what the user must hear.
  if (view?.counts.received === 0) await ledger.controlJob(job, "cancel").catch(() => undefined);
};

const isoTime = (at: number): string => new Date(at).toISOString();

const clientView = (card: ClientInfo): Client => ({
  name: card.name,
  weight: card.weight,
  itemsPerDay: card.itemsPerDay ?? null,
  maxRunning: card.maxRunning ?? null,
  requestsPerMinute: card.requestsPerMinute ?? null,
  maxOpenJobs: card.maxOpenJobs ?? null,
  maxStoredBytes: card.maxStoredBytes ?? null,
  createdAt: isoTime(card.createdAt),
});

const keyView = ({ id, client, role, prefix, createdAt, usedAt, revokedAt }: KeyInfo): Key => ({
  id,
  client,
  role,
  prefix,
  createdAt: isoTime(createdAt),
  ...(usedAt !== undefined && { usedAt: isoTime(usedAt) }),
  ...(revokedAt !== undefined && { revokedAt: isoTime(revokedAt) }),
});
