import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { extname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import {
  type AuditEntry,
  pages,
  ProblemError,
  type Removal as ApiRemoval,
  type SluiceClient,
} from "../../client.ts";
import type { JobView } from "../../domain/job.ts";
import type { Removal } from "../../domain/removal.ts";
import type { ExportSettings } from "../../export/export-records.ts";
import { checkOutput } from "../../export/outputs/open-output.ts";
import { isReadOnce, lookInto, openBytesOnce } from "../../inputs/open-inputs.ts";
import { applyConfig } from "../../services/apply-config.ts";
import { UsageError } from "../exit.ts";
import { findAmong, newestJobs, RemovedJobError } from "../find-job.ts";
import { configuredPrices } from "../configured-prices.ts";
import { renderAccount } from "../render/report.ts";
import { shellWord } from "../text.ts";
import { itemOfApi, jobOfApi, laneOfApi } from "./api-views.ts";
import { remoteTarget } from "./remote-apply.ts";
import { remoteItems } from "./remote-items.ts";
import { sendInputs } from "./send-inputs.ts";
import { cancelIfEmpty, jobRequest } from "./submission.ts";
import type { PrunedPart, RemovingVerbs, Stopped, Submission, Submitted, Verbs } from "./verbs.ts";

const JOB_PAGE = 100;
const ITEM_PAGE = 1000;

/** The verbs of a server, over its API. */
export const openRemote = (client: SluiceClient, server: string): Verbs => {
  const allJobs = async function* (of: { readonly scraper?: string } = {}): AsyncGenerator<JobView> {
    for await (const job of pages((page) => client.listJobs({ ...of, ...page }), JOB_PAGE))
      yield jobOfApi(job);
  };
  const readJob = async (id: string): Promise<JobView | undefined> => {
    if (id === "" || id === "last") return undefined;
    try {
      return jobOfApi(await client.getJob(id));
    } catch (error) {
      await refuseRemoved(client, id, error);
      return undefined;
    }
  };
  const flag = ` --server ${shellWord(server)}`;
  return {
    flag,
    schedules: client.schedules,
    inputSets: client.inputSets,
    listJobs: ({ scraper, ...which } = { withTrials: false }) =>
      newestJobs(allJobs(scraper === undefined ? {} : { scraper }), which),
    findJob: async (named) => (await readJob(named)) ?? (await findAmong(allJobs(), named, `at ${server}`)),
    report: async (view) => ({
      lines: renderAccount(view, (view.endedAt ?? Date.now()) - view.createdAt, flag, configuredPrices()),
      json: {},
    }),
    controlJob: (job, to) => stop(client, job, to),
    sealJob: async (job) => ({ view: jobOfApi(await client.sealJob(job)) }),
    resumeJob: async (job, { newVersion, caps }) => ({
      view: jobOfApi(await client.resumeJob(job, { ...caps, ...(newVersion && { newVersion }) })),
    }),
    retryItems: async (job, filter) => (await client.retryJob(job, filter)).retried,
    async *items(job, { states, kinds, scraper }) {
      const query = {
        ...(states && { state: states }),
        ...(kinds && { kind: kinds }),
        ...(scraper !== undefined && { scraper }),
      };
      for await (const item of pages((page) => client.listItems(job, { ...query, ...page }), ITEM_PAGE))
        yield [itemOfApi(item)];
    },
    findItems: (job, item) => remoteItems(client, job, item),
    ...remoteRemovals(client),
    slowLanes: async () => [],
    writeResults: (job, output, settings) => writeResults(client, job, output, settings),
    apply: (declared, isDry) => applyConfig(remoteTarget(client), declared, { isDry }),
    submit: (submission) => submit(client, submission),
    deploy: (name, bundle, commit) =>
      client.deployScraper(name, bundle, { ...(commit !== undefined && { commit }) }),

    listVersions: (scraper) => client.versions.list(scraper),
    showVersion: (scraper, version = "newest") => client.versions.get(scraper, version),
    gateVersion: (scraper, version) => client.versions.gate(scraper, version),
    activateVersion: (scraper, version, how) => client.versions.activate(scraper, version, how),
    rollBackVersion: (scraper, how) => client.versions.rollBack(scraper, how),
    startCanary: (scraper, version, how) => client.versions.startCanary(scraper, version, how),
    endCanary: (scraper, how) => client.versions.endCanary(scraper, how),

    async *lanes() {
      for await (const lane of pages((page) => client.listLanes(page))) yield laneOfApi(lane, Date.now());
    },
    controlLane: async (lane, { isReset, ...to }) =>
      void (await client.controlLane(lane, { ...to, ...(isReset && { reset: true }) })),
    workers: async () => (await client.listWorkers()).data,
    scale: () => client.getScale(),

    listClients: async () => (await client.listClients()).data,
    addClient: (info) => client.createClient(info),
    changeClient: (name, to) => client.changeClient(name, to),
    listKeys: async (name) => (await client.listKeys(name)).data,
    makeKey: (name, role) => client.createKey(name, role),
    revokeKey: async (name, id) => void (await client.revokeKey(name, id)),
    async listAudit(query, limit) {
      const entries: AuditEntry[] = [];
      for await (const entry of pages(
        (page) => client.listAudit({ ...query, ...page }),
        Math.min(limit, 500),
      ))
        if (entries.push(entry) >= limit) break;
      return entries;
    },
    [Symbol.asyncDispose]: async () => {},
  };
};

const stop = async (client: SluiceClient, job: string, to: "pause" | "cancel"): Promise<Stopped> => {
  const stopped = to === "pause" ? await client.pauseJob(job) : await client.cancelJob(job);
  return { view: jobOfApi(stopped.job), isQuiet: stopped.isQuiet };
};

const submit = async (client: SluiceClient, submission: Submission): Promise<Submitted> => {
  const { onJob, input, format, inputsFrom } = submission;
  if (inputsFrom) {
    const { job } = await client.createJob(jobRequest(submission));
    onJob(job.id);
    return { view: jobOfApi(job) };
  }
  // Before there is a job that would wait for inputs. A file is opened again to be sent; a pipe stays open.
  const once = isReadOnce(input) ? await openBytesOnce(input, format) : undefined;
  if (!once) await lookInto(input, format);
  const job = submission.job ?? (await client.createJob(jobRequest(submission))).job.id;
  onJob(job);
  try {
    await sendInputs(client, job, submission, once);
  } catch (error) {
    if (submission.job === undefined)
      await cancelIfEmpty({
        received: async () => (await client.getJob(job)).counts.received,
        cancel: () => client.cancelJob(job, { waitMs: 0 }),
      });
    throw error;
  }
  return { view: jobOfApi(await client.getJob(job)) };
};

const FORMATS = { ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet" } as const;

const writeResults = async (
  client: SluiceClient,
  job: string,
  output: string | undefined,
  { scraper, extraction, gaps, changes, ...local }: ExportSettings,
): Promise<void> => {
  const [other] = Object.entries(local).filter(([, value]) => value !== undefined);
  if (other)
    throw new UsageError(
      `--${other[0]} is not available with --server. Leave it out, or export from a data folder.`,
    );
  const isFile = output !== undefined && output !== "-";
  if (isFile) checkOutput(output);
  const format = isFile ? FORMATS[extname(output).toLowerCase() as keyof typeof FORMATS] : "jsonl";
  const rows = await client.results(job, {
    format,
    ...(scraper !== undefined && { scraper }),
    ...(extraction !== undefined && { extraction }),
    ...(gaps !== undefined && { gaps }),
    ...(changes && { changes }),
  });
  const bytes = Readable.fromWeb(rows as Parameters<typeof Readable.fromWeb>[0]);
  if (!isFile) return await toStdout(bytes);
  // The file appears only when it is complete, as in a local export.
  const part = `${output}.part`;
  try {
    await pipeline(bytes, createWriteStream(part));
    await rename(part, output);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};

const toStdout = async (bytes: Readable): Promise<void> => {
  try {
    await pipeline(bytes, process.stdout, { end: false });
  } catch (error) {
    // The reader has seen enough, such as `head`.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
};

const LOOK_MS = 250;

/** Removals on a server, which deletes marked data by itself. */
export const remoteRemovals = (client: SluiceClient): RemovingVerbs => ({
  markRemoval: async (job, what) =>
    removalOfApi(await client.removeJob(job, what === "pages" ? { keep: "records" } : {})),
  async prune({ olderThanMs, keepsRecords, scraper }, isDry) {
    const parts: PrunedPart[] = [];
    for (let isMore = true; isMore;) {
      const pruned = await client.prune({
        dryRun: isDry,
        ...(olderThanMs !== undefined && { olderThanMs }),
        ...(keepsRecords && { keep: "records" }),
        ...(scraper !== undefined && { scraper }),
      });
      parts.push(...pruned.data.map((part) => ({ ...part, endedAt: Date.parse(part.endedAt) })));
      isMore = pruned.isMore;
    }
    return parts;
  },
  async finishRemoval(job, onProgress) {
    for (;;) {
      const removal = removalOfApi(await client.getRemoval(job));
      if (removal.isComplete) return removal;
      onProgress(removal);
      await delay(LOOK_MS);
    }
  },
  finishOthers: async () => {},
});

/** Throws for a job that the server has removed; returns if it never had it. */
export const refuseRemoved = async (client: SluiceClient, job: string, error: unknown): Promise<void> => {
  if (!(error instanceof ProblemError) || error.status !== 404) throw error;
  if (error.code !== "job-removed") return;
  throw new RemovedJobError(removalOfApi(await client.getRemoval(job)));
};

const removalOfApi = ({ createdAt, endedAt, removedAt, ...rest }: ApiRemoval): Removal => ({
  ...rest,
  createdAt: Date.parse(createdAt),
  endedAt: Date.parse(endedAt),
  removedAt: Date.parse(removedAt),
});
