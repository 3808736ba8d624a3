import type { Frame, Page } from "playwright-core";
import { FailureError } from "../../../domain/failure.ts";
import type { ClickStep, DownloadStep, HoverStep, Step } from "../../../recordings/recording.ts";
import type { Scope } from "./find-elements.ts";
import { withNavigation } from "./navigation.ts";
import type { ReplayRun } from "./replay-run.ts";

const LONGEST_PRESS_MS = 5000;

/** Position of the frame's viewport in its page. */
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

/** Clicks coordinates, not elements: whatever is there gets the event, as with a person's click. */
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

const point = async (
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
