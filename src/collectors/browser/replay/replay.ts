import type { Recording, Step } from "../../../recordings/recording.ts";
import { absentIf, forEach, ifPresent, paginate } from "./blocks.ts";
import type { Scope } from "./find-elements.ts";
import { navigate } from "./navigation.ts";
import * as perform from "./perform-step.ts";
import { click, download } from "./pointer.ts";
import { type ReplayOptions, ReplayRun } from "./replay-run.ts";

/**
 * Performs a recording in a page. Rejects with a `FailureError` that names the step: `navigation` when the page has not what the step needs,
 * `timeout` when it does not respond, `browser` when it crashed or was closed; with an `AbsentError` when `sluice.absentIf` applies.
 */
export type { ReplayOptions };
export const replay = async (recording: Recording, options: ReplayOptions): Promise<void> => {
  const run = new ReplayRun(recording, options);
  const runSteps = async (steps: readonly Step[], within: readonly Scope[]): Promise<void> => {
    for (const [at, step] of steps.entries()) {
      run.begin(step);
      await performStep(run, step, within, { before: steps[at - 1], after: steps[at + 1], runSteps });
    }
  };
  try {
    await runSteps(recording.steps, []);
  } catch (error) {
    throw run.explained(error);
  } finally {
    run.close();
  }
};

const performStep = async (
  run: ReplayRun,
  step: Step,
  within: readonly Scope[],
  {
    before,
    after,
    runSteps,
  }: {
    readonly before: Step | undefined;
    readonly after: Step | undefined;
    readonly runSteps: (steps: readonly Step[], within: readonly Scope[]) => Promise<void>;
  },
): Promise<void> => {
  switch (step.type) {
    case "navigate":
      return navigate(run, step);
    case "click":
    case "doubleClick":
    case "hover":
      return click(run, step, within);
    case "change":
      return perform.change(run, step, within);
    case "keyDown":
    case "keyUp":
      return perform.pressKey(run, step);
    case "scroll":
      return perform.scroll(run, step, within);
    case "setViewport":
      return perform.setViewport(run, step);
    case "emulateNetworkConditions":
      return perform.emulateNetwork(run, step);
    case "close":
      return perform.closePage(run, step);
    case "waitForElement":
      return perform.waitForElement(run, step, within);
    case "waitForExpression":
      return perform.waitForExpression(run, step);
    case "sluice.extract":
      return perform.extract(run, step, before);
    case "sluice.download":
      return download(run, step, within);
    case "sluice.set":
      await run.act(step, "set", { to: step.to }, within);
      return;
    case "sluice.pause":
      return run.pause(step.ms);
    case "sluice.absentIf":
      return absentIf(run, step, within, after);
    case "sluice.ifPresent":
      return ifPresent(run, step, within, runSteps);
    case "sluice.forEach":
      return forEach(run, step, within, runSteps);
    case "sluice.paginate":
      return paginate(run, step, within, runSteps);
    case "customStep":
      return; // Someone else's.
    default:
      step satisfies never;
  }
};
