import { setTimeout as delay } from "node:timers/promises";
import type { Exchange, KeptPage } from "../domain/capture.ts";
import { AbsentError, type Failure, FailureError } from "../domain/failure.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import { jobId, TRIAL_CLIENT } from "../domain/job.ts";
import { judgePages } from "../devtools/run-case.ts";
import { compileExtraction, type Extraction } from "../extraction/extract-spec.ts";
import { extract } from "../pipeline/extract.ts";
import { type LaneOf, planInput } from "../pipeline/plan.ts";
import { createJob, loadInputs } from "../pipeline/submit.ts";
import type { Collector, Http, Page } from "../ports/collector.ts";
import type { JobLedger } from "../ports/ledger.ts";
import type { Storage } from "../ports/storage.ts";
import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { jobScrapers, type LoadedJob } from "../scrapers/load-pinned.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import { judgeRecord } from "../domain/judgement.ts";
import type { ItemView } from "../domain/item.ts";
import { extractOf } from "./extract-spec.ts";
import { RecordedAnswer } from "./location.ts";
import { runChain } from "./run-chain.ts";
import { type CallType, callsOf, type Run, type SeenExchange } from "./run.ts";
import type { ProbeOptions, Probed } from "./settle-chain.ts";

type Watch = <Kind extends CollectorKind>(collector: Collector<Kind>) => Collector<Kind>;

export interface SessionParts {
  readonly storage: Storage;
  readonly laneOf: LaneOf;
  /** Runs a worker for these jobs until the signal. */
  readonly work: (order: {
    readonly jobs: readonly string[];
    readonly loadJob: () => Promise<LoadedJob>;
    readonly watch: Watch;
    readonly signal: AbortSignal;
  }) => Promise<void>;
  readonly signal: AbortSignal;
}

/** How one input ended, and the calls of its pages. */
export type RanItem = Run & {
  readonly failure?: Failure;
  readonly files: readonly SeenFile[];
};

interface SeenFile {
  readonly name: string;
  readonly url: string;
}

interface Seen {
  readonly exchanges: SeenExchange[];
  pages: readonly KeptPage[];
  files: readonly SeenFile[];
}

const LOOK_MS = 100;

/**
 * Runs items for distilling, in this process and as jobs of their own: they share the pace of their lane with all workers of the storage, and what
 * they fetch is archived like any job's.
 */
