import { RecordingError } from "./recording-error.ts";
import { type Selector, SELECTOR_PREFIXES } from "./recording.ts";

/** Limits of one recording. A recording of a minute has about 50 steps with 4 selectors each. */
export const RECORDING_LIMITS = {
  bytes: 5_000_000,
  steps: 5000,
  nesting: 8,
  alternatives: 50,
  parts: 20,
  selector: 10_000,
  text: 100_000,
  timeoutMs: 30_000,
  pauseMs: 600_000,
  pages: 10_000,
} as const;

/** One field of a step. `read` returns its normalised value or throws `Unfit`. */
interface StepField {
  readonly isRequired: boolean;
  readonly read: (value: unknown) => unknown;
}

export type StepFields = Readonly<Record<string, StepField>>;

/** The value is not valid for the field; the message says what is expected. */
class Unfit extends Error {}

type Read = (value: unknown) => unknown;

const need = (read: Read): StepField => ({ isRequired: true, read });
const may = (read: Read): StepField => ({ isRequired: false, read });

/** The value itself, if it fits. */
const fits =
  (what: string, isFit: (value: unknown) => boolean): Read =>
  (value) => {
    if (!isFit(value)) throw new Unfit(what);
    return value;
  };

const isText = (value: unknown, most: number): value is string =>
  typeof value === "string" && value.length <= most;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const {
  text: MOST_TEXT,
  selector: MOST_SELECTOR,
  alternatives,
  parts,
  timeoutMs,
  pauseMs,
  pages,
} = RECORDING_LIMITS;

const text = fits(`a string of at most ${MOST_TEXT} characters`, (value) => isText(value, MOST_TEXT));
const number = fits("a number", Number.isFinite);
const boolean = fits("true or false", (value) => typeof value === "boolean");
const oneOf = (...words: readonly string[]): Read =>
  fits(`one of ${words.join(", ")}`, (value) => (words as readonly unknown[]).includes(value));
const whole = (min: number, max: number): Read =>
  fits(
    `a whole number from ${min} to ${max}`,
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  );
/** Names of kept pages and files, and ids of blocks. */
const name = fits(
  "a name of 1 to 64 letters, digits, dots, dashes and underscores",
  (value) => typeof value === "string" && /^[\w.-]{1,64}$/.test(value),
);
/** Milliseconds; some exporters write fractions. */
const timeout = fits(
  `milliseconds from 1 to ${timeoutMs}`,
  (value) => typeof value === "number" && value >= 1 && value <= timeoutMs,
);
const frame = fits(
  "a list of child indexes, for example [0, 1]",
  (value) =>
    Array.isArray(value) &&
    value.length <= parts &&
    value.every((index) => Number.isInteger(index) && index >= 0 && index < 1000),
);
const object = fits("an object", isObject);
const texts = fits(
  "an object of strings",
  (value) => isObject(value) && Object.values(value).every((one) => isText(one, MOST_TEXT)),
);

/** Pages that Chrome shows before the first address is entered: nothing is there to do. */
export const isBlankPage = (url: string): boolean =>
  /^(?:about:blank|chrome:\/\/(?:newtab|new-tab-page)\/?)$/.test(url);

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** `file:`, `javascript:` and `data:` would read the worker's disk, or run code. */
export const isWebUrl = (url: string): boolean => !SCHEME.test(url) || /^https?:\/\//i.test(url);

const url = fits(
  "an http or https URL",
  (value) => isText(value, MOST_SELECTOR) && (isWebUrl(value) || isBlankPage(value)),
);

const events: Read = (value) => {
  const what = 'a list of events such as { "type": "navigation", "url": "…" }';
  if (!Array.isArray(value) || value.length > alternatives) throw new Unfit(what);
  for (const event of value as readonly unknown[])
    if (
      !isObject(event) ||
      event["type"] !== "navigation" ||
      ![event["url"] ?? "", event["title"] ?? ""].every((one) => isText(one, MOST_TEXT))
    )
      throw new Unfit(what);
  return value as unknown;
};

