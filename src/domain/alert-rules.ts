import type { JobView } from "./job.ts";
import { FIELD_STATUSES } from "./record.ts";

/** When alerts are sent; `false` turns a rule off. */
export interface AlertRules {
  /** The breaker has stopped a lane of a job. */
  readonly breaker: boolean;
  /** A proxy tier of a job does not work, or a lane waits because none does. */
  readonly proxy: boolean;
  /** More than this share of the last N tried items failed. */
  readonly failureShare: { readonly over: number; readonly last: number } | false;
  /** A running job has had no successful item for this long. */
  readonly noSuccess: { readonly forMs: number } | false;
  /** The share of records with a value in some field fell by this, over the last N items. */
  readonly completeness: { readonly drop: number; readonly last: number } | false;
  /** A version of a scraper was refused, or a canary was rolled back or needs a decision. */
  readonly versions: boolean;
  /** A run differs from earlier ones of its scraper so much that it holds releases. */
  readonly drift: boolean;
  /** A release of a dataset is held by its audit, or late. */
  readonly releases: boolean;
  /** A time of a schedule was missed, a firing failed, or three times in a row had no success. */
  readonly schedules: boolean;
}

export const DEFAULT_ALERT_RULES: AlertRules = {
  breaker: true,
  proxy: true,
  failureShare: { over: 0.2, last: 200 },
  noSuccess: { forMs: 30 * 60_000 },
  completeness: { drop: 0.2, last: 200 },
  versions: true,
  drift: true,
  releases: true,
  schedules: true,
};

export type AlertRule = keyof AlertRules;

/** `good` ends an alert, `unknown` does not change it. */
export type AlertVerdict = { readonly rule: AlertRule } & (
  | { readonly state: "bad"; readonly text: string }
  | { readonly state: "good" | "unknown" }
);

export interface WatchedJob {
  readonly view: JobView;
  readonly memory: JobMemory;
  /** Field counts of the scraper's previous job, in the same order; undefined if there is none. */
  readonly earlier?: readonly number[] | undefined;
}

/** An alert ends only when the value is this much better than the threshold: otherwise it would come and go at the border. */
const EASED = 0.8;
/** Fewer items than this say nothing about a job that has ended. */
const LEAST_ITEMS = 20;

export const judgeAlerts = (job: WatchedJob, rules: AlertRules, now: number): AlertVerdict[] => [
  ...(rules.breaker ? [breaker(job)] : []),
  ...(rules.proxy ? [proxy(job)] : []),
  ...(rules.failureShare ? [failureShare(job, rules.failureShare)] : []),
  ...(rules.noSuccess ? [noSuccess(job, rules.noSuccess, now)] : []),
  ...(rules.completeness ? [completeness(job, rules.completeness)] : []),
];

/** The largest number of items that a rule looks back on. */
export const longestWindow = ({ failureShare: failures, completeness: fields }: AlertRules): number =>
  Math.max(1, failures ? failures.last : 0, fields ? fields.last : 0);

const breaker = ({ view: { held } }: WatchedJob): AlertVerdict => {
  const [first] = held;
  if (!first) return { rule: "breaker", state: "good" };
  const lanes =
    held.length === 1
      ? `lane ${first.lane} is held`
      : `${held.length} lanes are held, for example ${first.lane}`;
  return { rule: "breaker", state: "bad", text: `${lanes}: ${first.reason}` };
};

const proxy = ({ view: { ladders = [], endedAt } }: WatchedJob): AlertVerdict => {
  const rule = "proxy";
  const held = ladders.find((one) => one.held !== undefined);
  if (endedAt !== undefined) return { rule, state: "good" };
  if (held) return { rule, state: "bad", text: `lane ${held.lane} waits: ${held.held}` };
  const down = ladders.find(({ outages }) => outages.length > 0);
  const [outage] = down?.outages ?? [];
  if (!down || !outage) return { rule, state: "good" };
  return {
    rule,
    state: "bad",
    text: `proxy tier ${outage.tier} is down in lane ${down.lane}: ${outage.why}`,
  };
};

