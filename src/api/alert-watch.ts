import {
  type AlertBook,
  type AlertRules,
  type AlertVerdict,
  beginMemory,
  type DueAlerts,
  endAlert,
  isNotice,
  type JobMemory,
  longestWindow,
  markOf,
  NOTICE_TYPES,
  raiseAlert,
  remember,
  type WatchedJob,
} from "../domain/alert-rules.ts";
import type { JobView } from "../domain/job.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import { readPage } from "../pipeline/notify.ts";
import type { ChannelMessage } from "../ports/channel.ts";
import type { EventType } from "../ports/event-log.ts";
import type { Ledger, LedgerEvent } from "../ports/ledger.ts";
import { openJobs } from "./progress-watch.ts";

interface Memory {
  readonly job: JobMemory;
  readonly earlier: readonly number[] | undefined;
}

/** The last jobs of a client and a scraper that are done, read once per look: a client may have a thousand new jobs. */
type DoneJobs = Map<string, readonly JobView[]>;

/** The name of this reader of the event log. */
const CONSUMER = "alerts";
/** Per look; the next one continues. */
const MOST_ENDS = 500;

export type WatchedLedger = Pick<Ledger, "events" | "listJobs" | "readJob">;

/**
 * Looks at jobs from time to time and remembers their state. The memory is not shared: a controller that takes over starts without it, and rules that need
 * more history leave alerts unchanged until there is enough.
 */
export class AlertWatch {
  readonly #ledger: WatchedLedger;
  readonly #windowSize: number;
  #known = new Map<string, Memory>();
  #lookedAt: number;
  /** Where the very first watch begins: jobs that ended before are not news. */
  #newAt: number | undefined;
  #upTo = 0;
  /** Events to notify people of, since the last check. */
  notices: readonly LedgerEvent[] = [];

  constructor(ledger: WatchedLedger, rules: AlertRules, now: number) {
    this.#ledger = ledger;
    this.#windowSize = longestWindow(rules);
    this.#lookedAt = now;
  }

