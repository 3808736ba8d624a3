import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { CDPSession, Frame, Page } from "playwright-core";
import { AbsentError, type Failure, FailureError } from "../../../domain/failure.ts";
import type { Recording, Selector, Step } from "../../../recordings/recording.ts";
import type { ActiveClock } from "../active-clock.ts";
import { Activity } from "./activity.ts";
import type { Query, Scope } from "./find-elements.ts";
import { type Acted, type ActName, type ActResult, actSource, type ActValues } from "./page-acts.ts";
import { describeSelectors, firstLine, stepFailure } from "./step-failure.ts";
import { placeOf, Targets } from "./targets.ts";

export interface ReplayOptions {
  readonly page: Page;
  /** Relative URLs are resolved against it; default: against the page's URL. */
  readonly site?: string;
  /** Keeps the DOM of a frame, as it is now, under a name. */
  readonly keep: (name: string, frame: Frame) => Promise<void>;
  /** Keeps the file that comes after `trigger`, a click in this page. Has limits of its own. */
  readonly download: (name: string, trigger: () => Promise<void>, page: Page) => Promise<void>;
  /** Opens a URL and judges the answer. Without it, or where it returns undefined, answers of every status are accepted. */
  readonly goto?: (frame: Frame, url: string) => Promise<void> | undefined;
  /** What went wrong with the current document, or with any request of its page: the reason why a step finds nothing. */
  readonly failureOf?: (what: "document" | "any") => Failure | undefined;
  /** The item's clock: waiting for slots is not counted. */
  readonly clock: ActiveClock;
  /** Ends the replay with its reason. */
  readonly signal: AbortSignal;
  readonly onStep?: (step: Step) => void;
  /** `waitForExpression` runs code from the recording: only for recordings of operators. */
  readonly allowsExpressions?: boolean;
}

/** As in Chrome's runner. */
const STEP_MS = 5000;
/** Recordings with 100 ms exist: their pages came from the same machine. */
const SHORTEST_MS = 2000;
const LONGEST_MS = 30_000;
/** The longest that a page may take to answer a call: lookups are quick. */
const HANG_MS = 10_000;
/** A document, from its request to its last byte. */
export const NAVIGATION_MS = 30_000;
const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 400;
/** After that, an element is clicked even if something covers it, as Chrome's runner does at once. */
const COVERED_MS = 1000;

/** What the steps of one replay share: its pages, its clock, and lookups that are repeated until they succeed. */
export class ReplayRun {
  readonly options: ReplayOptions;
  readonly targets: Targets;
  readonly activity: Activity;
  readonly #recording: Recording;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  readonly #sessions = new Map<Page, Promise<CDPSession>>();
  readonly #given = `sluice${randomUUID()}`;
  readonly #onCrash = (): void => this.#end("the page crashed");
  readonly #onClose = (): void => this.#end("the page was closed");
  #step: Step | undefined;

  constructor(recording: Recording, options: ReplayOptions) {
    this.options = options;
    this.#recording = recording;
    this.#signal = AbortSignal.any([options.signal, this.#ended.signal]);
    this.activity = new Activity(() => this.now());
    this.targets = new Targets(options.page, (page) => this.activity.watch(page));
    options.page.on("crash", this.#onCrash);
    options.page.on("close", this.#onClose);
  }

  #end(reason: string): void {
    const failure = { kind: "browser", detail: reason } as const;
    this.#ended.abort(
      this.#step ? stepFailure(this.#step, failure.kind, failure.detail) : new FailureError(failure),
    );
  }

  begin(step: Step): void {
    this.#step = step;
    this.#signal.throwIfAborted();
    if (this.options.page.isClosed()) this.#end("the page was closed");
    this.#signal.throwIfAborted();
    this.options.onStep?.(step);
  }

  now(): number {
    return this.options.clock.now();
  }

