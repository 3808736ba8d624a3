/**
 * A recording: what a person did in a browser, as data. The shape is that of Chrome's DevTools Recorder after normalisation (`parse-recording.ts`):
 * selectors are always lists of alternatives, steps are numbered, and the `sluice.*` custom steps are parsed, with blocks nested.
 */
export interface Recording {
  readonly title: string;
  /** Milliseconds for each step that has no `timeout` of its own. */
  readonly timeout?: number;
  readonly steps: readonly Step[];
  /** Fields of the source that mean nothing here, kept for writing it back. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * One way to find an element: a chain through shadow hosts, usually of one part. A part starts with `aria/`, `text/`, `xpath/`, `pierce/` or `pw/`
 * (a selector of Playwright, handed to `page.locator` as it is, frames included); otherwise it is CSS.
 */
export type Selector = readonly string[];

export const SELECTOR_PREFIXES = ["aria/", "text/", "xpath/", "pierce/", "pw/"] as const;

export interface AssertedNavigation {
  readonly type: "navigation";
  readonly url?: string;
  readonly title?: string;
}

interface StepBase {
  /** Counted from 1 in the source file, as people see it in error messages. */
  readonly number: number;
  readonly timeout?: number;
  /** `main` or absent: the first page. `popup/2`: the second page that was opened. Otherwise the URL of a popup or of a frame of another process. */
  readonly target?: string;
  /** Child indexes, from the page's own frame down. */
  readonly frame?: readonly number[];
  readonly assertedEvents?: readonly AssertedNavigation[];
  /** Fields of the source that mean nothing here, kept for writing it back. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Alternatives, in the order of the source; never empty. */
interface WithSelectors extends StepBase {
  readonly selectors: readonly Selector[];
}

/** A missing offset means the centre of the border box. */
interface Pointer extends WithSelectors {
  readonly offsetX?: number;
  readonly offsetY?: number;
  readonly button?: "primary" | "auxiliary" | "secondary" | "back" | "forward";
  readonly deviceType?: "mouse" | "pen" | "touch";
  readonly duration?: number;
}

export interface NavigateStep extends StepBase {
  readonly type: "navigate";
  readonly url: string;
}
export interface ClickStep extends Pointer {
  readonly type: "click" | "doubleClick";
}
export interface HoverStep extends Pointer {
  readonly type: "hover";
}
export interface ChangeStep extends WithSelectors {
  readonly type: "change";
  readonly value: string;
}
export interface KeyStep extends StepBase {
  readonly type: "keyDown" | "keyUp";
  readonly key: string;
}
export interface ScrollStep extends StepBase {
  readonly type: "scroll";
  readonly x?: number;
  readonly y?: number;
  readonly selectors?: readonly Selector[];
}
export interface SetViewportStep extends StepBase {
  readonly type: "setViewport";
  readonly width: number;
  readonly height: number;
  readonly deviceScaleFactor: number;
  readonly isMobile: boolean;
  readonly hasTouch: boolean;
  readonly isLandscape: boolean;
}
/** Bytes per second and milliseconds. */
export interface EmulateNetworkStep extends StepBase {
  readonly type: "emulateNetworkConditions";
  readonly download: number;
  readonly upload: number;
  readonly latency: number;
}
export interface CloseStep extends StepBase {
  readonly type: "close";
}
/** Absent `operator` and `count` mean at least one, as Chrome's own runner has it. `visible: false` negates the result. */
export interface WaitForElementStep extends WithSelectors {
  readonly type: "waitForElement";
  readonly operator?: ">=" | "==" | "<=";
  readonly count?: number;
  readonly visible?: boolean;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly attributes?: Readonly<Record<string, string>>;
}
/** Code: only in recordings of operators (see `codeStep`). */
export interface WaitForExpressionStep extends StepBase {
  readonly type: "waitForExpression";
  readonly expression: string;
}
/** A custom step of someone else: does nothing. */
export interface CustomStep extends StepBase {
  readonly type: "customStep";
  readonly name: string;
  readonly parameters?: unknown;
}

/** Keeps the DOM of the page at this moment, for `extract`. */
export interface ExtractStep extends StepBase {
  readonly type: "sluice.extract";
  readonly name: string;
}
/** Keeps a file: what a click on the element downloads. */
export interface DownloadStep extends WithSelectors {
  readonly type: "sluice.download";
  readonly name: string;
}
/** The item does not exist if an element matches and, where `text` is given, contains it. */
export interface AbsentIfStep extends WithSelectors {
  readonly type: "sluice.absentIf";
  readonly text?: string;
}
/** Sets a form control in a way that Chrome's `change` cannot: a box or radio button, an option by its label or its place (from 0), or the focus. */
export interface SetStep extends WithSelectors {
  readonly type: "sluice.set";
  readonly to:
    | { readonly checked: boolean }
    | { readonly label: string }
    | { readonly index: number }
    | { readonly focused: true };
}
export interface PauseStep extends StepBase {
  readonly type: "sluice.pause";
  readonly ms: number;
}

interface Block extends WithSelectors {
  /** Names the begin and the end in Chrome's flat list. */
  readonly id: string;
  readonly steps: readonly Step[];
}
/**
 * Runs its steps once for each match; selectors inside find only elements in the match, or the match itself (`:scope`). `:root …` means the whole
 * page.
 */
export interface ForEachBlock extends Block {
  readonly type: "sluice.forEach";
}
export interface IfPresentBlock extends Block {
  readonly type: "sluice.ifPresent";
  readonly otherwise?: readonly Step[];
}
/** Runs its steps, then clicks the match and runs them again, until nothing matches, it is disabled, nothing changes or `most` pages were seen. */
export interface PaginateBlock extends Block {
  readonly type: "sluice.paginate";
  readonly most: number;
}

export type BlockStep = ForEachBlock | IfPresentBlock | PaginateBlock;

export type Step =
  | NavigateStep
  | ClickStep
  | HoverStep
  | ChangeStep
  | KeyStep
  | ScrollStep
  | SetViewportStep
  | EmulateNetworkStep
  | CloseStep
  | WaitForElementStep
  | WaitForExpressionStep
  | CustomStep
  | ExtractStep
  | DownloadStep
  | AbsentIfStep
  | SetStep
  | PauseStep
  | BlockStep;

/** All steps in the order of the source, those inside blocks included. */
export function* allSteps(steps: readonly Step[]): Generator<Step> {
  for (const step of steps) {
    yield step;
    if ("steps" in step) yield* allSteps(step.steps);
    if ("otherwise" in step && step.otherwise) yield* allSteps(step.otherwise);
  }
}

/** The first step that runs code of the recording in the page, if any: recordings of clients may have none. */
export const codeStep = ({ steps }: Pick<Recording, "steps">): Step | undefined => {
  for (const step of allSteps(steps)) if (step.type === "waitForExpression") return step;
  return undefined;
};
