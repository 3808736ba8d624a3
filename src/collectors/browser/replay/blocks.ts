import type { Frame } from "playwright-core";
import { AbsentError } from "../../../domain/failure.ts";
import type {
  AbsentIfStep,
  ForEachBlock,
  IfPresentBlock,
  PaginateBlock,
  Selector,
  Step,
} from "../../../recordings/recording.ts";
import type { Scope } from "./find-elements.ts";
import { countMatches } from "./perform-step.ts";
import { click } from "./pointer.ts";
import { NAVIGATION_MS, type ReplayRun } from "./replay-run.ts";
import { describeSelectors, stepFailure } from "./step-failure.ts";
import { placeOf } from "./targets.ts";

type RunSteps = (steps: readonly Step[], within: readonly Scope[]) => Promise<void>;

const MOST_MATCHES = 1000;
/** A page on which nothing happens for this long does not show anything new. */
const IDLE_MS = 500;
/** After a click on "next", scripts may wait a moment before they send a request. */
const NEXT_IDLE_MS = 1500;
const QUIET_MS = 250;
/** A page that keeps loading is not waited for longer. */
const LONGEST_LOOK_MS = 30_000;
const MOST_BACK = 5;

/**
 * Whether an element is shown: yes as soon as it is; no when the page has stopped loading without it, or when the step that follows finds what it
 * needs. No step waits longer than its own `timeout`, if it has one.
 */
const isPresent = async (
  run: ReplayRun,
  step: Step & { readonly selectors: readonly Selector[] },
  values: { readonly text?: string; readonly enabled: boolean },
  within: readonly Scope[],
  next: readonly Selector[] = [],
): Promise<boolean> => {
  const mostMs = step.timeout === undefined ? LONGEST_LOOK_MS : run.timeoutOf(step);
  const from = run.now();
  const look = async (frame: Frame): Promise<boolean | undefined> => {
    const { found } = await run.tryAct(step, frame, "presence", values, step.selectors, within);
    if (found) return true;
    const idleMs = run.activity.idleMs();
    if (idleMs > IDLE_MS || run.now() - from > mostMs) return false;
    if (idleMs === 0 || next.length === 0) return undefined;
    const instead = await run.tryAct(step, frame, "presence", { enabled: false }, next, within);
    return instead.found ? false : undefined;
  };
  return run.rounds(step, look, () => "the page could not be read", mostMs + IDLE_MS);
};

export const absentIf = async (
  run: ReplayRun,
  step: AbsentIfStep,
  within: readonly Scope[],
  next: Step | undefined,
): Promise<void> => {
  const values = { enabled: false, ...(step.text === undefined ? {} : { text: step.text }) };
  const following = next && "selectors" in next ? next.selectors : undefined;
  if (!(await isPresent(run, step, values, within, following))) return;
  const said = step.text === undefined ? describeSelectors(step.selectors) : JSON.stringify(step.text);
  throw new AbsentError(`the site says that it has no such thing: it shows ${said}`);
};

export const ifPresent = async (
  run: ReplayRun,
  step: IfPresentBlock,
  within: readonly Scope[],
  runSteps: RunSteps,
): Promise<void> => {
  const isThere = await isPresent(run, step, { enabled: false }, within);
  await runSteps(isThere ? step.steps : (step.otherwise ?? []), within);
};

/**
 * Runs the steps for each match. Within them, a selector finds only what lies inside the match (`:scope` is the match itself), `:root …` the whole
 * page. In another document, for example the target of a link in the match, selectors apply to the whole page; before the next match, the browser
 * goes back.
 */
export const forEach = async (
  run: ReplayRun,
  step: ForEachBlock,
  within: readonly Scope[],
  runSteps: RunSteps,
): Promise<void> => {
  if (step.selectors.some(([head]) => head!.startsWith("pw/")))
    throw stepFailure(
      step,
      "scraper-error",
      "sluice.forEach does not take `pw/` selectors. Use CSS or XPath",
    );
  let home: string | undefined;
  let most = 1;
  for (let index = 0; index < most; index++) {
    if (index > 0 && home !== undefined) await goBack(run, step, home);
    const { count, document } = await run.rounds(
      step,
      async (frame) => {
        const counted = await countMatches(run, step, frame, within);
        if (counted.count <= index) return undefined;
        home ??= frame.url();
        return counted;
      },
      () =>
        index === 0
          ? `nothing matches ${describeSelectors(step.selectors)}. If that is expected, put it into sluice.ifPresent`
          : `match ${index + 1} of ${most} of ${describeSelectors(step.selectors)} no longer exists`,
    );
    // A list may grow while its rows are read. If it shrinks, rows are missing.
    most = Math.max(most, count);
    if (most > MOST_MATCHES)
      throw run.fails(step, `more than ${MOST_MATCHES} elements match ${describeSelectors(step.selectors)}`);
    await runSteps(step.steps, [...within, { alternatives: step.selectors, index, document }]);
  }
};

/** The history first: a list that came from a form has no URL of its own. */
const goBack = async (run: ReplayRun, step: Step, home: string): Promise<void> => {
  const isHome = (): boolean => run.targets.frameOf(step)?.url() === home;
  const page = run.targets.frameOf(step)?.page() ?? run.options.page;
  for (let back = 0; back < MOST_BACK && !isHome(); back++) {
    const went = page.goBack({ waitUntil: "domcontentloaded", timeout: 0 });
    await run.call(
      step,
      went.then(Boolean, () => false),
      NAVIGATION_MS,
    );
  }
  if (!isHome()) throw run.fails(step, `the browser cannot go back to the list at ${placeOf(home)}`);
};

const TEXT = `(document.body ? document.body.innerText : "").slice(0, 2_000_000)`;

/** Runs the steps on each page of a list, until "next" is gone or disabled, has no effect, or leads to a page that was seen before. */
export const paginate = async (
  run: ReplayRun,
  step: PaginateBlock,
  within: readonly Scope[],
  runSteps: RunSteps,
): Promise<void> => {
  const textNow = (): Promise<string> =>
    run.rounds(
      step,
      (frame) => run.call(step, frame.evaluate<string>(TEXT)),
      () => "the page could not be read",
    );
  const seen = new Set<string>();
  for (let pages = 1; ; pages++) {
    await runSteps(step.steps, within);
    if (pages >= step.most || !(await isPresent(run, step, { enabled: true }, within))) return;
    const before = await textNow();
    seen.add(before);
    const { target, frame } = step;
    const place = { ...(target ? { target } : {}), ...(frame ? { frame } : {}) };
    await click(run, { type: "click", number: step.number, selectors: step.selectors, ...place }, within);
    const from = run.now();
    for (;;) {
      await run.settle(QUIET_MS, NAVIGATION_MS);
      const after = await textNow();
      if (after !== before) {
        if (seen.has(after)) return;
        break;
      }
      if (run.activity.idleMs() > NEXT_IDLE_MS) return;
      if (run.now() - from > NAVIGATION_MS)
        throw stepFailure(step, "timeout", "the page keeps loading after `next` and does not change");
      await run.pause(QUIET_MS);
    }
  }
};
