/**
 * present: found and read. empty: found, and the site has no value there (blank or a placeholder).
 * missing: the place where the value should be was not found. malformed: found, not readable as its type.
 */
export const FIELD_STATUSES = ["present", "empty", "missing", "malformed"] as const;
export type FieldStatus = (typeof FIELD_STATUSES)[number];

export interface JudgedField {
  /** `present`, `empty`, `missing` or `malformed`. */
  readonly status: FieldStatus;
  /** The value that was read; null unless present. */
  readonly value: unknown;
  /** The text as the page had it, its first 500 characters; absent when the field was missing. */
  readonly raw?: string;
  /** The place (first choice or fallback) that found it, as the scraper wrote it: `#market`, `label "Market value"`. */
  readonly by?: string;
  /** Where that stands: characters from the start of the kept page's text. JSON has the place of its script. */
  readonly at?: number;
  /** Why it is malformed. Of an empty one: `unavailable: …`, when the site says that it has none. */
  readonly why?: string;
}

export interface JudgedRecord {
  readonly fields: Readonly<Record<string, JudgedField>>;
  readonly quality: "complete" | "partial";
}

/** What extraction found for one field, before judgement. */
export interface RawField {
  /** The matched text, or null when no place was found. */
  readonly raw: string | null;
  readonly by?: string;
  /** Characters from the start of the page's text. */
  readonly at?: number;
  /** Set when the text was found but could not be read as its type, or failed its validation; with no `raw`, what is not there. */
  readonly problem?: string;
  /** By what the site says that it has no such value. */
  readonly unavailable?: string;
  /** The text is blank or one of the field's placeholders. */
  readonly isEmpty: boolean;
  readonly value: unknown;
}

export interface RawRecord {
  /** Capture name that it was read from. */
  readonly from: string;
  readonly fields: Readonly<Record<string, RawField>>;
}
