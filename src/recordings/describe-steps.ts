import type { Recording, Selector, Step } from "./recording.ts";
import { allSteps, codeStep } from "./recording.ts";
import { isBlankPage } from "./step-fields.ts";

/** A step in words, without its number. */
export const describeStep = (step: Step): string => {
  const where = [
    ...(step.target === undefined || step.target === "main" ? [] : [`in ${step.target}`]),
    ...(step.frame && step.frame.length > 0 ? [`in frame ${step.frame.join(", ")}`] : []),
  ].join(" ");
  return [wordsOf(step), where].filter(Boolean).join(" ");
};

const wordsOf = (step: Step): string => {
  switch (step.type) {
    case "navigate":
      return isBlankPage(step.url) ? "open an empty page (skipped)" : `open ${step.url}`;
    case "click":
      return `${step.button === "secondary" ? "right-click" : "click"} ${found(step.selectors)}`;
    case "doubleClick":
      return `double-click ${found(step.selectors)}`;
    case "hover":
      return `point at ${found(step.selectors)}`;
    case "change":
      return `enter ${quoted(step.value)} into ${found(step.selectors)}`;
    case "keyDown":
      return `press ${step.key}`;
    case "keyUp":
      return `release ${step.key}`;
    case "scroll":
      return `scroll ${step.selectors ? found(step.selectors) : "the page"} to ${step.x ?? 0}, ${step.y ?? 0}`;
    case "setViewport":
      return `set the window to ${step.width} × ${step.height}`;
    case "emulateNetworkConditions":
      return "emulate a slower network";
    case "close":
      return "close the page";
    case "waitForElement":
      return waitWords(step);
    case "waitForExpression":
      return `wait for the expression ${quoted(step.expression)}`;
    case "customStep":
      return `${step.name} (not a step of Sluice: does nothing)`;
    case "sluice.extract":
      return `keep the page as "${step.name}"`;
    case "sluice.download":
      return `click ${found(step.selectors)} and keep the file as "${step.name}"`;
    case "sluice.absentIf":
      return `end as absent if ${found(step.selectors)} is there${step.text === undefined ? "" : ` with the text ${quoted(step.text)}`}`;
    case "sluice.set": {
      const { selectors, to } = step;
      if ("checked" in to) return `${to.checked ? "check" : "uncheck"} ${found(selectors)}`;
      if ("label" in to) return `choose ${quoted(to.label)} in ${found(selectors)}`;
      if ("index" in to) return `choose option ${to.index + 1} in ${found(selectors)}`;
      return `focus ${found(selectors)}`;
    }
    case "sluice.pause":
      return `wait ${step.ms} ms`;
    case "sluice.forEach":
      return `for each ${found(step.selectors)}:`;
    case "sluice.ifPresent":
      return `if ${found(step.selectors)} is there:`;
    case "sluice.paginate":
      return `on each page, continuing with ${found(step.selectors)}, at most ${step.most}:`;
    default:
      return step satisfies never;
  }
};

const waitWords = (step: Extract<Step, { type: "waitForElement" }>): string => {
  const { selectors, operator = ">=", count = 1, visible, properties, attributes } = step;
  const isPlain = operator === ">=" && count === 1;
  const state = visible === undefined ? "" : visible ? " to be visible" : " to be hidden";
  const wanted = { ...properties, ...attributes };
  const having = Object.keys(wanted).length > 0 ? ` with ${JSON.stringify(wanted)}` : "";
  return `wait for ${isPlain ? "" : `${operator} ${count} × `}${found(selectors)}${state}${having}`;
};

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);

const found = ([first = [], ...others]: readonly Selector[]): string => {
  const more = others.length === 0 ? "" : ` (or ${others.length} more)`;
  return first.join(" › ") + more;
};

/** Lines of a report: each step with its number, those of blocks indented. */
export const describeSteps = (steps: readonly Step[], indent = ""): string[] =>
  steps.flatMap((step) => [
    `${String(step.number).padStart(4)}  ${indent}${describeStep(step)}`,
    ...("steps" in step ? describeSteps(step.steps, `${indent}  `) : []),
    ...("otherwise" in step && step.otherwise
      ? [`      ${indent}otherwise:`, ...describeSteps(step.otherwise, `${indent}  `)]
      : []),
  ]);

const REPEATS = 3;

/** What a person should know about a recording that is valid. */
export const remarksOn = (recording: Recording): string[] => {
  const steps = [...allSteps(recording.steps)];
  const code = codeStep(recording);
  const isKept = steps.some(({ type }) => type === "sluice.extract" || type === "sluice.download");
  const repeated = steps.findIndex((step, at) => {
    const run = steps.slice(at, at + REPEATS);
    return (
      run.length === REPEATS &&
      run.every(
        (one) => one.type === "click" && step.type === "click" && isSame(one.selectors, step.selectors),
      )
    );
  });
  const foreign = steps.filter(({ type }) => type === "customStep").map(({ number }) => number);
  return [
    ...(code
      ? [`Step ${code.number} runs code in the page: such a recording works from a file, not over the API.`]
      : []),
    ...(isKept ? [] : ['No step keeps a page: the page at the end is kept as "page".']),
    ...(repeated < 0
      ? []
      : [
          `Steps ${steps[repeated]!.number} to ${steps[repeated + REPEATS - 1]!.number} click the same element: sluice.paginate continues until there is no next page.`,
        ]),
    ...(foreign.length === 0 ? [] : [`Custom steps that do nothing here: ${foreign.join(", ")}.`]),
  ];
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Recorded values that may be inputs: texts that were entered, and parts of addresses. */
export const likelyInputs = (recording: Recording): string[] => {
  const values = [...allSteps(recording.steps)].flatMap((step): string[] => {
    if (step.type === "change") return [step.value];
    if (step.type !== "navigate" || !URL.canParse(step.url)) return [];
    const { searchParams, pathname } = new URL(step.url);
    return [...searchParams.values(), ...pathname.split("/").filter((part) => /\d/.test(part))];
  });
  return [...new Set(values)].filter((value) => value !== "" && !value.includes("{{") && value.length <= 80);
};
