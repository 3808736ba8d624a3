import type { StorageLocation } from "../../ports/storage.ts";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { laneOf, openRegistry, openStorage } from "../../compose.ts";
import { LOCAL_CLIENT } from "../../domain/client.ts";
import { jobId, type LaneState } from "../../domain/job.ts";
import { exportJob } from "../../export/export-records.ts";
import { storedPath } from "../../export/kept-files.ts";
import { openOutput } from "../../export/outputs/open-output.ts";
import { openInputs } from "../../inputs/open-inputs.ts";
import type { Registry } from "../../ports/registry.ts";
import { currentView } from "../../reextract/current-view.ts";
import { readSets } from "../../archive/extractions.ts";
import { itemPages } from "../../archive/manifest.ts";
import { finishRemoval, finishRemovals } from "../../retention/finish-removals.ts";
import { loadPinned, retentionNow } from "../../scrapers/load-pinned.ts";
import { listAudit } from "../../services/audit.ts";
import {
  changeClient,
  createClient,
  createKey,
  listClients,
  listKeys,
  revokeKey,
} from "../../services/clients.ts";
import { LOCAL_ACTOR, type ServiceContext } from "../../services/context.ts";
import { deployScraper } from "../../services/deployments.ts";
import { localVersions } from "./local-versions.ts";
import { retryItems } from "../../services/items.ts";
import { applyConfig, ownTarget } from "../../services/apply-config.ts";
import { readJob, resumeJob, scraperOfJob, sealJob, stopJob } from "../../services/jobs.ts";
import { jobInputsFrom, loadInputs } from "../../services/load-inputs.ts";
import { controlLane } from "../../services/lanes.ts";
import { prune, removeJob } from "../../services/removals.ts";
import { ScaleWatch } from "../../services/scale.ts";
import { openCatalog } from "../../services/scraper-catalog.ts";
import { submitJob } from "../../services/submit.ts";
import { uploadInputs } from "../../services/upload.ts";
import { removeJobLog } from "../../worker/log.ts";
import { isGone } from "../../worker/this-process.ts";
import { allJobs, findJob, newestJobs } from "../find-job.ts";
import { dataFlag } from "../options.ts";
import { jobJson } from "../render/job-json.ts";
import { openExistingStorage } from "../existing-storage.ts";
import { NEW_VERSION_WAIT_MS, readNewVersion, waitText } from "../read-new-version.ts";
import { reapDead } from "../actions/supervise-job.ts";
import { extractionJson, extractionLines } from "../render/extraction.ts";
import { configuredPrices } from "../configured-prices.ts";
import { jobLog, renderReport } from "../render/report.ts";
import { auditedVerbs, localUser } from "./audit-local.ts";
import { localItems } from "./local-items.ts";
import { localSchedules } from "./local-schedules.ts";
import { cancelIfEmpty, jobRequest } from "./submission.ts";
import type { Submission, Submitted, Verbs } from "./verbs.ts";

const LANE_PAGE = 200;
const CORES = availableParallelism();

