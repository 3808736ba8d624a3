/**
 * present: found and read. empty: found, and the site has no value there (blank or a placeholder).
 * missing: the place where the value should be was not found. malformed: found, not readable as its type.
 */
export const FIELD_STATUSES = ["present", "empty", "missing", "malformed"] as const;
export type FieldStatus = (typeof FIELD_STATUSES)[number];

export interface JudgedField {
  readonly status: FieldStatus;
  /** The value that was read; null unless present. */
  readonly value: unknown;
  /** The text as the page had it; absent when the field was missing. */
  readonly raw?: string;
  /** The selector (first choice or fallback) that found it. */
  readonly by?: string;
  /** Why it is malformed. */
  readonly why?: string;
}

export interface JudgedRecord {
  readonly fields: Readonly<Record<string, JudgedField>>;
  readonly quality: "complete" | "partial";
}

/** What extraction found for one field, before judgement. */
export interface RawField {
  /** The matched text, or null when no selector matched. */
  readonly raw: string | null;
  readonly by?: string;
  /** Set when the text was found but could not be read as its type, or failed its validation. */
  readonly problem?: string;
  /** The text is blank or one of the field's placeholders. */
  readonly isEmpty: boolean;
  readonly value: unknown;
}

export interface RawRecord {
  /** Capture name that it was read from. */
  readonly from: string;
  readonly fields: Readonly<Record<string, RawField>>;
}
