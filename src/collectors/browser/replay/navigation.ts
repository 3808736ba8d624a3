import type { Frame, Request } from "playwright-core";
import { FailureError } from "../../../domain/failure.ts";
import type { NavigateStep, Step } from "../../../recordings/recording.ts";
import { isBlankPage } from "../../../recordings/step-fields.ts";
import { NAVIGATION_MS, type ReplayRun } from "./replay-run.ts";
import { firstLine, stepFailure } from "./step-failure.ts";
import { placeOf } from "./targets.ts";

/** A parsed document is enough; its other resources get a moment. */
const LOAD_MS = 5000;
const POLL_MS = 20;
/** A page with a failed request and no others in progress will not navigate. */
const GIVEN_UP_MS = 1500;

export const navigate = async (run: ReplayRun, step: NavigateStep): Promise<void> => {
  if (isBlankPage(step.url)) return;
  const frame = await run.frameOf(step);
  const url = URL.parse(step.url, run.options.site ?? frame.url());
  // An input may be a part of it. Local files, scripts and the browser's own pages are not allowed in recordings.
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw stepFailure(step, "forbidden-target", `not an http or https URL: ${step.url.slice(0, 100)}`);
  run.activity.touch();
  const opened = run.options.goto?.(frame, url.href) ?? open(frame, step, url.href);
  await run.call(step, opened, NAVIGATION_MS, () => late(step, url.href));
  await loaded(run, step, frame);
};

const open = async (frame: Frame, step: NavigateStep, url: string): Promise<void> => {
  try {
    await frame.goto(url, { waitUntil: "domcontentloaded", timeout: 0 });
  } catch (error) {
    const text = firstLine(error);
    const isConnection =
      /net::ERR_(?:CONNECTION|NAME|ADDRESS|NETWORK|INTERNET|SOCKET|EMPTY|TIMED|SSL|CERT|PROXY|TUNNEL)/.test(
        text,
      );
    throw stepFailure(step, isConnection ? "connection" : "navigation", text, placeOf(url), error);
  }
};

/** Waits for the document, then a moment for the rest of it. */
const loaded = async (run: ReplayRun, step: Step, frame: Frame): Promise<void> => {
  // A frame that is gone has nothing left to load.
  const reached = (state: "domcontentloaded" | "load"): Promise<void> =>
    frame.waitForLoadState(state, { timeout: 0 }).catch(() => undefined);
  await run.call(step, reached("domcontentloaded"), NAVIGATION_MS, () => late(step, frame.url()));
  const load = { isOver: false };
  void reached("load").then(() => (load.isOver = true));
  const until = run.now() + LOAD_MS;
  while (!load.isOver && run.now() < until) await run.pause(POLL_MS);
};

const late = (step: Step, url: string): FailureError =>
  stepFailure(step, "timeout", `the page was not complete within ${NAVIGATION_MS / 1000} s`, placeOf(url));

/** Does something, and waits for the navigation that the recording saw after it. Which URL it led to is not compared: inputs differ. */
export const withNavigation = async (
  run: ReplayRun,
  step: Step,
  frame: Frame,
  action: () => Promise<void>,
): Promise<void> => {
  run.activity.touch();
  if ((step.assertedEvents ?? []).length === 0) return action();
  const page = frame.page();
  const seen = { isStarted: false, isCommitted: false };
  const onRequest = (request: Request): void => {
    seen.isStarted ||= request.isNavigationRequest();
  };
  const onNavigated = (navigated: Frame): void => {
    seen.isCommitted ||= navigated === frame || navigated === page.mainFrame();
  };
  page.on("request", onRequest);
  page.on("framenavigated", onNavigated);
  try {
    await action();
    const from = run.now();
    while (!seen.isCommitted && !page.isClosed()) {
      const waitedMs = run.now() - from;
      const failure = run.activity.idleMs() > GIVEN_UP_MS ? run.options.failureOf?.("any") : undefined;
      if (failure) throw new FailureError(failure);
      if (!seen.isStarted && waitedMs > run.timeoutOf(step))
        throw run.fails(step, "the navigation that was recorded after it did not start");
      if (waitedMs > NAVIGATION_MS)
        throw stepFailure(step, "timeout", "the navigation after it did not end", placeOf(page.url()));
      await run.pause(POLL_MS);
    }
  } finally {
    page.off("request", onRequest);
    page.off("framenavigated", onNavigated);
  }
  if (!page.isClosed()) await loaded(run, step, frame.isDetached() ? page.mainFrame() : frame);
};
