import { type OptionNames, refuseUnknownOptions } from "../domain/known-options.ts";
import { type RawField, withoutNuls } from "../domain/record.ts";
import { compileMarker, compilePlace, markerOf, type NoneMarker } from "./find-place.ts";
import { type Hit, type Place, placesOf, type Taking, type Where } from "./place.ts";
import type { QueryLists } from "./query-lists.ts";
import type { IsPlaceholder } from "./reading/placeholders.ts";
import { quoted, type Reading, trimUnseen, withoutUnseen } from "./reading/reading.ts";
import type { Taken } from "./scan/page-query.ts";
import type { Scope } from "./scope.ts";

export type FieldKind =
  | "text"
  | "attr"
  | "number"
  | "money"
  | "currency"
  | "percent"
  | "date"
  | "phone"
  | "email"
  | "url"
  | "html"
  | "json"
  | "list"
  | "table"
  | "each";

/** What a field found on a page, and its value. */
export type FieldReading<T> = RawField & { readonly value: T | null };

/** Reads one field of a scope. Never throws: an error makes only this field malformed. */
export type ReadField<T> = (scope: Scope) => FieldReading<T>;

/** Where to look for a value and how to read it. Immutable: `optional()` returns another field. */
export interface Field<T> {
  readonly kind: FieldKind;
  /** Tried in order: the first place with a value wins, else the first that exists on the page. */
  readonly places: readonly Place[];
  readonly isRequired: boolean;
  /** What kind of value it is, for messages: `an amount of money, such as $1,234.56`. */
  readonly expects: string;
  /** As it was defined, for code that writes the field down again. */
  readonly options: object;
  /** Fields of a row: the columns of a table, what `field.each` reads. */
  readonly rows?: FieldRows;
  /** Adds the field's queries to the lists, once for all pages. */
  compile(lists: QueryLists): ReadField<T>;
  optional(): Field<T>;
}

/** The same as `Fields`, which are made of these. */
export interface FieldRows {
  readonly [name: string]: Field<unknown> | { readonly kind: "object"; readonly fields: FieldRows };
}

/** Options of every kind of field. */
export interface FieldOptions<T> {
  /** Applied to the text before it is read. */
  readonly transform?: (text: string) => string;
  /** The text must match it, after `transform`. */
  readonly pattern?: RegExp;
  /** Returns true, or what is wrong with the value. */
  readonly check?: (value: T) => true | string;
  /** More texts that mean "no value" here, ignoring case. */
  readonly placeholders?: readonly string[];
  /** Texts that are values here, though elsewhere they mean "no value": `None`, `Unknown`. */
  readonly answers?: readonly string[];
  /**
   * How the site says that it has no value: a CSS selector or place that is then on the page, or a pattern that matches the field's
   * text or, if the field is not found, the text of the page. The field is then empty ("unavailable"), not missing.
   */
  readonly none?: NoneMarker;
}

export const FIELD_OPTIONS: OptionNames<FieldOptions<never>> = {
  transform: true,
  pattern: true,
  check: true,
  placeholders: true,
  answers: true,
  none: true,
};

interface FieldDefinition<T> {
  readonly kind: FieldKind;
  /** The options that `field-options.ts` lists for this kind. */
  readonly known: Readonly<Record<string, true>>;
  readonly where: Where;
  readonly taking: Taking;
  readonly options: FieldOptions<T>;
  readonly expects: string;
  readonly isPlaceholder: IsPlaceholder;
  readonly readTexts: (texts: readonly string[], context: ReadingContext) => Reading<T>;
  /** Reads JSON that is not text. Undefined: read it as text. */
  readonly readJson?: (json: unknown) => Reading<T> | undefined;
}

/** What a reader may need besides the text. */
interface ReadingContext {
  readonly baseUrl: () => string;
  /** The text is written for people; it is not a link's address. */
  readonly isProse: boolean;
}

/** Throws `SelectorError`: a scraper with a bad selector does not load. */
export function defineField<T>(definition: FieldDefinition<T>, isRequired = true): Field<T> {
  refuseUnknownOptions(definition.options, definition.known, `field.${definition.kind}`);
  const places = placesOf(definition.where);
  // Compiled here, so that a bad marker is rejected when the field is defined.
  const marker = definition.options.none === undefined ? undefined : markerOf(definition.options.none);
  return Object.freeze({
    kind: definition.kind,
    places,
    isRequired,
    expects: definition.expects,
    options: definition.options,
    compile(lists: QueryLists): ReadField<T> {
      const finders = places.map((place) => compilePlace(place, definition.taking, lists));
      const readHits = hitReader(definition, lists);
      const unavailable = marker === undefined ? undefined : compileMarker(marker, lists);

      return (scope) => {
        let best: FieldReading<T> | undefined;
        for (let at = 0; at < finders.length; at++) {
          const reading = readHits(finders[at]!(scope), places[at]!.by, scope);
          if (reading === undefined) continue;
          if (!reading.isEmpty) {
            best = reading;
            break;
          }
          best ??= reading;
        }
        best ??= { raw: null, isEmpty: false, value: null };
        return best.value === null && unavailable !== undefined ? (unavailable(scope, best) ?? best) : best;
      };
    },
    optional: () => defineField(definition, false),
  });
}

