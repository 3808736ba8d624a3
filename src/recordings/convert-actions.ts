import type { OptionNames } from "../domain/known-options.ts";
import {
  allAt,
  evaluate,
  matchStars,
  type Template,
  type TemplateScope,
  textOf,
} from "./adapter-template.ts";
import type { Adapter } from "./adapters.ts";
import { isObject } from "./parse-recording.ts";
import { RecordingError } from "./recording-error.ts";
import { RECORDING_LIMITS } from "./step-fields.ts";

/** The parts of a step's template that are not fields of the step. */
interface Control {
  readonly when?: Readonly<Record<string, string>>;
  /** Several steps for one action. */
  readonly steps?: readonly Template[];
  /** Of a series of such actions on one element, only the last counts. */
  readonly coalesce?: boolean;
  /** Why there is no equivalent. */
  readonly refuse?: string;
  /** Keys that are held during the step, as bits: 1 Alt, 2 Control, 4 Meta, 8 Shift. */
  readonly modifiers?: Template;
  /** The name of the page that the step opens. */
  readonly opens?: Template;
  /** Gives the current page a name. */
  readonly names?: Template;
  /** Makes a page the current one. */
  readonly uses?: Template;
  readonly enterFrame?: Template;
  readonly leaveFrame?: true | "all";
}

const CONTROLS: OptionNames<Control> & { readonly captures: true } = {
  when: true,
  steps: true,
  coalesce: true,
  refuse: true,
  modifiers: true,
  opens: true,
  names: true,
  uses: true,
  enterFrame: true,
  leaveFrame: true,
  captures: true,
};

/** An action that has no equivalent. */
export interface Refusal {
  readonly number: number;
  readonly kind: string;
  readonly why: string;
}

type JsonObject = Record<string, unknown>;

const NUMERIC = new Set(
  "timeout x y width height deviceScaleFactor offsetX offsetY duration count index ms most download upload latency".split(
    " ",
  ),
);
const MODIFIERS = ["Alt", "Control", "Meta", "Shift"];
const FIXED_TARGET = /^(?:main|popup\/\d+|[a-z][a-z0-9+.-]*:\/\/.*)$/i;

/** Converts action by action, and remembers the frame and the page that the recording is in. */
export class ActionConverter {
  readonly steps: JsonObject[] = [];
  readonly numbers: number[] = [];
  readonly refusals: Refusal[] = [];
  readonly #adapter: Adapter;
  readonly #base: unknown;
  readonly #ignore: readonly string[];
  readonly #map: ReadonlyMap<string, Template>;
  /** The pages with a name. */
  readonly #pages = new Map<string, string>();
  #opened = 0;
  #frame: number[] = [];
  #target: string | undefined;
  /** The element of the last action, and where its steps begin. */
  #last: { readonly key: string | undefined; readonly at: number } | undefined;

