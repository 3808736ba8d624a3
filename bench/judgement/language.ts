export const COLUMN_NAMES = [
  "owner",
  "address",
  "parcel",
  "status",
  "yearBuilt",
  "area",
  "marketValue",
  "taxDue",
  "taxRate",
  "saleDate",
  "dueDate",
  "phone",
  "email",
  "website",
  "services",
] as const;
export type ColumnName = (typeof COLUMN_NAMES)[number];

/** What the sites of one language write, gathered from memory of such sites and from nothing in `src/`. */
export interface Language {
  /** Two or three wordings of each label; a site keeps to one. */
  readonly labels: Readonly<Record<ColumnName, readonly string[]>>;
  /** "No value here", in any kind of cell. */
  readonly nothing: readonly string[];
  /** The same for one site and one cell only: its scraper's author lists it under `placeholders`. */
  readonly ownPhrases: readonly string[];
  /** Words in the place of a number, an amount, a rate, a date or a phone number. */
  readonly notes: readonly string[];
  readonly owners: readonly string[];
  /** Real values that begin with, or look like, a placeholder. */
  readonly lookalikes: readonly string[];
  readonly streets: readonly string[];
  readonly towns: readonly string[];
  readonly statuses: readonly string[];
  readonly services: readonly string[];
  readonly areaUnits: readonly string[];
  readonly percentWords: readonly string[];
  readonly months: readonly string[];
  readonly monthsShort: readonly string[];
  /** From Sunday. */
  readonly weekdays: readonly string[];
  /** How the first of a month is written, in languages that mark that day only. */
  readonly firstDay?: string;
  /** Makes another label of a label: "Market value (prior year)". */
  readonly priorYear: string;
  /** A sentence of the help text; @ is a label. */
  readonly help: string;
  readonly phoneWords: readonly string[];
  readonly emailWords: readonly string[];
  readonly linkWords: readonly string[];
  readonly noServices: string;
}