export class DistillSession {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Each input with this scraper. `isRecorded`: with its calls, and in a new browser context, because what is cached is not asked for. */
  async run(
    ready: CompiledScraper,
    inputs: readonly Run["input"][],
    options: { readonly isRecorded?: boolean; readonly onEnd?: () => void } = {},
  ): Promise<RanItem[]> {
    const { ledger } = this.#parts.storage;
    const seen = new Map<string, Seen>();
    const keyOf = (input: Run["input"]): string => {
      const planned = planInput(ready.scraper, { line: 1, value: input }, this.#parts.laneOf);
      return "item" in planned ? planned.item.key : "";
    };
    const collect: AnyScraper["collect"] = async (context) => {
      const own = (context as unknown as { readonly seen: { all(): Promise<Seen> } }).seen;
      const key = keyOf(context.input as Run["input"]);
      seen.set(key, await own.all());
      await ready.scraper.collect(context);
      options.onEnd?.();
    };
    const watched = { ...ready, scraper: { ...ready.scraper, collect } };
    const job = await this.#submit(watched, inputs);
    await this.#work(job, watched, observing(options.isRecorded === true), async () => {
      for (;;) {
        const view = await ledger.readJob(job);
        if (!view || view.state === "done" || view.state === "paused" || view.state === "cancelled") return;
        await delay(LOOK_MS, undefined, { signal: this.#parts.signal }).catch(() => undefined);
        this.#parts.signal.throwIfAborted();
      }
    });
    const items = new Map((await allItems(ledger, job)).map((item) => [item.key, item]));
    return inputs.map((input) => {
      const key = keyOf(input);
      return ranItem(ready, input, items.get(key), seen.get(key));
    });
  }

  /** Tries chains, one input at a time, with one worker for all of them. */
  async probing<Result>(
    ready: CompiledScraper,
    use: (probe: (options: ProbeOptions) => Promise<Probed>) => Promise<Result>,
  ): Promise<Result> {
    const { ledger } = this.#parts.storage;
    const waiting = new Map<
      string,
      { readonly options: ProbeOptions; readonly done: (probed: Probed) => void }
    >();
    const { extract: own, site, headers, pace, lane, robots } = ready.scraper;
    const kept = { site, headers, pace, lane, robots };
    const scraper = {
      ...(Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) as typeof kept),
      name: ready.scraper.name,
      input: ANY_INPUT,
      key: (input: unknown) => (input as { probe: string }).probe,
      archive: "none",
      async collect({ input, http }: { readonly input: unknown; readonly http: Http }) {
        const asked = waiting.get((input as { probe: string }).probe);
        if (!asked) return;
        const { probed, rethrown } = await probeOnce(
          asked.options,
          http,
          compileExtraction(extractOf(asked.options.fields, own)),
        );
        asked.done(probed);
        if (rethrown) throw rethrown;
      },
    } as unknown as AnyScraper;
    const prober: CompiledScraper = {
      ...ready,
      scraper,
      extraction: undefined,
      emits: [],
      targets: new Map(),
    };
    const job = jobId(new Date());
    await createJob(ledger, { job, client: TRIAL_CLIENT, ready: prober, options: { maxAttempts: 1 } });
    let count = 0;
    const probe = async (options: ProbeOptions): Promise<Probed> => {
      const number = String(++count);
      const { promise, resolve, reject } = Promise.withResolvers<Probed>();
      const stop = (): void => reject(this.#parts.signal.reason as Error);
      this.#parts.signal.addEventListener("abort", stop, { once: true });
      waiting.set(number, { options, done: resolve });
      const value = {
        probe: number,
        ...(URL.canParse(String(options.input["url"])) && { url: options.input["url"] }),
      };
      const planned = planInput(scraper, { line: 1, value }, this.#parts.laneOf);
      if ("rejected" in planned) throw new Error(planned.rejected.problem);
      await ledger.addItems(job, [planned.item], []);
      return await promise.finally(() => this.#parts.signal.removeEventListener("abort", stop));
    };
    try {
      return await this.#work(
        job,
        prober,
        (collector) => collector,
        () => use(probe),
      );
    } finally {
      await ledger.controlJob(job, "cancel").catch(() => undefined);
    }
  }

  async #submit(ready: CompiledScraper, inputs: readonly Run["input"][]): Promise<string> {
    const { storage, laneOf } = this.#parts;
    const job = jobId(new Date());
    const rows = inputs.map((value, at) => ({ line: at + 1, value }));
    const submission = {
      job,
      client: TRIAL_CLIENT,
      ready,
      laneOf,
      inputs: (async function* () {
        yield rows;
      })(),
    };
    await createJob(storage.ledger, submission);
    await loadInputs(storage.ledger, submission);
    return job;
  }

  /** Runs a worker for the job while `use` runs. The job has always ended when this returns. */
  async #work<Result>(
    job: string,
    ready: CompiledScraper,
    watch: Watch,
    use: () => Promise<Result>,
  ): Promise<Result> {
    const { storage, work, signal } = this.#parts;
    const { spec } = (await storage.ledger.readJob(job))!;
    const loaded: LoadedJob = { spec, revision: 0, scrapers: jobScrapers(ready) };
    const stop = new AbortController();
    const working = work({
      jobs: [job],
      loadJob: async () => loaded,
      watch,
      signal: AbortSignal.any([stop.signal, signal]),
    });
    try {
      // If the worker fails, everything that waits for it fails.
      return await Promise.race([use(), working.then(() => stopped())]);
    } finally {
      stop.abort();
      await working.catch(() => undefined);
      const view = await storage.ledger.readJob(job);
      if (view && view.state !== "done" && view.state !== "cancelled")
        await storage.ledger.controlJob(job, "cancel");
    }
  }
}

const stopped = (): never => {
  throw new Error("the worker ended before its job did");
};

const ANY_INPUT: AnyScraper["input"] = {
  "~standard": { version: 1, vendor: "sluice", validate: (value) => ({ value }) },
};