  timeoutOf(step: Step): number {
    const asked = step.timeout ?? this.#recording.timeout ?? STEP_MS;
    return Math.min(Math.max(asked, SHORTEST_MS), LONGEST_MS);
  }

  async pause(ms: number): Promise<void> {
    try {
      await delay(ms, undefined, { signal: this.#signal });
    } catch {
      this.#signal.throwIfAborted();
    }
  }

  /** Our own deadline around a call into the page, which may never answer. */
  call<Result>(
    step: Step,
    work: Promise<Result>,
    ms = HANG_MS,
    late = () => this.#hangs(step, ms),
  ): Promise<Result> {
    return this.options.clock.within(ms, this.#signal, work, late);
  }

  #hangs(step: Step, ms: number): FailureError {
    const detail = `the page did not answer for ${ms / 1000} s: a script keeps it busy`;
    return stepFailure(step, "browser", detail, this.#url());
  }

  #url(): string {
    return placeOf(this.options.page.url());
  }

  fails(step: Step, detail: string, cause?: unknown): FailureError {
    return stepFailure(step, "navigation", detail, this.#url(), cause);
  }

  /**
   * Repeats a lookup in short rounds until it returns something else than undefined. Documents and frames may go and come back in between, so
   * errors of one round count only when the time is over.
   */
  async rounds<Result>(
    step: Step,
    look: (frame: Frame) => Promise<Result | undefined>,
    late: () => string,
    ms = this.timeoutOf(step),
  ): Promise<Result> {
    const until = this.now() + ms;
    let trouble: unknown;
    let hasFrame = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
      const frame = this.targets.frameOf(step);
      hasFrame = frame !== undefined;
      trouble = undefined;
      try {
        const result = frame && (await look(frame));
        if (result !== undefined) return result;
      } catch (error) {
        if (error instanceof FailureError || error instanceof AbsentError) throw error;
        this.#signal.throwIfAborted();
        trouble = error;
      }
      // A page that still waits for a response is slow, which says nothing about its elements.
      const isLate = this.activity.idleMs() > 0 || this.now() >= until + NAVIGATION_MS;
      if (this.now() >= until && isLate) break;
      await this.pause(pauseMs);
    }
    const failure = this.options.failureOf?.("any");
    if (failure) throw new FailureError(failure);
    if (!hasFrame) throw this.fails(step, `${missingFrame(step)}. Open: ${this.targets.describe()}`);
    throw this.fails(step, trouble === undefined ? late() : `${late()}. ${firstLine(trouble)}`, trouble);
  }

  /** Where the step takes place, once it is there. */
  frameOf(step: Step): Promise<Frame> {
    return this.rounds(
      step,
      (frame) => Promise.resolve(frame),
      () => "",
    );
  }

  /** Finds the step's element and acts on it. Resolves with the frame too: selectors of Playwright may lead into another one. */
  async act<Name extends ActName>(
    step: Step & { readonly selectors: readonly Selector[] },
    name: Name,
    values: ActValues<Name>,
    within: readonly Scope[],
  ): Promise<{ readonly frame: Frame; readonly result: ActResult<Name> }> {
    let notes: readonly string[] = [];
    let coveredAt: number | undefined;
    const found = await this.rounds(
      step,
      async (frame) => {
        const acted = await this.tryAct(step, frame, name, values, step.selectors, within);
        notes = acted.notes;
        if (!acted.found) return undefined;
        const { result } = acted.found;
        if (typeof result !== "object" || !("isCovered" in result) || !result.isCovered) return acted.found;
        coveredAt ??= this.now();
        return this.now() - coveredAt > Math.min(COVERED_MS, this.timeoutOf(step) / 2)
          ? acted.found
          : undefined;
      },
      () => `no usable element: ${describeSelectors(step.selectors, notes)}`,
    );
    return found;
  }

  /** One round: all alternatives in order, those of Playwright last, because they cost more. */
  async tryAct<Name extends ActName>(
    step: Step,
    frame: Frame,
    name: Name,
    values: ActValues<Name>,
    alternatives: readonly Selector[],
    within: readonly Scope[],
  ): Promise<{
    readonly notes: string[];
    readonly found?: { readonly frame: Frame; readonly result: ActResult<Name> };
  }> {
    const notes: string[] = [];
    for await (const query of this.queries(step, frame, alternatives, within)) {
      const source = actSource(name, query.query, values);
      const acted = (await this.call(step, query.frame.evaluate(source))) as Acted<ActResult<Name>>;
      if (acted.state === "done") return { notes, found: { frame: query.frame, result: acted.result } };
      for (const [at, note] of acted.notes.entries()) notes[query.places[at]!] = note;
    }
    return { notes };
  }

  async *queries(
    step: Step,
    frame: Frame,
    alternatives: readonly Selector[],
    within: readonly Scope[],
  ): AsyncGenerator<{ readonly frame: Frame; readonly query: Query; readonly places: readonly number[] }> {
    const isForeign = (chain: Selector): boolean => chain[0]!.startsWith("pw/");
    const places = alternatives.flatMap((chain, at) => (isForeign(chain) ? [] : [at]));
    if (places.length > 0)
      yield { frame, query: { alternatives: places.map((at) => alternatives[at]!), within }, places };
    for (const [at, chain] of alternatives.entries()) {
      if (!isForeign(chain)) continue;
      const query = { alternatives: [chain], within, given: this.#given };
      const owner = await this.call(step, this.#give(frame, chain[0]!.slice(3)));
      yield { frame: owner ?? frame, query, places: [at] };
    }
  }

  /** Lets Playwright find elements and puts them where the script takes them from. */
  async #give(frame: Frame, selector: string): Promise<Frame | null> {
    const locator = frame.locator(selector);
    if ((await locator.count()) === 0) return null;
    const handle = await locator.first().elementHandle({ timeout: 1000 });
    const owner = (await handle?.ownerFrame()) ?? null;
    await handle?.dispose();
    await locator.evaluateAll((elements, name) => {
      Object.defineProperty(globalThis, name, { value: elements, configurable: true });
    }, this.#given);
    return owner;
  }

  /** Waits until nothing was loaded for a moment. Not an error if that never comes. */
  async settle(quietMs: number, mostMs: number): Promise<void> {
    const until = this.now() + mostMs;
    while (this.activity.idleMs() < quietMs && this.now() < until) await this.pause(FIRST_PAUSE_MS);
  }

  /** A session of the DevTools protocol. What it changes ends with the replay. */
  session(step: Step, page: Page): Promise<CDPSession> {
    const session = this.#sessions.get(page) ?? page.context().newCDPSession(page);
    this.#sessions.set(page, session);
    return this.call(step, session);
  }

  /** Errors of the library, where no lookup explains them, become failures of the current step. */
  explained(error: unknown): unknown {
    if (error instanceof FailureError || error instanceof AbsentError || this.options.signal.aborted)
      return error;
    if (this.#ended.signal.aborted) return this.#ended.signal.reason;
    const isGone = this.options.page.isClosed() || /closed|crash|disconnected/i.test(firstLine(error));
    const kind = isGone ? "browser" : "navigation";
    return this.#step ? stepFailure(this.#step, kind, firstLine(error), this.#url(), error) : error;
  }

  close(): void {
    const { page } = this.options;
    page.off("crash", this.#onCrash);
    page.off("close", this.#onClose);
    this.targets.close();
    this.activity.close();
    for (const session of this.#sessions.values())
      session.then((each) => each.detach()).catch(() => undefined);
  }
}

const missingFrame = ({ target = "main", frame = [] }: Step): string => {
  const place = target === "main" ? "the page" : `the page or frame ${placeOf(target)}`;
  return frame.length === 0 ? `${place} does not exist` : `${place} has no frame ${frame.join(", ")}`;
};