const BASE = { css: "base[href]", take: { attribute: "href" }, isMany: false } as const;

const TOO_LONG = "too long: its matches are nested too often";

/** Undefined if nothing was found. */
type ReadHits<T> = (hits: readonly Hit[], by: string, scope: Scope) => FieldReading<T> | undefined;

/** Returns the function that reads the hits of a place as the field's type. It never throws. */
function hitReader<T>(definition: FieldDefinition<T>, lists: QueryLists): ReadHits<T> {
  const { isPlaceholder, taking, kind } = definition;
  const baseSlot = kind === "url" ? lists.page.add(BASE) : -1;
  const read = compileReading(definition);
  const keepsJson = taking.jsonAs === "json";
  const seenOf = seenIn(taking.takes[0]);

  return (hits, by, scope) => {
    const [first] = hits;
    if (first === undefined) return undefined;
    const texts: string[] = [];
    let raw: string | undefined;
    let hasObject = false;
    for (const { text: found, json, isBare, isTooLong } of hits) {
      if (isTooLong) return fieldReading(raw ?? "", by, first.at, { problem: TOO_LONG });
      if (found === undefined) continue;
      const text = withoutNuls(found);
      const seen = seenOf(text);
      const isNone = isPlaceholder(seen);
      if (isBare === true && !isNone) continue;
      raw = raw === undefined ? text : `${raw} | ${text}`;
      if (!isNone) texts.push(seen);
      if (typeof json === "object" && json !== null) hasObject = true;
    }
    if (raw === undefined) return undefined;
    const { at } = first;
    const json = withoutNuls(first.json);
    if (texts.length === 0) return fieldReading(raw, by, at, { isEmpty: true });
    if (hasObject && !keepsJson)
      return fieldReading(raw, by, at, { problem: "the path ends at an object: extend it to a value" });
    try {
      return fieldReading(
        raw,
        by,
        at,
        read(texts, json, {
          baseUrl: () => scope.view.baseUrl(() => scope.page.matches(baseSlot)[0]?.text),
          isProse: first.isProse === true,
        }),
      );
    } catch (error) {
      return fieldReading(raw, by, at, { problem: `the field's own code failed: ${reasonOf(error)}` });
    }
  };
}

/** Source text is kept exactly. */
const seenIn = (take: Taken | undefined): ((text: string) => string) =>
  take === "text" ? withoutUnseen : take === "raw" || take === "html" ? (text) => text : trimUnseen;

function compileReading<T>({
  options,
  isPlaceholder,
  readTexts,
  readJson,
}: FieldDefinition<T>): (texts: readonly string[], json: unknown, context: ReadingContext) => Reading<T> {
  const { transform, check } = options;
  const pattern = options.pattern === undefined ? undefined : withoutMemory(options.pattern);

  return (texts, json, context) => {
    let values = texts;
    // Placeholders are removed before `transform`, so that it need not know them, and again after it.
    if (transform !== undefined) {
      values = texts.map(transform).filter((text) => !isPlaceholder(asText(text)));
      if (values.length === 0) return { isEmpty: true };
    }
    const odd = pattern === undefined ? undefined : values.find((text) => !pattern.test(text));
    if (odd !== undefined) return { problem: `${quoted(odd)} does not match ${String(pattern)}` };
    const direct = json === undefined || transform !== undefined ? undefined : readJson?.(json);
    const reading = direct ?? readTexts(values, context);
    if (check === undefined || !("value" in reading)) return reading;
    const verdict: unknown = check(reading.value);
    return verdict === true
      ? reading
      : { problem: typeof verdict === "string" ? verdict : "its check did not return true" };
  };
}

function fieldReading<T>(
  raw: string,
  by: string,
  at: number | undefined,
  reading: Reading<T>,
): FieldReading<T> {
  const found = at === undefined ? { raw, by } : { raw, by, at };
  // The field's `transform` may have added NULs.
  if ("value" in reading) return { ...found, isEmpty: false, value: withoutNuls(reading.value) };
  if ("problem" in reading) return { ...found, isEmpty: false, value: null, problem: reading.problem };
  return { ...found, isEmpty: true, value: null };
}

function asText(text: unknown): string {
  if (typeof text !== "string")
    throw new TypeError(`transform returned ${text === null ? "null" : typeof text}, not a string`);
  return text;
}

/** A `g` or `y` pattern keeps its position, and would give another result for the same text the next time. */
const withoutMemory = (pattern: RegExp): RegExp =>
  new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));

function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "something was thrown that cannot be shown";
  }
}
