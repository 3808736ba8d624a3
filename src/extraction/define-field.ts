import type { RawField } from "../model/record.ts";
import type { IsPlaceholder } from "./placeholders.ts";
import { quoted } from "./quoted.ts";
import type { Reading } from "./reading.ts";
import { compileSelector } from "./selector.ts";
import type { Selector } from "./selector.ts";

/** What is taken from the elements that a field's selector matches. */
export type Take =
  | { readonly what: "text" }
  | { readonly what: "attribute"; readonly name: string }
  /** Where a link leads: `href`, `src` and the like, by the element's tag. */
  | { readonly what: "link" }
  /** The texts of all matches instead of the first. */
  | { readonly what: "texts" };

/** What a selector of the field found on the page. */
export interface Found {
  readonly texts: readonly string[];
  readonly by: Selector;
}

/** Where to look for a value and how to read it. Fields never change: `optional()` gives another field. */
export interface Field<T> {
  /** Tried in order; the first that finds a value wins. */
  readonly selectors: readonly Selector[];
  readonly take: Take;
  readonly isRequired: boolean;
  /** Whether this text says that there is no value. */
  readonly isPlaceholder: IsPlaceholder;
  /** Reads what was found. Never throws: whatever goes wrong in here is this field's problem alone. */
  readonly read: (found: Found | undefined, baseUrl: () => string) => RawField & { readonly value: T | null };
  optional(): Field<T>;
}

/** What every kind of field can be told. */
export interface FieldOptions<T> {
  /** Applied to the text before it is read. */
  readonly transform?: (text: string) => string;
  /** The text has to match, after `transform`. */
  readonly pattern?: RegExp;
  /** Says true, or what is wrong with the value. */
  readonly check?: (value: T) => true | string;
  /** More texts that mean "no value" here, in any case of letters. */
  readonly placeholders?: readonly string[];
}

export interface FieldDefinition<T> {
  readonly selectors: string | readonly string[];
  readonly take: Take;
  readonly options: FieldOptions<T>;
  readonly isPlaceholder: IsPlaceholder;
  readonly readTexts: (texts: readonly string[], baseUrl: () => string) => Reading<T>;
}

/** Throws `SelectorError`: a scraper with a bad selector does not load. */
export function defineField<T>(definition: FieldDefinition<T>, isRequired = true): Field<T> {
  const { take, isPlaceholder } = definition;
  const selectors = [definition.selectors].flat().map(compileSelector);
  if (selectors.length === 0) throw new TypeError("a field needs at least one selector");
  const read = readerOf(definition);
  return Object.freeze({
    selectors,
    take,
    isRequired,
    isPlaceholder,
    read,
    optional: () => defineField(definition, false),
  });
}

function readerOf<T>({ options, isPlaceholder, readTexts }: FieldDefinition<T>): Field<T>["read"] {
  const { transform, check } = options;
  const pattern = options.pattern === undefined ? undefined : withoutMemory(options.pattern);

  const readValue = (texts: readonly string[], baseUrl: () => string): Reading<T> => {
    // Placeholders come first, so that a transform need not know them, and again for what the transform made.
    let values = texts.filter((text) => !isPlaceholder(text));
    if (transform !== undefined)
      values = values.map(transform).filter((text) => !isPlaceholder(asText(text)));
    if (values.length === 0) return { isEmpty: true };
    const odd = pattern === undefined ? undefined : values.find((text) => !pattern.test(text));
    if (odd !== undefined) return { problem: `${quoted(odd)} does not match ${String(pattern)}` };
    const reading = readTexts(values, baseUrl);
    if (check === undefined || !("value" in reading)) return reading;
    const verdict: unknown = check(reading.value);
    return verdict === true
      ? reading
      : { problem: typeof verdict === "string" ? verdict : "its check did not say true" };
  };

  return (found, baseUrl) => {
    if (found === undefined) return { raw: null, isEmpty: false, value: null };
    const { by, texts } = found;
    const common = { raw: texts.join(" | "), by: by.css };
    try {
      const reading = readValue(texts, baseUrl);
      if ("value" in reading) return { ...common, isEmpty: false, value: reading.value };
      if ("problem" in reading) return { ...common, isEmpty: false, value: null, problem: reading.problem };
      return { ...common, isEmpty: true, value: null };
    } catch (error) {
      return { ...common, isEmpty: false, value: null, problem: `its own code failed: ${reasonOf(error)}` };
    }
  };
}

function asText(text: unknown): string {
  if (typeof text !== "string")
    throw new TypeError(`transform gave ${text === null ? "null" : typeof text}, not a text`);
  return text;
}

/** A `g` or `y` pattern remembers where it stopped, and would judge the same text differently the next time. */
const withoutMemory = (pattern: RegExp): RegExp =>
  new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));

function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "something was thrown that cannot be shown";
  }
}