/** The verbs of a data folder on this machine: the same use cases as the server's routes, in this process. */
export const openLocal = async (
  location: StorageLocation,
  { makes }: { readonly makes: boolean },
): Promise<Verbs> => {
  const storage = makes ? await openStorage(location) : await openExistingStorage(location);
  const { ledger, blobs } = storage;
  let opened: Promise<Registry> | undefined;
  const registry = (): Promise<Registry> => (opened ??= openRegistry(location));
  const scrapers = openCatalog(undefined, { takesPaths: true, blobs, documents: ledger.documents });
  const common = { ledger, blobs, scrapers, laneOf, location, now: Date.now, retentionOf: retentionNow };
  /** Most commands need no registry: it is opened on demand. */
  const context = async (): Promise<ServiceContext> => ({ ...common, registry: await registry() });
  const removing = { ledger, blobs, removeLog: (job: string) => removeJobLog(location.data, job) };
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
    flag: dataFlag(location),
    ...localSchedules(context),
    async listJobs({ scraper, ...which } = { withTrials: false }) {
      const of = scraper === undefined ? {} : { scraper: await scrapers.ownName(scraper) };
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
            prices: configuredPrices(),
            location,
            tookMs,
            log: logOf(location.data, view.spec.id),
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
    async controlJob(job, to) {
      await reapDead(ledger);
      return await stopJob(common, LOCAL_ACTOR, job, { to });
    },
    sealJob: async (job) => ({ view: await sealJob(common, LOCAL_ACTOR, job) }),
    async resumeJob(job, { newVersion, caps, say }) {
      await reapDead(ledger);
      const view = await resumeJob(common, LOCAL_ACTOR, job, {
        ...(caps && { caps }),
        newVersion,
        waitMs: NEW_VERSION_WAIT_MS,
        onWait: (inFlight) => say(waitText(job, inFlight)),
        readPages: (now, isTaken) =>
          readNewVersion(storage, now, { isUnchanged: newVersion && !isTaken, cores: CORES, say }),
      });
      return { view };
    },
    retryItems: (job, filter) => retryItems(common, LOCAL_ACTOR, job, filter),
    async *items(job, filter) {
      for await (const items of itemPages(ledger, job, filter))
        yield items.map((item) => ({
          ...item,
          ...(item.skipped && { skipReason: item.skipped.reason }),
          json: item,
        }));
    },
    findItems: (job, key) => localItems(storage, job, key),
    slowLanes: (job) => ledger.listLanes({ job, limit: 200 }),
    async writeResults(job, output, settings) {
      const view = await findJob(ledger, job);
      const scraper = await scraperOfJob(common, view, settings.scraper);
      await exportJob(storage, job, openOutput(output), {
        ...settings,
        ...(scraper !== undefined && { scraper }),
        pathOfFile: storedPath(location),
      });
    },
    apply: async (declared, isDry) => await applyConfig(ownTarget(await context()), declared, { isDry }),
    submit: async (submission) => await submit(await context(), submission),
    deploy: (name, bundle, commit) => deployScraper(common, { name, bundle, commit, by: localUser() }),
    ...localVersions(common),

    async markRemoval(job, what) {
      await reapDead(ledger);
      return await removeJob(common, LOCAL_ACTOR, job, what);
    },
    async prune(wish, isDry) {
      await reapDead(ledger);
      return (await prune(common, wish, { isDry })).parts;
    },
    async finishRemoval(job, onProgress) {
      await finishRemoval({ ...removing, onProgress }, job);
      return (await ledger.removals.read(job))!;
    },
    async finishOthers(onRemoved) {
      await finishRemovals({ ...removing, onRemoved });
    },

    lanes,
    controlLane: (lane, to) => controlLane(common, lane, to),
    // Workers that have just ended or were killed may still be listed.
    workers: async () => (await ledger.listWorkers()).filter((worker) => !isGone(worker)),
    scale: () => new ScaleWatch({ ledger }).look(),

    listClients: async () => await listClients(await context()),
    addClient: async (client) => await createClient(await context(), client),
    changeClient: async (name, to) => await changeClient(await context(), name, to),
    listKeys: async (client) => await listKeys(await context(), client),
    makeKey: async (client, role) => await createKey(await context(), client, role),
    revokeKey: async (client, id) => void (await revokeKey(await context(), client, id)),
    listAudit: async (query, limit) => await listAudit(await context(), query, { limit }),
    async [Symbol.asyncDispose]() {
      await (await opened)?.close();
      await storage[Symbol.asyncDispose]();
    },
  };
  return auditedVerbs(verbs, registry);
};

/** `sluice run` and `resume` write a log for each job; workers write one for all jobs. */
const logOf = (data: string, job: string): string => {
  const own = jobLog(data, job);
  return existsSync(own) ? own : jobLog(data, "worker");
};

/** Leaves the job to workers: `sluice worker`, `sluice serve --workers`, or `sluice resume`. */
const submit = async (context: ServiceContext, submission: Submission): Promise<Submitted> => {
  const { ledger, scrapers } = context;
  const { input, format, onProgress, onJob, inputsFrom } = submission;
  const known = submission.job === undefined ? undefined : await ledger.readJob(submission.job);
  const scraper = known
    ? await loadPinned(known.spec, context.blobs)
    : await scrapers.find(submission.scraper);
  // Before there is a job that would wait for inputs.
  const rows = inputsFrom ? undefined : await openInputs(input, format, scraper.scraper, laneOf);
  const job = known?.spec.id ?? jobId(new Date());
  if (!known) {
    const {
      scraper: _name,
      inputsFrom: from,
      inputs = [],
      seal = false,
      extracts,
      maxItems,
      ...options
    } = jobRequest(submission);
    await submitJob(context, {
      creation: { name: job, isAgain: false },
      client: LOCAL_CLIENT,
      scraper,
      inputs,
      options,
      seal,
      guardsTargets: false,
      extracts,
      maxItems,
      ...(from && { inputsFrom: await jobInputsFrom(context, LOCAL_ACTOR, from) }),
    });
  }
  onJob(job);
  if (!rows) {
    await loadInputs(context, await readJob(context, job), new AbortController().signal);
    return { view: await readJob(context, job) };
  }
  try {
    await uploadInputs(context, LOCAL_ACTOR, job, { rows: () => rows, offset: 0, seal: true, onProgress });
  } catch (error) {
    if (!known)
      await cancelIfEmpty({
        received: async () => (await ledger.readJob(job))?.counts.received,
        cancel: () => ledger.controlJob(job, "cancel"),
      });
    throw error;
  }
  return { view: (await ledger.readJob(job))! };
};
