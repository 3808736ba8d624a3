import type { Frame } from "playwright-core";
import { FailureError } from "../../../domain/failure.ts";
import type {
  ChangeStep,
  EmulateNetworkStep,
  ExtractStep,
  KeyStep,
  ScrollStep,
  SetViewportStep,
  Step,
  WaitForElementStep,
  WaitForExpressionStep,
} from "../../../recordings/recording.ts";
import type { Scope } from "./find-elements.ts";
import { type Counted, countSource } from "./page-acts.ts";
import { withNavigation } from "./navigation.ts";
import type { ReplayRun } from "./replay-run.ts";
import { describeSelectors, firstLine, stepFailure } from "./step-failure.ts";

/** As in Chrome's runner: pages with timers of their own see separate keys. */
const KEY_PAUSE_MS = 100;
/** Longer text comes at once, as if it were pasted. */
const MOST_TYPED = 100;
const QUIET_MS = 250;
const SETTLE_MS = 10_000;
/** Recordings cannot make a page slower than that, or its window larger. */
const SLOWEST_BYTES_PER_SECOND = 10_000;
const LONGEST_LATENCY_MS = 2000;
const LARGEST_WINDOW = 4000;
const LARGEST_SCALE = 4;

export const change = async (run: ReplayRun, step: ChangeStep, within: readonly Scope[]): Promise<void> => {
  const frame = await run.frameOf(step);
  await withNavigation(run, step, frame, async () => {
    const acted = await run.act(step, "change", { value: step.value }, within);
    const { keyboard } = acted.frame.page();
    const { text, clears } = acted.result;
    if (clears) await run.call(step, keyboard.press("Delete"));
    if (text === "") return;
    await run.call(step, text.length > MOST_TYPED ? keyboard.insertText(text) : keyboard.type(text));
  });
};

/** Keys go to the page, wherever its focus is. */
export const pressKey = async (run: ReplayRun, step: KeyStep): Promise<void> => {
  const frame = await run.frameOf(step);
  const { keyboard } = frame.page();
  await withNavigation(run, step, frame, async () => {
    try {
      await run.call(step, step.type === "keyDown" ? keyboard.down(step.key) : keyboard.up(step.key));
    } catch (error) {
      if (!firstLine(error).includes("Unknown key")) throw error;
      if (/^.{2,}$/u.test(step.key)) throw run.fails(step, `unknown key ${step.key}`, error);
      // A letter of another keyboard than the American one.
      if (step.type === "keyDown") await run.call(step, keyboard.insertText(step.key));
    }
    await run.pause(KEY_PAUSE_MS);
  });
};

export const scroll = async (run: ReplayRun, step: ScrollStep, within: readonly Scope[]): Promise<void> => {
  const { x = 0, y = 0, selectors } = step;
  run.activity.touch();
  if (selectors) {
    await run.act({ ...step, selectors }, "scroll", { x, y }, within);
    return;
  }
  await run.rounds(
    step,
    async (frame) => {
      await run.call(step, frame.evaluate(`window.scroll(${x}, ${y})`));
      return true;
    },
    () => "the page could not be scrolled",
  );
};

export const waitForElement = async (
  run: ReplayRun,
  step: WaitForElementStep,
  within: readonly Scope[],
): Promise<void> => {
  const { operator = ">=", count = 1, visible = true } = step;
  let seen = 0;
  await run.rounds(
    step,
    async (frame) => {
      const found = await countMatches(run, step, frame, within);
      seen = found.count;
      const isMet = operator === "==" ? seen === count : operator === "<=" ? seen <= count : seen >= count;
      return (isMet && found.isAlike) === visible ? true : undefined;
    },
    () =>
      `expected ${visible ? "" : "not "}${operator} ${count} elements, found ${seen}: ${describeSelectors(step.selectors)}`,
  );
};

/** How many elements the first alternative with matches has. */
export const countMatches = async (
  run: ReplayRun,
  step: Step & Pick<WaitForElementStep, "selectors" | "attributes" | "properties">,
  frame: Frame,
  within: readonly Scope[],
): Promise<Counted> => {
  let counted: Counted = { count: 0, isAlike: true, document: 0 };
  for await (const query of run.queries(step, frame, step.selectors, within)) {
    counted = (await run.call(step, query.frame.evaluate(countSource(query.query, step)))) as Counted;
    if (counted.count > 0) break;
  }
  return counted;
};

export const waitForExpression = async (run: ReplayRun, step: WaitForExpressionStep): Promise<void> => {
  if (run.options.allowsExpressions !== true)
    throw stepFailure(
      step,
      "scraper-error",
      "expressions are code, which only recordings of operators may contain. Use waitForElement instead",
    );
  const source = `Promise.resolve((\n${step.expression.replace(/;\s*$/, "")}\n)).then(Boolean)`;
  await run.rounds(
    step,
    async (frame) => ((await run.call(step, frame.evaluate(source))) ? true : undefined),
    () => "the expression did not become true",
  );
};

export const setViewport = async (run: ReplayRun, step: SetViewportStep): Promise<void> => {
  const page = (await run.frameOf(step)).page();
  const size = (value: number): number => Math.round(Math.min(Math.max(value, 1), LARGEST_WINDOW));
  const [width, height] = [size(step.width), size(step.height)];
  const { isMobile: mobile, hasTouch } = step;
  const deviceScaleFactor = Math.min(Math.max(step.deviceScaleFactor, 0.1), LARGEST_SCALE);
  const now = page.viewportSize();
  if (now?.width !== width || now.height !== height)
    await run.call(step, page.setViewportSize({ width, height }));
  if (!mobile && !hasTouch && deviceScaleFactor === 1) return;
  const session = await run.session(step, page);
  const metrics = { width, height, deviceScaleFactor, mobile };
  await run.call(step, session.send("Emulation.setDeviceMetricsOverride", metrics));
  await run.call(step, session.send("Emulation.setTouchEmulationEnabled", { enabled: hasTouch }));
};

export const emulateNetwork = async (run: ReplayRun, step: EmulateNetworkStep): Promise<void> => {
  const page = (await run.frameOf(step)).page();
  const speed = (value: number): number => (value > 0 ? Math.max(value, SLOWEST_BYTES_PER_SECOND) : -1);
  const session = await run.session(step, page);
  const conditions = {
    offline: step.download === 0 && step.upload === 0,
    latency: Math.min(Math.max(step.latency, 0), LONGEST_LATENCY_MS),
    downloadThroughput: speed(step.download),
    uploadThroughput: speed(step.upload),
  };
  await run.call(step, session.send("Network.emulateNetworkConditions", conditions));
};

export const closePage = async (run: ReplayRun, step: Step): Promise<void> => {
  const page = run.targets.frameOf(step)?.page();
  // The first page belongs to the caller that started the replay.
  if (page && page !== run.options.page) await run.call(step, page.close());
};

/** A page that was not waited for by the step before gets the time to load what it asks for. */
export const extract = async (run: ReplayRun, step: ExtractStep, before: Step | undefined): Promise<void> => {
  if (before?.type !== "waitForElement" && before?.type !== "waitForExpression")
    await run.settle(QUIET_MS, SETTLE_MS);
  const failure = run.options.failureOf?.("document");
  if (failure) throw new FailureError(failure);
  const frame = await run.frameOf(step);
  await run.options.keep(step.name, frame);
};
