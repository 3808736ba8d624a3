import { type OptionNames, unknownOption } from "../domain/known-options.ts";
import {
  allAt,
  evaluate,
  matchStars,
  textOf,
  type Template,
  type TemplateScope,
} from "./adapter-template.ts";
import { isObject, parseRecording } from "./parse-recording.ts";
import type { Recording } from "./recording.ts";
import { RecordingError } from "./recording-error.ts";
import { RECORDING_LIMITS } from "./step-fields.ts";

/** Turns a list of recorded actions of any kind into a recording. Data, no code: paths are `$.a.b` from an action, or from the file where it says so. */
export interface Adapter {
  readonly name?: string;
  /** Paths that every file of this format has. */
  readonly detect?: readonly string[];
  /** The file is JSON lines; so many of them are a header. The file is then `{ header, lines }`. */
  readonly lines?: number;
  /** Where a file has several recordings: their list, in the file. `title` and `steps` are then paths in one of them. */
  readonly recordings?: string;
  readonly title?: string;
  /** In the file: addresses are relative to it. */
  readonly base?: string;
  /** The list of actions. */
  readonly steps: string;
  /** Actions are sorted by it. */
  readonly order?: string;
  /** The kind of an action. */
  readonly type: string;
  /** Steps by kind; `a|b` is for two kinds. Of a list, the first whose `when` matches. */
  readonly map: Readonly<Record<string, Template>>;
  /** Kinds that are left out; with stars. */
  readonly ignore?: readonly string[];
  /** Kinds that have no equivalent, with the reason; with stars. */
  readonly refuse?: Readonly<Record<string, string>>;
  readonly frame?: Template;
  /** The page of an action: `main`, a URL, or any name; pages with names are numbered as they appear. */
  readonly target?: Template;
  /** What templates mean by `$selectors`. */
  readonly selectors?: Template;
  /** How selectors begin in the file, and what becomes of them; `$rest` is what follows. Others are left out. */
  readonly locators?: Readonly<Record<string, string>>;
  readonly tables?: TemplateScope["tables"];
  readonly placeholders?: Readonly<Record<string, string>>;
  /** How variables are written in the file, `${*}`: they become placeholders. */
  readonly variables?: string;
}

const ADAPTER_OPTIONS: OptionNames<Adapter> = {
  name: true,
  detect: true,
  lines: true,
  recordings: true,
  title: true,
  base: true,
  steps: true,
  order: true,
  type: true,
  map: true,
  ignore: true,
  refuse: true,
  frame: true,
  target: true,
  selectors: true,
  locators: true,
  tables: true,
  placeholders: true,
  variables: true,
};

/** Throws `RecordingError` for what is no adapter. */
export const checkAdapter = (found: unknown): Adapter => {
  const unknown = unknownOption(found ?? null, ADAPTER_OPTIONS, "An adapter");
  if (unknown !== undefined) throw new RecordingError(unknown);
  const { steps, type, map } = found as Record<string, unknown>;
  if (typeof steps !== "string" || typeof type !== "string" || !isObject(map))
    throw new RecordingError(
      'An adapter needs `steps` and `type`, paths such as "$.actions" and "$.kind", and `map`, an object of steps by kind.',
    );
  return found as Adapter;
};

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

interface Refusal {
  readonly number: number;
  readonly kind: string;
  readonly why: string;
}

const SHOWN_REFUSALS = 100;

/** A recording from a file of another format. `which` names one of several in it. Throws `RecordingError` with all actions that have no equivalent. */
export const adaptRecording = (file: unknown, adapter: Adapter, which?: string): Recording => {
  const { title, source } = chooseRecording(file, adapter, which);
  const [list] = allAt(source, adapter.steps);
  if (!Array.isArray(list))
    throw new RecordingError(
      `The file has no list at ${adapter.steps}, where the adapter looks for the actions.`,
    );
  if (list.length > RECORDING_LIMITS.steps)
    throw new RecordingError(
      `The file has ${list.length} actions; at most ${RECORDING_LIMITS.steps} are allowed. Record a shorter flow.`,
    );
  const converter = new Converter(
    adapter,
    adapter.base === undefined ? undefined : allAt(file, adapter.base)[0],
  );
  for (const { action, number } of inOrder(list, adapter.order)) converter.add(action, number);
  const { steps, numbers, refusals } = converter;
  if (refusals.length > 0) throw refused(refusals, list.length);
  return parseRecording({ title, steps }, numbers);
};

const refused = (refusals: readonly Refusal[], count: number): RecordingError => {
  const shown = refusals
    .slice(0, SHOWN_REFUSALS)
    .map(({ number, kind, why }) => `action ${number} "${kind}" (${why})`);
  const more = refusals.length > SHOWN_REFUSALS ? ` and ${refusals.length - SHOWN_REFUSALS} more` : "";
  return new RecordingError(
    `${refusals.length} of ${count} actions have no equivalent: ${shown.join(", ")}${more}. Remove them from the recording, or add them to \`map\` or \`ignore\` of an adapter.`,
  );
};

