import type { CaptureRef, RecordRange } from "../../../model/capture.ts";
import type { Failure } from "../../../model/failure.ts";
import { versionIn } from "../../../model/job-version.ts";
import type { JobSpec, JobView } from "../../../model/job.ts";
import type { ListedItem, SettledLine } from "../../../ports/ledger-rebuild.ts";
import type { PastRow } from "../save-result.ts";
import { endOf } from "./catalog.ts";

/** What is known of how an item stands: the row of the item, and of its result. */
export interface ItemEnd {
  /** As in the table: 0 when it is to be fetched, 2 when it is to be tried again. */
  readonly state: 0 | 2 | 3 | 4 | 5 | 6;
  readonly attempts: number;
  readonly throttles: number;
  readonly result?: {
    readonly endedAt: number;
    readonly quality?: "complete" | "partial" | undefined;
    readonly failure?: Failure | undefined;
    readonly captures: readonly CaptureRef[];
    readonly records: RecordRange | null;
    readonly skipped?: object | undefined;
    readonly change?: string | undefined;
    readonly attempt?: readonly unknown[] | undefined;
    readonly history: readonly PastRow[];
    readonly revision: number;
  };
  /** The attempt whose word holds, unless the manifest's does. */
  readonly last?: SettledLine;
  /** It had ended, and objects of what it brought are missing. */
  readonly isLost: boolean;
}

interface Sources {
  readonly spec: JobSpec;
  readonly view: JobView;
  readonly manifestAt?: number;
  readonly has: (blob: string) => boolean;
}

const ENDED = { done: 3, absent: 4, failed: 5, skipped: 6 } as const;

/** `lines` in the order of time. What the manifest says of an item that had ended holds, unless it was tried again after that. */
export const itemEnd = (
  scraper: number,
  lines: readonly SettledLine[],
  listed: ListedItem | undefined,
  sources: Sources,
): ItemEnd => {
  const past = pastOf(lines);
  const last = lines.at(-1);
  const holds =
    listed !== undefined && (last === undefined || endOf(last) <= (sources.manifestAt ?? -Infinity));
  const attempts = holds ? listed.attempts : past.attempts;
  const base = { attempts, throttles: past.throttles, ...(last && { last }) };
  if (holds && isEnded(listed, sources.view))
    return { ...base, ...listedEnd(scraper, listed, last, past.history, sources), isLost: false };
  const isLost = last !== undefined && hasEnded(last) && !isStored(last, sources);
  if (last === undefined || isLost) return { state: 0, attempts: 0, throttles: 0, isLost };
  const { outcome, revision } = last;
  const state = hasEnded(last) ? ENDED[outcome.state as keyof typeof ENDED] : 2;
  const result = {
    endedAt: endOf(last),
    quality: "quality" in outcome ? outcome.quality : undefined,
    failure: "failure" in outcome ? outcome.failure : undefined,
    captures: last.captures,
    records: last.records,
    skipped: outcome.state === "skipped" ? { reason: outcome.reason } : undefined,
    attempt: attemptOf(last),
    history: past.history,
    revision,
  };
  return { ...base, state, result, isLost: false };
};

/** Items that a cancel or a spent budget ended are not written one by one: their job says what they are. */
const isEnded = ({ state, failure }: ListedItem, { budgetSpentAt }: JobView): boolean =>
  state in ENDED && !(failure?.kind === "budget" && budgetSpentAt !== undefined);

const hasEnded = ({ outcome }: SettledLine): boolean => outcome.state in ENDED;

/** Objects of other jobs may have gone with those. */
const isStored = ({ captures, records }: SettledLine, { spec, has }: Sources): boolean =>
  [...captures, ...(records ? [records] : [])].every(
    ({ blob }) => !blob.startsWith(`jobs/${spec.id}/`) || has(blob),
  );

const listedEnd = (
  scraper: number,
  listed: ListedItem,
  last: SettledLine | undefined,
  history: readonly PastRow[],
  { spec, view, manifestAt }: Sources,
): Pick<ItemEnd, "state" | "result"> => {
  const { quality, failure, captures, records, skipped, change, version } = listed;
  const told = last && "failure" in last.outcome ? last.outcome.failure : undefined;
  const isSame = last?.records?.blob === records?.blob && last?.records?.offset === records?.offset;
  return {
    state: ENDED[listed.state as keyof typeof ENDED],
    result: {
      // Read again with another version of its scraper, it has ended then.
      endedAt: last === undefined ? view.createdAt : isSame ? endOf(last) : (manifestAt ?? endOf(last)),
      quality,
      failure: failure && told?.kind === failure.kind && told.detail === failure.detail ? told : failure,
      captures,
      records,
      skipped,
      change,
      attempt: last && attemptOf(last),
      history,
      revision: revisionOf(spec, scraper, version, last?.revision),
    },
  };
};

const revisionOf = (
  spec: JobSpec,
  scraper: number,
  version: string | undefined,
  likely: number | undefined,
): number => {
  const now = spec.earlier?.length ?? 0;
  const all = Array.from({ length: now + 1 }, (_, revision) => now - revision);
  const candidates = likely === undefined ? all : [likely, ...all];
  return candidates.find((revision) => versionIn(spec, revision, scraper) === version) ?? now;
};

const attemptOf = ({ attempt, worker, outcome }: SettledLine): readonly unknown[] => {
  const { startedAt, ms, requests, bytes } = attempt;
  return [startedAt, ms, requests, bytes, worker, ...(outcome.state === "absent" ? [outcome.detail] : [])];
};

const pastOf = (lines: readonly SettledLine[]) => {
  let [attempts, throttles] = [0, 0];
  const history: PastRow[] = [];
  let hadEnded = false;
  for (const line of lines) {
    const { outcome, attempt, worker, revision } = line;
    // Put back by `retry`, as if it had never been tried.
    if (hadEnded) [attempts, throttles] = [0, 0];
    if (outcome.state === "waiting" && !outcome.countsAttempt) throttles++;
    else attempts++;
    hadEnded = hasEnded(line);
    if (!("failure" in outcome)) continue;
    const { startedAt: at, ms, requests, bytes } = attempt;
    history.push({
      at,
      ms,
      worker,
      failure: outcome.failure,
      requests,
      bytes,
      ...(revision > 0 && { revision }),
    });
  }
  return { attempts, throttles, history };
};
