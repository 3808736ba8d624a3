import type { Field } from "../../extraction/define-field.ts";
import { field } from "../../extraction/field.ts";
import { by, type Place } from "../../extraction/place.ts";
import type { Kind } from "./guess-kind.ts";

/** Where a drafted field looks. `writeField` and `fieldOf` both use it, so that the verified field is the written one. */
export type DraftPlace =
  | { readonly css: string }
  | { readonly label: string; readonly within?: string }
  | { readonly jsonLd: string; readonly path: string }
  | { readonly meta: string }
  | { readonly column: string };

export interface ValueDraft extends Pick<Kind, "options"> {
  readonly type: Kind["type"] | "url" | "list";
  readonly place: DraftPlace;
}

interface TableDraft {
  readonly type: "table";
  readonly css: string;
  readonly columns: Readonly<Record<string, ValueDraft>>;
}

export type FieldDraft = ValueDraft | TableDraft;

/** The field itself; throws what its definition throws. */
export const fieldOf = (draft: FieldDraft): Field<unknown> => {
  if (draft.type === "table") {
    const columns = Object.entries(draft.columns).map(([name, column]) => [name, fieldOf(column)] as const);
    return field.table(draft.css, { columns: Object.fromEntries(columns) });
  }
  const where = whereOf(draft.place);
  return field[draft.type](where, draft.options ?? {});
};

const whereOf = (place: DraftPlace): string | Place => {
  if ("css" in place) return place.css;
  if ("label" in place)
    return by.label(place.label, place.within === undefined ? {} : { within: place.within });
  if ("jsonLd" in place) return by.jsonLd(place.jsonLd, place.path);
  return "meta" in place ? by.meta(place.meta) : by.column(place.column);
};

/** Something on the page that may become a field. */
export interface Candidate {
  /** Its label on the page; the field's name is derived from it. */
  readonly label: string;
  readonly from: Origin;
  /** Ways to find it again, the best first; the first that finds the same value is used. */
  readonly choices: readonly FieldDraft[];
  /**
   * The text of the field as a person reads it, with white space folded, or the target of a link: a choice that finds something else is
   * dropped. Left out if any value will do.
   */
  readonly texts?: readonly string[];
  /** Other pages of the site may lack it. */
  readonly isOptional?: boolean;
}

/** How a field was found, for the author. */
export type Origin = "json-ld" | "label" | "heading" | "meta" | "table" | "list" | "row" | "link";