const chooseRecording = (
  file: unknown,
  { recordings, title = "$.title" }: Adapter,
  which: string | undefined,
): { readonly title: string; readonly source: unknown } => {
  const titleOf = (source: unknown): string => {
    const [text] = allAt(source, title);
    return typeof text === "string" && text !== "" ? text : "Recording";
  };
  if (recordings === undefined) return { title: titleOf(file), source: file };
  const list = allAt(file, recordings).flat();
  const found =
    which === undefined && list.length === 1 ? list : list.filter((one) => titleOf(one) === which);
  const names = list.map((one) => JSON.stringify(titleOf(one))).join(", ") || "none";
  if (found.length !== 1)
    throw new RecordingError(
      which === undefined
        ? `The file has ${list.length} recordings: ${names}. Choose one by its name.`
        : `The file has ${found.length} recordings named ${JSON.stringify(which)}. It has: ${names}.`,
    );
  return { title: titleOf(found[0]), source: found[0] };
};

/** Numbers are those of the file, whatever the order. */
const inOrder = (
  list: readonly unknown[],
  order: string | undefined,
): readonly { readonly action: unknown; readonly number: number }[] => {
  const numbered = list.map((action, at) => ({ action, number: at + 1 }));
  if (order === undefined) return numbered;
  const keyed = numbered.map((one) => ({ ...one, key: allAt(one.action, order)[0] }));
  const compare = (a: unknown, b: unknown): number =>
    typeof a === "number" && typeof b === "number"
      ? a - b
      : textOf(a) < textOf(b)
        ? -1
        : textOf(a) > textOf(b)
          ? 1
          : 0;
  return keyed.sort((a, b) => compare(a.key, b.key) || a.number - b.number);
};

type JsonObject = Record<string, unknown>;

const NUMERIC = new Set(
  "timeout x y width height deviceScaleFactor offsetX offsetY duration count index ms most download upload latency".split(
    " ",
  ),
);
const MODIFIERS = ["Alt", "Control", "Meta", "Shift"];
const FIXED_TARGET = /^(?:main|popup\/\d+|[a-z][a-z0-9+.-]*:\/\/.*)$/i;

/** Converts action by action, and remembers the frame and the page that the recording is in. */
class Converter {
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
  /** What the last action was on, and where its steps begin. */
  #last: { readonly key: string; readonly at: number } | undefined;

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
    for (const one of [entry].flat() as readonly (Control & JsonObject)[]) {
      const captures = matchAll(one.when, action);
      if (!captures) continue;
      const scope: TemplateScope = { action, captures, selectors, tables, placeholders };
      const {
        when: _,
        steps,
        coalesce,
        refuse,
        modifiers,
        opens,
        names,
        uses,
        enterFrame,
        leaveFrame,
        ...own
      } = one;
      if (refuse !== undefined) throw new RecordingError(refuse);
      const named = evaluate(target, scope);
      if (named !== undefined) this.#target = this.#page(textOf(named));
      const ownFrame = evaluate(frame, scope);
      const at = this.steps.length;
      const templates = steps ?? ("type" in own ? [own] : []);
      const made = templates.flatMap((template) => this.#step(template, scope, ownFrame));
      this.#push(holding(Number(evaluate(modifiers, scope) ?? 0), made), of, coalesce === true, at);
      const [opened, nameOf, used, entered] = [opens, names, uses, enterFrame].map((each) =>
        evaluate(each, scope),
      );
      if (opened !== undefined && opened !== "") this.#page(textOf(opened));
      if (nameOf !== undefined) this.#pages.set(textOf(nameOf), this.#target ?? "main");
      if (used !== undefined) this.#use(textOf(used));
      if (entered !== undefined) this.#frame = [...this.#frame, Number(entered)];
      if (leaveFrame !== undefined) this.#frame = leaveFrame === "all" ? [] : this.#frame.slice(0, -1);
      return;
    }
    throw new RecordingError("no case of the adapter matches it");
  }

  #push(
    made: readonly JsonObject[],
    { number, kind }: { readonly number: number; readonly kind: string },
    coalesces: boolean,
    at: number,
  ): void {
    const key = coalesces ? JSON.stringify([kind, made.map((step) => ({ ...step, value: undefined }))]) : "";
    if (coalesces && this.#last?.key === key) {
      this.steps.splice(this.#last.at);
      this.numbers.splice(this.#last.at);
    } else this.#last = { key, at };
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

/** The captures of all patterns, numbered from 1; undefined if one does not match. A missing value is the empty text. */
const matchAll = (when: Control["when"], action: unknown): Readonly<Record<string, string>> | undefined => {
  const captures: string[] = [];
  for (const [path, pattern] of Object.entries(when ?? {})) {
    const values = allAt(action, path);
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