  constructor(adapter: Adapter, base: unknown) {
    this.#adapter = adapter;
    this.#base = base;
    this.#ignore = adapter.ignore ?? [];
    this.#map = new Map(
      Object.entries(adapter.map).flatMap(([kinds, entry]) => kinds.split("|").map((kind) => [kind, entry])),
    );
  }

  add(action: unknown, number: number): void {
    const [found] = allAt(action, this.#adapter.type);
    const kind = found === undefined ? "" : textOf(found);
    const entry = this.#map.get(kind);
    if (entry === undefined && this.#ignore.some((pattern) => matchStars(pattern, kind))) return;
    try {
      if (entry === undefined) throw new RecordingError(this.#whyNot(kind));
      this.#convert(entry, action, { number, kind });
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      this.refusals.push({ number, kind: kind.slice(0, 80), why: error.message });
    }
  }

  #whyNot(kind: string): string {
    const rows = Object.entries(this.#adapter.refuse ?? {});
    const row = rows.find(([patterns]) => patterns.split("|").some((pattern) => matchStars(pattern, kind)));
    return row?.[1] ?? "neither mapped nor ignored";
  }

  #convert(entry: Template, action: unknown, of: { readonly number: number; readonly kind: string }): void {
    const { selectors, tables = {}, placeholders = {}, target, frame } = this.#adapter;
    const scopeWith = (captures: TemplateScope["captures"]): TemplateScope => ({
      action,
      captures,
      selectors,
      tables,
      placeholders,
    });
    const named = firstOf(evaluate(target, scopeWith({})));
    if (named !== undefined) this.#target = this.#page(textOf(named));
    const cases = [entry].flat() as readonly (Control & JsonObject)[];
    const found = cases
      .map((one) => ({ ...one, captures: matchAll(one.when, action, this.#target ?? "main") }))
      .find(({ captures }) => captures !== undefined);
    if (!found) throw new RecordingError("no case of the adapter matches it");
    if (found.refuse !== undefined) throw new RecordingError(found.refuse);
    const scope = scopeWith(found.captures ?? {});
    const fields = Object.fromEntries(
      Object.entries(found).filter(([name]) => !Object.hasOwn(CONTROLS, name)),
    );
    const templates = found.steps ?? ("type" in fields ? [fields] : []);
    const ownFrame = evaluate(frame, scope);
    const made = templates.flatMap((template) => this.#step(template, scope, ownFrame));
    this.#push(holding(Number(evaluate(found.modifiers, scope) ?? 0), made), of, found.coalesce === true);
    this.#move(found, scope);
  }

  /** Into another page or frame, for the actions that follow. */
  #move({ opens, names, uses, enterFrame, leaveFrame }: Control, scope: TemplateScope): void {
    const [opened, name, used, entered] = [opens, names, uses, enterFrame].map((each) =>
      firstOf(evaluate(each, scope)),
    );
    if (opened !== undefined && opened !== "") this.#page(textOf(opened));
    if (name !== undefined) this.#pages.set(textOf(name), this.#target ?? "main");
    if (used !== undefined) this.#use(textOf(used));
    if (entered !== undefined) this.#frame = [...this.#frame, Number(entered)];
    if (leaveFrame !== undefined) this.#frame = leaveFrame === "all" ? [] : this.#frame.slice(0, -1);
  }

  #push(
    made: readonly JsonObject[],
    { number, kind }: { readonly number: number; readonly kind: string },
    coalesces: boolean,
  ): void {
    const key = coalesces
      ? JSON.stringify([kind, made.map((step) => ({ ...step, value: undefined }))])
      : undefined;
    if (key !== undefined && this.#last?.key === key) {
      this.steps.splice(this.#last.at);
      this.numbers.splice(this.#last.at);
    } else this.#last = { key, at: this.steps.length };
    this.steps.push(...made);
    this.numbers.push(...made.map(() => number));
  }

  /** One step of the adapter's: one of Chrome's, or several for `press`. */
  #step(template: Template, scope: TemplateScope, ownFrame: unknown): JsonObject[] {
    const step = this.#finish(evaluate(template, scope)) as JsonObject;
    const place = {
      ...(this.#target !== undefined && { target: this.#target }),
      ...((ownFrame ?? this.#frame.length > 0) && { frame: ownFrame ?? this.#frame }),
    };
    if (step["type"] === "navigate") this.#frame = [];
    if (step["type"] !== "press") return [{ ...place, ...step }];
    const { key, selectors } = step;
    const focus = {
      type: "customStep",
      name: "sluice.set",
      parameters: { selectors, focused: true },
      ...place,
    };
    return [
      ...(selectors === undefined ? [] : [focus]),
      { type: "keyDown", key, ...place },
      { type: "keyUp", key, ...place },
    ];
  }

  /** Numbers from texts, absolute addresses, selectors as this program writes them, and placeholders for variables. */
  #finish(value: unknown, name = ""): unknown {
    if (name === "selectors") return this.#selectors(value);
    if (Array.isArray(value)) return value.map((one) => this.#finish(one));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value)
          .filter(([field, one]) => !(NUMERIC.has(field) && one === ""))
          .map(([field, one]) => [field, this.#finish(one, field)]),
      );
    if (NUMERIC.has(name)) return name === "timeout" ? clamped(Number(value)) : Number(value);
    if (typeof value !== "string") return value;
    const text = this.#named(value);
    return name === "url" &&
      typeof this.#base === "string" &&
      !text.startsWith("{{") &&
      URL.canParse(text, this.#base)
      ? new URL(text, this.#base).href.replaceAll("%7B%7B", "{{").replaceAll("%7D%7D", "}}")
      : text;
  }

  #named(text: string): string {
    const [before = "", after = ""] = this.#adapter.variables?.split("*") ?? [];
    if (before === "" || after === "") return text;
    return text
      .split(before)
      .map((part, at) => {
        const end = part.indexOf(after);
        return at === 0 || end < 0
          ? at === 0
            ? part
            : before + part
          : `{{${part.slice(0, end)}}}${part.slice(end + after.length)}`;
      })
      .join("");
  }

  #selectors(value: unknown): unknown {
    const { locators } = this.#adapter;
    const given = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    const unique = [...new Map(given.map((one) => [JSON.stringify(one), one])).values()];
    if (!locators) return unique.map((one) => this.#finish(one));
    const starts = Object.keys(locators);
    const converted = unique.flatMap((one) => {
      const text = textOf(one);
      const start = starts.find((each) => text.startsWith(each));
      if (start === undefined) return [];
      const captures = { rest: text.slice(start.length) };
      return [evaluate(locators[start], { action: {}, captures, tables: {}, placeholders: {} })];
    });
    if (converted.length === 0)
      throw new RecordingError(`the locator ${JSON.stringify(given[0])} has no equivalent`);
    return converted.slice(0, RECORDING_LIMITS.alternatives).map((one) => this.#finish(one));
  }

  /** The first page is `main`, the others are numbered in the order in which they open. */
  #page(name: string): string {
    if (FIXED_TARGET.test(name)) return name;
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    const isFirst =
      this.#pages.size === 0 && this.#target === undefined && this.#opened === 0 && this.steps.length === 0;
    const page = isFirst ? "main" : `popup/${++this.#opened}`;
    this.#pages.set(name, page);
    return page;
  }

  #use(name: string): void {
    const page = FIXED_TARGET.test(name) ? name : this.#pages.get(name);
    if (page === undefined) throw new RecordingError(`no page is named ${JSON.stringify(name)}`);
    this.#target = page;
    this.#frame = [];
  }
}

const clamped = (ms: number): number => Math.min(Math.max(ms, 1), RECORDING_LIMITS.timeoutMs);

/**
 * The captures of all patterns, numbered from 1; undefined if one does not match. A missing value is the empty text, and `$target` the page that the
 * action is on.
 */
const matchAll = (
  when: Control["when"],
  action: unknown,
  target: string,
): Readonly<Record<string, string>> | undefined => {
  const captures: string[] = [];
  for (const [path, pattern] of Object.entries(when ?? {})) {
    const values = path === "$target" ? [target] : allAt(action, path);
    const matched = (values.length === 0 ? [""] : values)
      .map((value) => matchStars(pattern, textOf(value)))
      .find((stars) => stars !== undefined);
    if (!matched) return undefined;
    captures.push(...matched);
  }
  return Object.fromEntries(captures.map((capture, at) => [String(at + 1), capture]));
};

/** The steps between pressing and releasing the keys of a set of bits. */
const holding = (bits: number, steps: readonly JsonObject[]): JsonObject[] => {
  const keys = MODIFIERS.filter((_, bit) => (bits & (1 << bit)) !== 0);
  const place = ({ target, frame }: JsonObject): JsonObject => ({
    ...(target !== undefined && { target }),
    ...(frame !== undefined && { frame }),
  });
  const at = place(steps[0] ?? {});
  return [
    ...keys.map((key) => ({ type: "keyDown", key, ...at })),
    ...steps,
    ...keys.toReversed().map((key) => ({ type: "keyUp", key, ...at })),
  ];
};

const firstOf = (value: unknown): unknown =>
  Array.isArray(value) ? (value as readonly unknown[])[0] : value;
