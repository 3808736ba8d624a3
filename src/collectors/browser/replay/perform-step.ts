import type { Frame, Page } from "playwright-core";
import { FailureError } from "../../../domain/failure.ts";
import type {
  ChangeStep,
  ClickStep,
  DownloadStep,
  EmulateNetworkStep,
  ExtractStep,
  HoverStep,
  KeyStep,
  NavigateStep,
  ScrollStep,
  SetViewportStep,
  Step,
  WaitForElementStep,
  WaitForExpressionStep,
} from "../../../recordings/recording.ts";
import type { Scope } from "./find-elements.ts";
import { type Counted, countSource } from "./page-acts.ts";
import { NAVIGATION_MS, type ReplayRun } from "./replay-run.ts";
import { describeSelectors, firstLine, stepFailure } from "./step-failure.ts";
import { placeOf } from "./targets.ts";

/** As in Chrome's runner: pages with timers of their own see separate keys. */
const KEY_PAUSE_MS = 100;
/** Longer text comes at once, as if it were pasted. */
const MOST_TYPED = 100;
/** A document that is parsed is good enough; what it loads besides gets a moment. */
const LOAD_MS = 5000;
const QUIET_MS = 250;
const SETTLE_MS = 10_000;
const LONGEST_PRESS_MS = 5000;
/** Recordings cannot make a page slower than that, or its window larger. */
const SLOWEST_BYTES_PER_SECOND = 10_000;
const LONGEST_LATENCY_MS = 2000;
const LARGEST_WINDOW = 4000;
const LARGEST_SCALE = 4;

/** Steps that are not blocks of other steps. */
export const navigate = async (run: ReplayRun, step: NavigateStep): Promise<void> => {
  const { target, frame: frames } = step;
  const frame = run.targets.frameOf({ ...(target ? { target } : {}), ...(frames ? { frame: frames } : {}) });
  if (!frame) throw run.fails(step, `there is no page ${placeOf(target ?? "main")} to navigate in`);
  const protocol = URL.parse(step.url)?.protocol;
  // Files of this machine, scripts and the browser's own pages are none of a recording's business.
  if (protocol !== "http:" && protocol !== "https:" && step.url !== "about:blank")
    throw stepFailure(step, "forbidden-target", `only http: and https: URLs can be opened, not ${protocol}`);
  run.activity.touch();
  await run.call(step, run.options.goto?.(frame, step.url) ?? open(frame, step), NAVIGATION_MS);
  await loaded(run, step, frame);
};

const open = async (frame: Frame, step: NavigateStep): Promise<void> => {
  try {
    await frame.goto(step.url, { waitUntil: "domcontentloaded", timeout: 0 });
  } catch (error) {
    const text = firstLine(error);
    const isConnection =
      /net::ERR_(?:CONNECTION|NAME|ADDRESS|NETWORK|INTERNET|SOCKET|EMPTY|TIMED|SSL|CERT|PROXY|TUNNEL)/.test(
        text,
      );
    throw stepFailure(step, isConnection ? "connection" : "navigation", text, placeOf(step.url), error);
  }
};

/** Waits for the document, then a moment for the rest of it. */
const loaded = async (run: ReplayRun, step: Step, frame: Frame): Promise<void> => {
  const wait = async (state: "domcontentloaded" | "load", ms: number): Promise<boolean> => {
    try {
      await run.call(step, frame.waitForLoadState(state, { timeout: 0 }), ms);
      return true;
    } catch (error) {
      // A frame that is gone has nothing left to load.
      if (error instanceof FailureError && error.failure.kind !== "timeout") throw error;
      return !(error instanceof FailureError);
    }
  };
  if (!(await wait("domcontentloaded", NAVIGATION_MS)))
    throw stepFailure(step, "timeout", "the page did not arrive in full", placeOf(frame.url()));
  await wait("load", LOAD_MS);
};

/** Does something, and waits for the navigation that the recording saw after it. Which URL it led to is not compared: inputs differ. */
const withNavigation = async (
  run: ReplayRun,
  step: Step,
  frame: Frame,
  action: () => Promise<void>,
): Promise<void> => {
  run.activity.touch();
  if ((step.assertedEvents ?? []).length === 0) return action();
  const page = frame.page();
  let [isStarted, isCommitted] = [false, false];
  const onRequest = (request: { isNavigationRequest(): boolean }): void => {
    isStarted ||= request.isNavigationRequest();
  };
  const onNavigated = (navigated: Frame): void => {
    isCommitted ||= navigated === frame || navigated === page.mainFrame();
  };
  page.on("request", onRequest);
  page.on("framenavigated", onNavigated);
  try {
    await action();
    const from = run.now();
    while (!isCommitted && !page.isClosed()) {
      const waitedMs = run.now() - from;
      if (!isStarted && waitedMs > run.timeoutOf(step))
        throw run.fails(step, "the navigation that the recording has after it did not start");
      if (waitedMs > NAVIGATION_MS)
        throw stepFailure(step, "timeout", "the navigation after it did not end", placeOf(page.url()));
      await run.pause(20);
    }
  } finally {
    page.off("request", onRequest);
    page.off("framenavigated", onNavigated);
  }
  if (!page.isClosed()) await loaded(run, step, frame.isDetached() ? page.mainFrame() : frame);
};

