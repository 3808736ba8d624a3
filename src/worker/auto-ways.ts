import {
  adopt,
  type AutoState,
  chooseWay,
  goesOn,
  learn,
  NOTHING_LEARNED,
  observe,
  type Way,
  type WayResult,
} from "../domain/auto-mode.ts";
import type { WayReply, WayReport } from "../ports/ledger.ts";

/** One run of an item, over HTTP or in the browser. */
interface WayRun {
  readonly result: WayResult;
  /** Frees its resources, because the item continues in another way. */
  drop(): Promise<void>;
}

interface AutoWaysOptions {
  /** Called with what was learned from an item, if it is new. */
  readonly onLearned: (report: WayReport) => void;
  /** Called when the way of a kind of page changes. */
  readonly onChange: (key: WayKey, state: AutoState) => void;
}

type WayKey = Pick<WayReport, "lane" | "key">;

/** Beyond this many kinds of pages, the least recently used are dropped. */
const MOST_KEPT = 1000;

/** What this process knows about the pages of `auto` scrapers: its own results, and those that all workers reported to the ledger. */
export class AutoWays {
  readonly #states = new Map<string, AutoState>();
  readonly #options: AutoWaysOptions;

  constructor(options: AutoWaysOptions) {
    this.#options = options;
  }

  /** Runs an item over HTTP, in the browser, or over HTTP and then in the browser. The last run counts. `mayRepeat`: nothing that it did forbids another run. */
  async run<Run extends WayRun>(
    key: WayKey,
    once: (way: Way) => Promise<Run>,
    mayRepeat: () => boolean,
  ): Promise<Run> {
    const { way, state } = chooseWay(this.#stateOf(key));
    this.#set(key, state);
    const first = await once(way);
    if (way === "browser") {
      this.#learn(key, { browser: first.result });
      return first;
    }
    if (!mayRepeat() || !goesOn(this.#stateOf(key), first.result)) {
      this.#learn(key, { http: first.result });
      return first;
    }
    await first.drop();
    const second = await once("browser");
    this.#learn(key, { http: first.result, browser: second.result });
    return second;
  }

  /** What the ledger has learned from all workers, this one included. */
  hear(shared: WayReply): void {
    this.#set(shared, adopt(this.#stateOf(shared), shared.state));
  }

  #learn(key: WayKey, results: Parameters<typeof observe>[0]): void {
    const saw = observe(results);
    if (!saw) return;
    const before = this.#stateOf(key);
    const after = learn(before, saw);
    this.#set(key, after);
    if (JSON.stringify(before) !== JSON.stringify(after)) this.#options.onLearned({ ...key, saw });
  }

  #stateOf({ lane, key }: WayKey): AutoState {
    return this.#states.get(`${lane} ${key}`) ?? NOTHING_LEARNED;
  }

  #set({ lane, key }: WayKey, state: AutoState): void {
    const before = this.#stateOf({ lane, key });
    this.#states.delete(`${lane} ${key}`);
    this.#states.set(`${lane} ${key}`, state);
    if (this.#states.size > MOST_KEPT) this.#states.delete(this.#states.keys().next().value!);
    if (before.way !== state.way) this.#options.onChange({ lane, key }, state);
  }
}
