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
  /** Its position: characters from the start of the kept page's text. For JSON in a script, the position of the script. */
  readonly at?: number;
  /** Why it is malformed. For an empty field: `unavailable: …`, if the site says that it has none. */
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
  /** Set when the text was found but could not be read as its type, or failed its validation; without `raw`, what is missing. */
  readonly problem?: string;
  /** How the site says that it has no such value. */
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

/** The prefix of a scraper's fields in its job, so that counts of two scrapers do not mix; empty for the root scraper. */
export const fieldPrefix = (root: string, scraper: string): string => (scraper === root ? "" : `${scraper}.`);

/**
 * A value without NUL characters, in its texts and names of members at any depth. Pages and JSON can contain them, they are invisible, and
 * PostgreSQL, C programs and many CSV readers end a text at one.
 */
export function withoutNuls<T>(value: T): T {
  // The result has the same type as the value.
  return (hasNul(value) ? cleaned(value) : value) as T;
}

const hasNul = (value: unknown): boolean => {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasNul);
  return (
    isPlain(value) && Object.entries(value).some(([name, member]) => name.includes("\0") || hasNul(member))
  );
};

const cleaned = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll("\0", "");
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  // fromEntries, because a page may name a member `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.replaceAll("\0", ""), cleaned(member)]),
  );
};

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** Folders before the name of a script: `/opt/sluice/scrapers/county.scraper.ts:3:5`. Not those of a URL. */
const SCRIPT = /(?<![\w:/.-])(?:file:\/\/)?(?:\/[^\s/'"`()<>:]+)*\/(?=[^\s/'"`()<>:]+\.[cm]?[jt]sx?\b)/g;
/** Folders before what an error is about: `/srv/data/sluice.db: it is locked`. */
const SUBJECT = /^(?:\/[^\s/'"`()<>:]+)*\/(?=[^\s/'"`()<>:]+: )/;
/** As Node says it: `connect ECONNREFUSED 10.0.0.5:5432 - Local (10.0.0.4:0)`. */
const SOCKET = /\b((?:connect|bind|listen|read|write|send) E[A-Z]+) \S*:\d+(?: - Local \([^)\n]*\))?/g;
/** As Node says it: `ENOENT: no such file or directory, open '/etc/x'`. */
const FILE = /\b(E[A-Z]+: [^,'\n]{1,80}, \w+) '[^'\n]*'(?: -> '[^'\n]*')?/g;

/** A text for clients of a service: where its files are and which addresses it has connected to is nothing of theirs. */
export const withoutPlaces = (text: string): string =>
  text.replace(FILE, "$1").replace(SOCKET, "$1").replace(SCRIPT, "").replace(SUBJECT, "");

const SAID = new Set(["detail", "exampleDetail", "reason", "problem"]);

/** For `JSON.stringify`: the same for texts at any depth. */
export const hidePlaces = (name: string, value: unknown): unknown =>
  typeof value === "string" && SAID.has(name) ? withoutPlaces(value) : value;