/** Where the frame's viewport lies in its page. */
const offsetOf = async (run: ReplayRun, step: Step, frame: Frame): Promise<{ x: number; y: number }> => {
  const offset = { x: 0, y: 0 };
  for (let at: Frame | null = frame; at?.parentFrame(); at = at.parentFrame()) {
    const element = await run.call(step, at.frameElement());
    const box = await run.call(
      step,
      element.evaluate((node) => {
        const iframe = node as unknown as {
          readonly clientLeft: number;
          readonly clientTop: number;
          getBoundingClientRect(): { readonly left: number; readonly top: number };
        };
        const { paddingLeft, paddingTop } = (
          globalThis as unknown as {
            getComputedStyle(of: object): { paddingLeft: string; paddingTop: string };
          }
        ).getComputedStyle(iframe);
        const { left, top } = iframe.getBoundingClientRect();
        return {
          x: left + iframe.clientLeft + parseFloat(paddingLeft),
          y: top + iframe.clientTop + parseFloat(paddingTop),
        };
      }),
    );
    offset.x += box.x;
    offset.y += box.y;
  }
  return offset;
};

const BUTTONS = { primary: "left", auxiliary: "middle", secondary: "right" } as const;

/** Clicks coordinates, not elements: whatever lies there gets the event, as with a person's click. */
const press = async (
  run: ReplayRun,
  step: ClickStep | HoverStep | DownloadStep,
  page: Page,
  x: number,
  y: number,
): Promise<void> => {
  if (step.type === "hover") return run.call(step, page.mouse.move(x, y));
  const clickCount = step.type === "doubleClick" ? 2 : 1;
  const { button = "primary", duration = 0 } = step.type === "sluice.download" ? {} : step;
  if (button !== "back" && button !== "forward") {
    const delay = Math.min(duration, LONGEST_PRESS_MS);
    const click = page.mouse.click(x, y, { button: BUTTONS[button], clickCount, delay });
    try {
      return await run.call(step, click, run.timeoutOf(step) + 2 * delay);
    } catch (error) {
      // The click has closed its own page.
      if (error instanceof FailureError || !page.isClosed()) throw error;
      return;
    }
  }
  const session = await run.session(step, page);
  for (const type of ["mousePressed", "mouseReleased"] as const)
    await run.call(step, session.send("Input.dispatchMouseEvent", { type, x, y, button, clickCount }));
};

export const point = async (
  run: ReplayRun,
  step: ClickStep | HoverStep | DownloadStep,
  within: readonly Scope[],
): Promise<{ readonly frame: Frame; readonly act: () => Promise<void> }> => {
  const { offsetX, offsetY } = step.type === "sluice.download" ? {} : step;
  const { frame, result } = await run.act(
    step,
    "point",
    {
      ...(offsetX === undefined ? {} : { offsetX }),
      ...(offsetY === undefined ? {} : { offsetY }),
      enabled: step.type !== "hover",
    },
    within,
  );
  const offset = await offsetOf(run, step, frame);
  const act = (): Promise<void> => press(run, step, frame.page(), result.x + offset.x, result.y + offset.y);
  return { frame, act };
};

export const click = async (
  run: ReplayRun,
  step: ClickStep | HoverStep,
  within: readonly Scope[],
): Promise<void> => {
  const { frame, act } = await point(run, step, within);
  await withNavigation(run, step, frame, act);
};

export const download = async (
  run: ReplayRun,
  step: DownloadStep,
  within: readonly Scope[],
): Promise<void> => {
  const { frame, act } = await point(run, step, within);
  await run.options.download(step.name, act, frame.page());
};

export const change = async (run: ReplayRun, step: ChangeStep, within: readonly Scope[]): Promise<void> => {
  const frame = run.targets.frameOf(step) ?? run.options.page.mainFrame();
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
  const frame = run.targets.frameOf(step) ?? run.options.page.mainFrame();
  const { keyboard } = frame.page();
  await withNavigation(run, step, frame, async () => {
    try {
      await run.call(step, step.type === "keyDown" ? keyboard.down(step.key) : keyboard.up(step.key));
    } catch (error) {
      if (!firstLine(error).includes("Unknown key")) throw error;
      if ([...step.key].length > 1) throw run.fails(step, `no keyboard has the key ${step.key}`, error);
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
    async (frame, leftMs) => {
      await run.call(step, frame.evaluate(`window.scroll(${Number(x)}, ${Number(y)})`), leftMs);
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
    async (frame, leftMs) => {
      const found = await countMatches(run, step, frame, leftMs, within);
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
  leftMs: number,
  within: readonly Scope[],
): Promise<Counted> => {
  let counted: Counted = { count: 0, isAlike: true, document: 0 };
  for await (const query of run.queries(step, frame, leftMs, step.selectors, within)) {
    counted = (await run.call(step, query.frame.evaluate(countSource(query.query, step)), leftMs)) as Counted;
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
  await run.rounds(
    step,
    async (frame, leftMs) =>
      (await run.call(step, frame.evaluate(`Promise.resolve(${step.expression}).then(Boolean)`), leftMs))
        ? true
        : undefined,
    () => "the expression did not become true",
  );
};

export const setViewport = async (run: ReplayRun, step: SetViewportStep): Promise<void> => {
  const page = (run.targets.frameOf(step) ?? run.options.page.mainFrame()).page();
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
  const page = (run.targets.frameOf(step) ?? run.options.page.mainFrame()).page();
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
  // The first page belongs to whoever started the replay.
  if (page && page !== run.options.page) await run.call(step, page.close());
};

/** A page that was not waited for by the step before gets the time to load what it asks for. */
export const extract = async (run: ReplayRun, step: ExtractStep, before: Step | undefined): Promise<void> => {
  if (before?.type !== "waitForElement" && before?.type !== "waitForExpression")
    await run.settle(QUIET_MS, SETTLE_MS);
  const frame = await run.rounds(
    step,
    (found) => Promise.resolve(found),
    () => "the page is not there",
  );
  await run.options.keep(step.name, frame);
};