  /** All running and paused jobs, and once more those that have ended since the last check. */
  async look(now: number): Promise<WatchedJob[]> {
    this.#newAt ??= await this.#ledger.events.last();
    const known = new Map<string, Memory>();
    const watched: WatchedJob[] = [];
    const done: DoneJobs = new Map();
    for await (const view of openJobs(this.#ledger)) {
      const memory = await this.#remember(view, now, done);
      known.set(view.spec.id, memory);
      watched.push({ view, memory: memory.job, earlier: memory.earlier });
    }
    // After the open jobs: a job that ends in between is seen twice, and none is missed.
    for (const id of await this.#ended(this.#newAt)) {
      const view = await this.#ledger.readJob(id);
      if (view?.state !== "done") continue;
      const { job, earlier } = await this.#remember(view, now, done);
      watched.push({ view, memory: job, earlier });
    }
    this.#known = known;
    this.#lookedAt = now;
    return watched;
  }

  /** No controller needs to look at these events again. */
  async moveOn(): Promise<void> {
    await this.#ledger.events.move(CONSUMER, this.#upTo);
  }

  async #ended(after: number): Promise<ReadonlySet<string>> {
    const types = ["job.completed", ...NOTICE_TYPES] as EventType[];
    const ends = { consumer: CONSUMER, after, types, limit: MOST_ENDS };
    const { events, upTo } = await readPage(this.#ledger.events, ends);
    this.#upTo = upTo;
    this.notices = events.filter(({ type }) => type !== "job.completed");
    return new Set(events.filter(({ type }) => type === "job.completed").map(({ job }) => job));
  }

  async #remember(view: JobView, now: number, done: DoneJobs): Promise<Memory> {
    const mark = markOf(view);
    const known = this.#known.get(view.spec.id);
    if (known) return { ...known, job: remember(known.job, mark, this.#windowSize, now) };
    const isFromStart = view.createdAt >= this.#lookedAt || mark.ended <= this.#windowSize;
    return { job: beginMemory(mark, isFromStart, now), earlier: await this.#earlierCounts(view, done) };
  }

  /** Field counts of the client's previous job with this scraper; its fields may have had another order. */
  async #earlierCounts({ spec, createdAt }: JobView, done: DoneJobs): Promise<readonly number[] | undefined> {
    const { client, scraper } = spec;
    const name = JSON.stringify([client, scraper]);
    const jobs =
      done.get(name) ?? (await this.#ledger.listJobs({ client, scraper, states: ["done"], limit: 10 }));
    done.set(name, jobs);
    const earlier = jobs.find((job) => job.spec.id !== spec.id && job.createdAt <= createdAt);
    return (
      earlier &&
      spec.fields.flatMap((field) => {
        const at = earlier.spec.fields.indexOf(field);
        return FIELD_STATUSES.map((_, status) =>
          at < 0 ? 0 : (earlier.fieldCounts[at * FIELD_STATUSES.length + status] ?? 0),
        );
      })
    );
  }
}

const MOST_LINES = 20;

/** One message for all due alerts. */
export const alertMessage = (book: AlertBook, { raised, over }: DueAlerts): ChannelMessage => {
  const alerts = `${raised.length} alert${raised.length === 1 ? "" : "s"}`;
  const parts = [
    ...(raised.length > 0 ? [alerts] : []),
    ...(over.length > 0 ? [`${over.length} resolved`] : []),
  ];
  const lines = [
    ...raised.map((id) => book[id]?.text ?? id),
    ...over.map((id) => `resolved: ${book[id]?.over ?? id}`),
  ];
  const left = lines.length - MOST_LINES;
  return {
    title: `Sluice: ${parts.join(", ")}`,
    lines: left > 0 ? [...lines.slice(0, MOST_LINES), `and ${left} more`] : lines,
  };
};

const idOf = (rule: string, job: string): string => `${rule} ${job}`;
const jobIn = (id: string): string => id.slice(id.indexOf(" ") + 1);

const subjectOf = ({ spec }: JobView): string => `${spec.scraper}, job ${spec.id} of ${spec.client}`;

/** Records the verdicts on one job. */
export const noteVerdicts = (
  book: AlertBook,
  view: JobView,
  verdicts: readonly AlertVerdict[],
  now: number,
): AlertBook => {
  let next = book;
  for (const verdict of verdicts) {
    const id = idOf(verdict.rule, view.spec.id);
    if (verdict.state === "bad") next = raiseAlert(next, id, `${subjectOf(view)}: ${verdict.text}`, now);
    else if (verdict.state === "good" && next[id]) next = endAlert(next, id, next[id].text);
  }
  return next;
};

/** Jobs with alerts that have ended: nothing will clear these alerts any more. */
export const endedSubjects = (book: AlertBook, open: ReadonlySet<string>): string[] => [
  ...new Set(
    Object.keys(book)
      .filter((id) => !isNotice(id))
      .map(jobIn),
  ).difference(open),
];

/** How long an alert about an ended job is retried. */
const WORTH_TELLING_MS = 24 * 60 * 60_000;

/** An alert that was not sent yet is sent first: a job that failed at its end is worth a message, a cancelled one is not. */
export const noteEnded = (
  book: AlertBook,
  job: string,
  view: JobView | undefined,
  now: number,
): AlertBook => {
  let next = book;
  for (const [id, { told, sinceAt }] of Object.entries(book))
    if (jobIn(id) === job && (told.length > 0 || view?.state !== "done" || now - sinceAt > WORTH_TELLING_MS))
      next = endAlert(
        next,
        id,
        view ? `${subjectOf(view)} has ended: ${countsOf(view)}` : `job ${job} is gone`,
      );
  return next;
};

const countsOf = ({ counts: { states } }: JobView): string =>
  `${states.done} done, ${states.absent} absent, ${states.failed} failed, ${states.cancelled} cancelled`;
