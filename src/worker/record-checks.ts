import type { WayResult } from "../domain/auto-mode.ts";
import type { WayReply, WayReport } from "../ports/ledger.ts";
import { differingField, type RecordFields } from "../domain/same-records.ts";

/** One run of an item by one of two scrapers. */
interface CheckedRun {
  readonly result: Pick<WayResult, "ended" | "failure" | "missing">;
  readonly records: () => readonly RecordFields[];
  /** Frees its resources, because the other run is used. */
  drop(): Promise<void>;
}

interface CheckOptions<Run extends CheckedRun> {
  /** What is learned applies to this lane and scraper version. */
  readonly key: WayKey;
  readonly oneIn: number;
  readonly required: readonly string[];
  /** Runs the scraper itself, and the one with a browser. The second is undefined where there is no browser. */
  readonly own: () => Promise<Run>;
  readonly other: () => Promise<Run | undefined>;
  /** Nothing that it did forbids another run. */
  readonly mayRepeat: () => boolean;
}

type WayKey = Pick<WayReport, "lane" | "key">;

interface State {
  /** Items until the next one that both run. */
  checkIn: number;
  isChecking: boolean;
  /** Why the browser is used for all items. */
  takenOver?: string;
}

interface RecordChecksOptions {
  /** Items in browsers at once, after one has taken over. */
  readonly capacity: number;
  /** Called with the result of a comparison. */
  readonly onLearned: (report: WayReport) => void;
  readonly onTakeOver: (key: WayKey, reason: string) => void;
}

/** Failures by which a scraper says that a page is not what it expects. All others may come from a failing site. */
const OF_CONTENT: ReadonlySet<string> = new Set(["structure-changed", "navigation", "bad-content"]);

/**
 * Compares distilled scrapers with the browser: the first item of this process, one in N after it, and items whose pages are not what the scraper
 * expects. If the records differ twice in a row, the browser takes over for all further items of this version in this lane; the other workers learn
 * this from the ledger at their next comparison.
 */
export class RecordChecks {
  readonly #states = new Map<string, State>();
  readonly #options: RecordChecksOptions;
  readonly #waiting: (() => void)[] = [];
  #inBrowsers = 0;

  constructor(options: RecordChecksOptions) {
    this.#options = options;
  }

  /** The run that counts; the others are dropped. */
  async run<Run extends CheckedRun>(options: CheckOptions<Run>): Promise<Run> {
    const { key, oneIn, own, mayRepeat } = options;
    const name = nameOf(key);
    const state = this.#states.get(name) ?? { checkIn: 0, isChecking: false };
    this.#states.set(name, state);
    if (state.takenOver !== undefined) {
      const taken = await this.#inTurn(options.other);
      if (taken) return taken;
    }
    const first = await own();
    const { failure } = first.result;
    const isDue = failure ? OF_CONTENT.has(failure.kind) : state.checkIn-- <= 0;
    if (!isDue || state.isChecking || state.takenOver !== undefined || !mayRepeat()) return first;
    state.isChecking = true;
    state.checkIn = oneIn - 1;
    try {
      return await this.#compare(options, state, first);
    } finally {
      state.isChecking = false;
    }
  }

  async #compare<Run extends CheckedRun>(
    { key, required, own, other }: CheckOptions<Run>,
    state: State,
    first: Run,
  ): Promise<Run> {
    const wanted = await other();
    if (!wanted) return first;
    // A browser that fails too, or finds less than it should, says nothing about the plain requests.
    const { failure, missing } = wanted.result;
    const isEvidence = !failure && missing.length === 0;
    if (!isEvidence) return await only(first, wanted);
    if (differenceOf(wanted, first, required) === undefined) return await this.#same(key, first, wanted);
    // The site's content may have changed between the two runs.
    const again = await own();
    const difference = differenceOf(wanted, again, required);
    if (difference === undefined) return await this.#same(key, again, first, wanted);
    this.#takeOver(key, state, difference);
    this.#options.onLearned({ ...key, saw: { saw: "different", reason: difference } });
    return await only(wanted, first, again);
  }

  async #same<Run extends CheckedRun>(key: WayKey, kept: Run, ...others: readonly Run[]): Promise<Run> {
    this.#options.onLearned({ ...key, saw: { saw: "same" } });
    return await only(kept, ...others);
  }

  /** What all workers reported to the ledger. False: it concerns another scraper. */
  hear({ state: { way, reason }, ...key }: WayReply): boolean {
    const state = this.#states.get(nameOf(key));
    if (!state) return false;
    if (way === "browser" && state.takenOver === undefined) this.#takeOver(key, state, reason);
    return true;
  }

  #takeOver(key: WayKey, state: State, reason: string): void {
    state.takenOver = reason;
    this.#options.onTakeOver(key, reason);
  }

  /** Waits for a browser without using the item's time. */
  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#inBrowsers >= this.#options.capacity)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inBrowsers++;
    try {
      return await work();
    } finally {
      this.#inBrowsers--;
      this.#waiting.shift()?.();
    }
  }
}

const nameOf = ({ lane, key }: WayKey): string => `${lane} ${key}`;

const only = async <Run extends CheckedRun>(kept: Run, ...others: readonly Run[]): Promise<Run> => {
  for (const other of others) await other.drop();
  return kept;
};

/** In words; undefined if both say the same. */
const differenceOf = (
  browser: CheckedRun,
  http: CheckedRun,
  required: readonly string[],
): string | undefined => {
  const { failure } = http.result;
  if (failure) return `plain requests fail (${failure.kind}: ${failure.detail}), the browser does not`;
  if (browser.result.ended !== http.result.ended)
    return browser.result.ended === "absent"
      ? "the browser says absent, plain requests find a record"
      : "plain requests say absent, the browser finds a record";
  const [wanted, got] = [browser.records(), http.records()];
  if (wanted.length !== got.length)
    return `${got.length} records by plain requests, ${wanted.length} in the browser`;
  const fields = wanted.map((record, at) => differingField(record, got[at] ?? {}, required));
  const field = fields.find((name) => name !== undefined);
  return field === undefined ? undefined : `field ${field} differs from the browser's`;
};