const failureShare = (
  { view, memory }: WatchedJob,
  { over, last }: { readonly over: number; readonly last: number },
): AlertVerdict => {
  const rule = "failureShare";
  const start = startOf(view, memory, last);
  if (!start) return { rule, state: "unknown" };
  const ended = memory.last.ended - start.ended;
  const share = (memory.last.failed - start.failed) / ended;
  if (share <= over) return { rule, state: share <= over * EASED ? "good" : "unknown" };
  const kind = view.failures.toSorted((a, b) => b.count - a.count)[0]?.kind;
  const mostly = kind === undefined ? "" : `, mostly ${kind} in this job`;
  return { rule, state: "bad", text: `${percent(share)} of the last ${ended} items failed${mostly}` };
};

const noSuccess = (
  { view, memory }: WatchedJob,
  { forMs }: { readonly forMs: number },
  now: number,
): AlertVerdict => {
  const rule = "noSuccess";
  const { queued, leased, waiting } = view.counts.states;
  // A job that is stopped for a known reason cannot have successes.
  if (view.state === "paused" || view.held.length > 0 || queued + leased + waiting === 0)
    return { rule, state: "unknown" };
  const silentMs = now - memory.goodAt;
  if (silentMs < forMs) return { rule, state: "good" };
  return { rule, state: "bad", text: `no item succeeded for ${Math.floor(silentMs / 60_000)} minutes` };
};

const completeness = (
  { view, memory, earlier }: WatchedJob,
  { drop, last }: { readonly drop: number; readonly last: number },
): AlertVerdict => {
  const rule = "completeness";
  const start = startOf(view, memory, last);
  if (!start) return { rule, state: "unknown" };
  const baselines = [start.fieldCounts, earlier ?? []];
  const counts = { total: memory.last.fieldCounts, start: start.fieldCounts };
  const fallen = fallenFields(view.spec.fields, counts, baselines, drop);
  if (fallen.length > 0) {
    const texts = fallen.map(({ field, from, to }) => `${field} from ${percent(from)} to ${percent(to)}`);
    return { rule, state: "bad", text: `fewer records have a value: ${texts.join(", ")}` };
  }
  const isNear = fallenFields(view.spec.fields, counts, baselines, drop * EASED).length > 0;
  return { rule, state: isNear ? "unknown" : "good" };
};

