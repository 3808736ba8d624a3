import { type OptionNames, refuseUnknownOptions } from "../domain/known-options.ts";
import type { RawField } from "../domain/record.ts";
import { compilePlace } from "./find-place.ts";
import { hitReader } from "./read-hits.ts";
import { compileMarker, markerOf } from "./none-marker.ts";
import type { NoneMarker } from "./none-marker.ts";
import { placesOf } from "./place.ts";
import type { Place, Where } from "./place.ts";
import type { IsPlaceholder } from "./reading/placeholders.ts";
import type { QueryLists } from "./query-book.ts";
import type { Reading } from "./reading/reading.ts";
import type { Scope } from "./scope.ts";
import type { Taking } from "./taking.ts";

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

/** What a field found on a page and read there. */
export type FieldReading<T> = RawField & { readonly value: T | null };

/** Reads one field of a scope. Never throws: whatever goes wrong in here is this field's problem alone. */
export type ReadField<T> = (scope: Scope) => FieldReading<T>;

/** Where to look for a value and how to read it. Fields never change: `optional()` gives another field. */
export interface Field<T> {
  readonly kind: FieldKind;
  /** Tried in order; the first that finds a value wins, else the first that is there at all. */
  readonly places: readonly Place[];
  readonly isRequired: boolean;
  /** What kind of value it is, for messages: `an amount of money, such as $1,234.56`. */
  readonly expects: string;
  /** Writes what the field asks of a page into the book, once for all pages. */
  compile(book: QueryLists): ReadField<T>;
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
  /** Texts that are a value here, though elsewhere they mean that there is none: `None`, `Unknown`. */
  readonly answers?: readonly string[];
  /**
   * How the site says that it has none: a CSS selector or place that is then on the page, or a pattern that the field's text
   * or, where the field is not found, the page's text matches. The field is then empty ("unavailable"), not missing.
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

export interface FieldDefinition<T> {
  readonly kind: FieldKind;
  /** What `options` may have, beside the type of these: see `field-options.ts`. */
  readonly known: Readonly<Record<string, true>>;
  readonly where: Where;
  readonly taking: Taking;
  readonly options: FieldOptions<T>;
  readonly expects: string;
  readonly isPlaceholder: IsPlaceholder;
  readonly readTexts: (texts: readonly string[], context: ReadingContext) => Reading<T>;
  /** Reads what JSON has in another form than text. Undefined: it is to be read as text. */
  readonly readJson?: (json: unknown) => Reading<T> | undefined;
}

/** What a reader may ask besides the text. */
export interface ReadingContext {
  readonly baseUrl: () => string;
  /** The text is what a person reads, not a link's address. */
  readonly isProse: boolean;
}

/** Throws `SelectorError`: a scraper with a bad selector does not load. */
export function defineField<T>(definition: FieldDefinition<T>, isRequired = true): Field<T> {
  refuseUnknownOptions(definition.options, definition.known, `field.${definition.kind}`);
  const places = placesOf(definition.where);
  // Made here, so that a bad marker is refused with the field.
  const marker = definition.options.none === undefined ? undefined : markerOf(definition.options.none);
  return Object.freeze({
    kind: definition.kind,
    places,
    isRequired,
    expects: definition.expects,
    compile(book: QueryLists): ReadField<T> {
      const finders = places.map((place) => compilePlace(place, definition.taking, book));
      const readHits = hitReader(definition, book);
      const unavailable = marker === undefined ? undefined : compileMarker(marker, book);

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