/** A text, a list of texts, or a list of chains. */
const selectors: Read = (value) => {
  const list = typeof value === "string" ? [value] : value;
  if (!Array.isArray(list) || list.length === 0 || list.length > alternatives)
    throw new Unfit(`a list of 1 to ${alternatives} selectors`);
  return (list as readonly unknown[]).map((one): Selector => {
    const chain: readonly unknown[] = Array.isArray(one) ? one : [one];
    if (chain.length === 0 || chain.length > parts)
      throw new Unfit(`selectors with 1 to ${parts} parts; a part leads into a shadow root`);
    return chain.map((part) => {
      if (!isText(part, MOST_SELECTOR))
        throw new Unfit(`selectors of at most ${MOST_SELECTOR} characters: strings, or lists of strings`);
      if (part.trim() === "" || (SELECTOR_PREFIXES as readonly string[]).includes(part))
        throw new Unfit("selectors that are not empty");
      return part;
    });
  });
};

const SELECTORS = { selectors: need(selectors) };
const POINTER = {
  ...SELECTORS,
  offsetX: may(number),
  offsetY: may(number),
  button: may(oneOf("primary", "auxiliary", "secondary", "back", "forward")),
  deviceType: may(oneOf("mouse", "pen", "touch")),
  duration: may(number),
};

/** Fields of every step. */
export const COMMON_FIELDS: StepFields = {
  timeout: may(timeout),
  target: may(text),
  frame: may(frame),
  assertedEvents: may(events),
};

/** The steps of Chrome's Recorder. A field that is not listed is kept and means nothing. */
export const STEP_FIELDS: Readonly<Record<string, StepFields>> = {
  navigate: { url: need(url) },
  click: POINTER,
  doubleClick: POINTER,
  hover: POINTER,
  change: { ...SELECTORS, value: need(text) },
  keyDown: { key: need(text) },
  keyUp: { key: need(text) },
  scroll: { x: may(number), y: may(number), selectors: may(selectors) },
  setViewport: {
    width: need(whole(1, 10_000)),
    height: need(whole(1, 10_000)),
    deviceScaleFactor: need(number),
    isMobile: need(boolean),
    hasTouch: need(boolean),
    isLandscape: need(boolean),
  },
  emulateNetworkConditions: { download: need(number), upload: need(number), latency: need(number) },
  close: {},
  waitForElement: {
    ...SELECTORS,
    operator: may(oneOf(">=", "==", "<=")),
    count: may(whole(0, 1_000_000)),
    visible: may(boolean),
    properties: may(object),
    attributes: may(texts),
  },
  waitForExpression: { expression: need(text) },
  customStep: { name: need(text), parameters: may((value) => value) },
};

/** Parameters of the custom steps of Sluice. */
export const PARAMETERS: Readonly<Record<string, StepFields>> = {
  "sluice.extract": { name: may(name) },
  "sluice.download": { ...SELECTORS, name: may(name) },
  "sluice.absentIf": { ...SELECTORS, text: may(text) },
  "sluice.set": {
    ...SELECTORS,
    checked: may(boolean),
    label: may(text),
    index: may(whole(0, 100_000)),
    focused: may(fits("true", (value) => value === true)),
  },
  "sluice.pause": { ms: need(whole(0, pauseMs)) },
  "sluice.forEach": SELECTORS,
  "sluice.ifPresent": SELECTORS,
  "sluice.paginate": { ...SELECTORS, most: may(whole(1, pages)) },
};

export const BLOCKS = ["sluice.forEach", "sluice.ifPresent", "sluice.paginate"] as const;
export const blockId = name;

/** The known fields of an object, normalised, and the rest of it. `place` begins the message of an error: `step 3 (click)`. */
export const readFields = (
  given: Readonly<Record<string, unknown>>,
  fields: StepFields,
  place: string,
): { readonly known: Record<string, unknown>; readonly rest: Record<string, unknown> } => {
  const known: Record<string, unknown> = {};
  const rest: [string, unknown][] = [];
  for (const [field, value] of Object.entries(given)) {
    const { read } = (Object.hasOwn(fields, field) ? fields[field] : undefined) ?? {};
    if (read && value !== undefined && value !== null)
      known[field] = readOne(read, value, `${place}: \`${field}\``);
    else if (!read) rest.push([field, value]);
  }
  for (const [field, { isRequired }] of Object.entries(fields))
    if (isRequired && !Object.hasOwn(known, field))
      throw new RecordingError(`${place}: \`${field}\` is missing. Add it to the step, or remove the step.`);
  // `fromEntries` takes a field named __proto__ as what it is: a field.
  return { known, rest: Object.fromEntries(rest) };
};

const readOne = (read: Read, value: unknown, place: string): unknown => {
  try {
    return read(value);
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    const shown = (JSON.stringify(value) ?? String(value)).slice(0, 80);
    throw new RecordingError(`${place} is ${shown}: expected ${error.message}.`);
  }
};