/** A job is judged at its end even if it has fewer items than the rule's window. */
const startOf = ({ endedAt }: JobView, memory: JobMemory, last: number): JobMark | undefined => {
  const all = memory.last.ended - (memory.marks[0]?.ended ?? 0);
  return windowStart(memory, endedAt === undefined ? last : Math.min(last, Math.max(all, LEAST_ITEMS)));
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** A text with facts of an event in it, whatever they are. */
const say = (parts: TemplateStringsArray, ...facts: readonly unknown[]): string =>
  parts.map((part, at) => part + (at < facts.length ? factText(facts[at]) : "")).join("");

const factText = (fact: unknown): string => {
  if (typeof fact === "string" || typeof fact === "number") return `${fact}`;
  return Array.isArray(fact) ? fact.map(factText).join("; ") : (JSON.stringify(fact) ?? "unknown");
};

/** Messages that are sent once, by type of event, with their rule. */
const NOTICES: Readonly<Record<string, readonly [rule: AlertRule, text: (facts: Facts) => string]>> = {
  "version.refused": ["versions", ({ version, reasons }) => say`version ${version} is refused: ${reasons}`],
  "canary.rolled-back": [
    "versions",
    ({ version, reason }) => say`canary ${version} is rolled back: ${reason}`,
  ],
  "canary.undecided": [
    "versions",
    ({ version, items }) =>
      say`canary ${version} is undecided after ${items} items: promote it, or roll it back`,
  ],
  "drift.found": [
    "drift",
    ({ findings, blocking, first }) =>
      say`${findings} findings, ${blocking} of them hold releases, for example ${first}`,
  ],
  "release.held": [
    "releases",
    ({ release, failed }) => say`release ${release} is held, the last good one stays: ${failed}`,
  ],
  "release.late": ["releases", ({ since }) => say`the next release is late; the last one is from ${since}`],
  "schedule.missed": [
    "schedules",
    ({ schedule, at, count, reason }) =>
      say`schedule ${schedule} missed ${count === 1 ? say`its time ${at}` : say`${count} times, the last at ${at}`}: ${reason}`,
  ],
  "schedule.failed": [
    "schedules",
    ({ schedule, at, reason }) => say`schedule ${schedule} failed at ${at}: ${reason}`,
  ],
  "schedule.late": [
    "schedules",
    ({ schedule, lastSuccessAt }) =>
      say`schedule ${schedule} has not succeeded ${lastSuccessAt === undefined ? "yet" : say`since ${lastSuccessAt}`}`,
  ],
};

type Facts = Readonly<Record<string, unknown>>;

export const NOTICE_TYPES: readonly string[] = Object.keys(NOTICES);
const NOTICE = "notice ";

/** Raised by an event; it ends automatically. */
export const raiseNotice = (
  book: AlertBook,
  { id, type, facts }: { readonly id: number; readonly type: string; readonly facts: Facts },
  rules: AlertRules,
  now: number,
): AlertBook => {
  const [rule, textOf] = NOTICES[type] ?? [];
  if (!rule || !textOf || !rules[rule]) return book;
  return raiseAlert(
    book,
    `${NOTICE}${id}`,
    say`${facts["scraper"] ?? facts["dataset"]}: ${textOf(facts)}`,
    now,
  );
};

export const isNotice = (id: string): boolean => id.startsWith(NOTICE);

/** How long it is shown among the active alerts. */
const NOTICE_MS = 24 * 60 * 60_000;

/** Without notices that all channels have received and that are older than a day. */
export const dropNotices = (book: AlertBook, channels: readonly string[], now: number): AlertBook => {
  const isOver = ([id, { told, sinceAt }]: [string, OpenAlert]): boolean =>
    isNotice(id) && now - sinceAt > NOTICE_MS && channels.every((name) => told.includes(name));
  const kept = Object.entries(book).filter((entry) => !isOver(entry));
  return kept.length === Object.keys(book).length ? book : Object.fromEntries(kept);
};

/** Alerts that are active, or whose end some channel has not received yet. By rule and subject. */
export type AlertBook = Readonly<Record<string, OpenAlert>>;

interface OpenAlert {
  readonly text: string;
  readonly sinceAt: number;
  /** Set once it is resolved: the text for that. */
  readonly over?: string;
  /** Channels that received the alert, but not its end. */
  readonly told: readonly string[];
}

export interface DueAlerts {
  readonly raised: readonly string[];
  readonly over: readonly string[];
}

/** New alerts wait this long for others, to be sent together; those that end before are never sent. */
const GROUP_MS = 30_000;

/** Its text stays unchanged: no alert is sent twice while it lasts. */
export const raiseAlert = (book: AlertBook, id: string, text: string, now: number): AlertBook => {
  const known = book[id];
  if (!known) return { ...book, [id]: { text, sinceAt: now, told: [] } };
  if (known.over === undefined) return book;
  const { over: _, ...again } = known;
  return { ...book, [id]: again };
};

export const endAlert = (book: AlertBook, id: string, text: string): AlertBook => {
  const known = book[id];
  if (!known || known.over !== undefined) return book;
  return known.told.length === 0 ? without(book, id) : { ...book, [id]: { ...known, over: text } };
};

/** What to send to a channel now, by id: everything at once as soon as one alert has waited long enough. */
export const dueAlerts = (book: AlertBook, channel: string, now: number): DueAlerts => {
  const entries = Object.entries(book);
  const raised = entries.filter(([, { told, over }]) => over === undefined && !told.includes(channel));
  const over = entries.filter(([, alert]) => alert.over !== undefined && alert.told.includes(channel));
  const isRipe = over.length > 0 || raised.some(([, { sinceAt }]) => now - sinceAt >= GROUP_MS);
  return isRipe
    ? { raised: raised.map(([id]) => id), over: over.map(([id]) => id) }
    : { raised: [], over: [] };
};

/** After the channel has accepted them. */
export const markTold = (book: AlertBook, channel: string, { raised, over }: DueAlerts): AlertBook => {
  let next = book;
  for (const id of raised) next = withTold(next, id, (told) => [...told, channel]);
  for (const id of over) next = withTold(next, id, (told) => told.filter((name) => name !== channel));
  return next;
};

/** Channels that no longer exist are not notified of the end. */
export const keepChannels = (book: AlertBook, channels: readonly string[]): AlertBook => {
  let next = book;
  for (const [id, { told }] of Object.entries(book))
    if (told.some((name) => !channels.includes(name)))
      next = withTold(next, id, (names) => names.filter((name) => channels.includes(name)));
  return next;
};

const withTold = (
  book: AlertBook,
  id: string,
  change: (told: readonly string[]) => readonly string[],
): AlertBook => {
  const known = book[id];
  if (!known) return book;
  const told = change(known.told);
  return known.over !== undefined && told.length === 0
    ? without(book, id)
    : { ...book, [id]: { ...known, told } };
};

const without = (book: AlertBook, id: string): AlertBook => {
  const { [id]: _, ...rest } = book;
  return rest;
};

/** The progress of a job at one moment, counted from its beginning. */
interface JobMark {
  /** Came to an end by being tried: done, absent or failed. */
  readonly ended: number;
  readonly failed: number;
  /** Done, absent, or answered without being tried. */
  readonly good: number;
  /** As in `JobView.fieldCounts`. */
  readonly fieldCounts: readonly number[];
}

/** What is remembered about a job between two checks. */
export interface JobMemory {
  /** Oldest first; only as many as a window needs. */
  readonly marks: readonly JobMark[];
  readonly last: JobMark;
  /** When a success was first seen, or the job was first checked. */
  readonly goodAt: number;
}

const START: JobMark = { ended: 0, failed: 0, good: 0, fieldCounts: [] };
/** Marks in a window: how exactly its beginning is met. */
const FINENESS = 10;

export const markOf = ({ counts: { states }, fieldCounts }: JobView): JobMark => ({
  ended: states.done + states.absent + states.failed,
  failed: states.failed,
  good: states.done + states.absent + states.skipped,
  fieldCounts,
});

/** A job that is first seen in its midst has no known beginning: its window starts there. */
export const beginMemory = (mark: JobMark, isFromStart: boolean, now: number): JobMemory => ({
  marks: [isFromStart ? START : mark],
  last: mark,
  goodAt: now,
});

export const remember = (memory: JobMemory, mark: JobMark, windowSize: number, now: number): JobMemory => {
  // Retried items are queued again: earlier counts can no longer be compared.
  if (mark.ended < memory.last.ended) return { marks: [mark], last: mark, goodAt: memory.goodAt };
  const marks = [...memory.marks];
  if (mark.ended - (marks.at(-1)?.ended ?? 0) >= windowSize / FINENESS) marks.push(mark);
  while (marks[1] && mark.ended - marks[1].ended >= windowSize) marks.shift();
  return { marks, last: mark, goodAt: mark.good > memory.last.good ? now : memory.goodAt };
};

/** Where the last `size` ended items begin, as exactly as it is known; undefined if there are fewer. */
const windowStart = ({ marks, last }: JobMemory, size: number): JobMark | undefined =>
  marks.findLast((mark) => last.ended - mark.ended >= size);

interface FallenField {
  readonly field: string;
  /** Shares of records with a value, before and now. */
  readonly from: number;
  readonly to: number;
}

/** Fewer records than this say nothing about a share. */
const LEAST_RECORDS = 20;
const PRESENT = FIELD_STATUSES.indexOf("present");
const WIDTH = FIELD_STATUSES.length;

/**
 * Fields whose share of records with a value is lower by `drop` or more than in one of the baselines: since `start`, against what was before. All
 * counts as in `JobView.fieldCounts`.
 */
const fallenFields = (
  fields: readonly string[],
  counts: { readonly total: readonly number[]; readonly start: readonly number[] },
  baselines: readonly (readonly number[])[],
  drop: number,
): FallenField[] => {
  const recent = counts.total.map((count, at) => count - (counts.start[at] ?? 0));
  return fields.flatMap((field, at) => {
    const to = presentShare(recent, at);
    const known = baselines
      .map((baseline) => presentShare(baseline, at))
      .filter((share) => share !== undefined);
    if (to === undefined || known.length === 0) return [];
    const from = Math.max(...known);
    return from - to >= drop ? [{ field, from, to }] : [];
  });
};

const presentShare = (counts: readonly number[], field: number): number | undefined => {
  const own = counts.slice(field * WIDTH, (field + 1) * WIDTH);
  const records = own.reduce((sum, count) => sum + count, 0);
  return records < LEAST_RECORDS ? undefined : (own[PRESENT] ?? 0) / records;
};
