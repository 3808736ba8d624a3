import {
  type AutoState,
  chooseWay,
  goesOn,
  learn,
  NOTHING_LEARNED,
  type Way,
  type WayResult,
} from "../domain/auto-mode.ts";

/** One run of an item, one way. */
interface WayRun {
  readonly result: WayResult;
  /** Frees what it holds: another way comes after it. */
  drop(): Promise<void>;
}

interface AutoWaysOptions {
  /** Called when the way of a kind of page changes. */
  readonly onChange: (key: string, state: AutoState) => void;
}

/** Keys beyond this many push out the ones that were used longest ago. */
const MOST_KEYS = 1000;

/** What this process has learned about the pages of `auto` scrapers. */
export class AutoWays {
  readonly #states = new Map<string, AutoState>();
  readonly #options: AutoWaysOptions;

  constructor(options: AutoWaysOptions) {
    this.#options = options;
  }

  stateOf(key: string): AutoState {
    return this.#states.get(key) ?? NOTHING_LEARNED;
  }

  /** Runs an item over HTTP, in the browser, or over HTTP and then in the browser. The last run counts. `mayRepeat`: nothing that it did forbids another run. */
  async run<Run extends WayRun>(
    key: string,
    once: (way: Way) => Promise<Run>,
    mayRepeat: () => boolean,
  ): Promise<Run> {
    const { way, state } = chooseWay(this.stateOf(key));
    this.#set(key, state);
    const first = await once(way);
    if (way === "browser") {
      this.#set(key, learn(this.stateOf(key), { browser: first.result }));
      return first;
    }
    if (!mayRepeat() || !goesOn(this.stateOf(key), first.result)) {
      this.#set(key, learn(this.stateOf(key), { http: first.result }));
      return first;
    }
    await first.drop();
    const second = await once("browser");
    // Others may have learned meanwhile.
    this.#set(key, learn(this.stateOf(key), { http: first.result, browser: second.result }));
    return second;
  }

  #set(key: string, state: AutoState): void {
    const before = this.stateOf(key);
    this.#states.delete(key);
    this.#states.set(key, state);
    if (this.#states.size > MOST_KEYS) this.#states.delete(this.#states.keys().next().value!);
    if (before.way !== state.way) this.#options.onChange(key, state);
  }
}