/** Failure kinds that must be reported to the lane, although the chain is only tried. */
const HEARD = new Set<Failure["kind"]>(["rate-limited", "blocked", "captcha", "maintenance"]);

/** Sends the requests of a chain for one input. */
export const probeOnce = async (
  { steps, input, accept = [] }: ProbeOptions,
  http: Http,
  extraction: Extraction,
): Promise<{ readonly probed: Probed; readonly rethrown?: Error }> => {
  const answers: RecordedAnswer[] = [];
  const onPage = (_: number, page: Page): void => void answers.push(answerOfPage(page));
  const probed = (end: Probed["end"], lost = 0): { readonly probed: Probed } => ({
    probed: { answers, requests: answers.length + lost, end },
  });
  try {
    const pages = await runChain(steps, { input, http, onPage, accept });
    const raw = extract(
      extraction,
      pages.flatMap(({ url, status, mediaType, text }, at) => {
        const name = steps[at]?.keeps;
        return name === undefined ? [] : [{ name, url, status, mediaType, text }];
      }),
    );
    if ("failure" in raw) return probed(raw);
    return probed({ records: raw.records.map((record) => judgeRecord(record, extraction.required).fields) });
  } catch (error) {
    if (error instanceof AbsentError) return probed({ absent: true });
    if (!(error instanceof FailureError)) throw error;
    const { failure } = error;
    const ended = probed({ failure }, failure.url === undefined ? 0 : 1);
    return HEARD.has(failure.kind) ? { ...ended, rethrown: error } : ended;
  }
};

/** Pages are emptied when their item ends. */
const answerOfPage = ({ url, status, mediaType, text }: Page): RecordedAnswer =>
  new RecordedAnswer({ finalUrl: url, status, mediaType, text, responseHeaders: [] });

const TYPES: Readonly<Record<string, CallType>> = { Document: "document", XHR: "xhr", Fetch: "fetch" };

/** Gives the scraper one more tool, `seen`: what its item fetched, and what it kept once it has ended. */
const observing =
  (isRecorded: boolean): Watch =>
  (collector) => ({
    ...collector,
    async open(options) {
      const seen: Seen = { exchanges: [], pages: [], files: [] };
      const observe = (exchange: Exchange, type: string): void => {
        if (TYPES[type] !== undefined) seen.exchanges.push({ type: TYPES[type], exchange });
      };
      const { sharedBy, ...rest } = options;
      const session = await collector.open({
        ...rest,
        ...(!isRecorded && sharedBy !== undefined && { sharedBy }),
        tools: { ...options.tools, ...(isRecorded && { observe }) },
      });
      const watched = Object.create(session, {
        tools: { value: { ...session.tools, seen: { all: async () => seen } } },
        close: {
          value: async () => {
            seen.pages = session.kept.pages.map(({ name, url, status, mediaType, text }) => ({
              name,
              url,
              status,
              mediaType,
              text,
            }));
            seen.files = session.kept.files.map(({ name, url }) => ({ name, url }));
            await session.close();
          },
        },
      }) as typeof session;
      return watched;
    },
  });

const ranItem = (
  ready: CompiledScraper,
  input: Run["input"],
  item: ItemView | undefined,
  seen: Seen | undefined,
): RanItem => {
  const { exchanges = [], pages = [], files = [] } = seen ?? {};
  const calls = callsOf(exchanges.toSorted((a, b) => a.exchange.startedAt - b.exchange.startedAt));
  if (item?.state === "absent") return { input, records: undefined, calls, files };
  if (item?.state !== "done") {
    const failure = item?.failure ??
      item?.history.at(-1)?.failure ?? { kind: "worker-lost" as const, detail: "it did not run" };
    return { input, records: undefined, calls, files, failure };
  }
  const { records } = judgePages(ready, pages, { key: item.key, input });
  return { input, records: records.map(({ fields }) => fields), calls, files };
};

const allItems = async (ledger: JobLedger, job: string): Promise<ItemView[]> => {
  const found: ItemView[] = [];
  for (let after: ItemView["ref"] | undefined; ;) {
    const { items, next } = await ledger.listItems(job, { limit: 1000, ...(after && { after }) });
    found.push(...items);
    if (next === undefined) return found;
    after = next;
  }
};
