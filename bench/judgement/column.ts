import { field, type Where } from "../../src/index.ts";
import { emailWriter, hrefMailWriter, linkWriter, shownUrlWriter } from "./contact-writers.ts";
import { dateForm, dateWriter, isoForm } from "./date-writer.ts";
import { COLUMN_NAMES, type ColumnName } from "./language.ts";
import { LOCALES, type LocaleTag } from "./locale.ts";
import { moneyWriter, plainMoneyWriter } from "./money-writer.ts";
import { areaWriter, numberMarks, percentWriter, PLAIN_MARKS, yearWriter } from "./number-writer.ts";
import { phoneWriter } from "./phone-writer.ts";
import type { Random } from "./random.ts";
import { sitePlaceholders } from "./site-placeholders.ts";
import {
  addressWriter,
  choiceWriter,
  ownerWriter,
  PARCEL_FORMS,
  parcelWriter,
  parcelPattern,
} from "./text-writer.ts";
import type { Writer } from "./writer.ts";

export const FIELD_KINDS = [
  "text",
  "number",
  "money",
  "percent",
  "date",
  "phone",
  "email",
  "url",
  "list",
] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

export type AnyField = ReturnType<(typeof field)[FieldKind]>;

/** One column of one site: what its cells hold, and the field that the author of the scraper wrote for it. */
export interface Column extends Writer {
  readonly name: ColumnName;
  readonly kind: FieldKind;
  readonly label: string;
  /** Makes another label of this one. */
  readonly priorYear: string;
  /** What the site writes in the place of a list that it does not have. */
  readonly noneText: string;
  /** Texts that mean "nothing" here. */
  readonly nothing: readonly string[];
  /** Written after every value, and after a blank: "sq ft". */
  readonly unit?: string;
  /** The value is where a link leads to, not what it says. */
  readonly isLinked?: boolean;
  readonly field: (where: Where) => AnyField;
}

/**
 * shown: as people read it, in the site's language. written: in an attribute or in data, as programs read it.
 * linked: shown, with the website behind a link whose words are not its address.
 */
export type Writing = "shown" | "linked" | "written";

export const siteColumns = (tag: LocaleTag, writing: Writing, page: string, random: Random): Column[] => {
  const locale = LOCALES[tag];
  const { language, country } = locale;
  const isShown = writing !== "written";
  const marks = isShown ? numberMarks(locale, random) : PLAIN_MARKS;
  const money = (): Writer =>
    isShown ? moneyWriter(locale, marks, random) : plainMoneyWriter(marks, language.notes);
  const inNumbers = isShown ? numberOptions(tag, locale.decimal, random) : {};
  const saleDate = isShown ? dateForm(tag, random) : isoForm(random);
  const dueDate = isShown ? dateForm(tag, random) : isoForm(random);
  const parcelForm = random.pick(PARCEL_FORMS);
  const choices = language.statuses;
  const unit = isShown && random.chance(0.6) ? random.pick(language.areaUnits) : "";
  const withoutUnit = unit === "" ? {} : { transform: (text: string) => text.replace(unit, "").trim() };
  const isLinked = writing === "linked" || !isShown;

  const column = (
    name: ColumnName,
    kind: FieldKind,
    writer: Writer,
    make: (where: Where, own: { placeholders?: readonly string[] }) => AnyField,
  ): Column => {
    const phrase = kind === "list" || !random.chance(0.3) ? undefined : random.pick(language.ownPhrases);
    const nothing = sitePlaceholders(kind, tag, locale, isShown);
    const own = phrase === undefined ? {} : { placeholders: [phrase] };
    return {
      ...writer,
      name,
      kind,
      label: random.pick(language.labels[name]),
      priorYear: language.priorYear,
      noneText: language.noServices,
      // The site's own phrase is the one that its pages use most.
      nothing: phrase === undefined ? nothing : [...nothing, ...Array<string>(nothing.length).fill(phrase)],
      field: (where) => make(where, own),
    };
  };

  const columns: Readonly<Record<ColumnName, Column>> = {
    owner: column("owner", "text", ownerWriter(language), (where, own) => field.text(where, own)),
    address: column("address", "text", addressWriter(language, random), (where, own) =>
      field.text(where, own),
    ),
    parcel: column("parcel", "text", parcelWriter(parcelForm, language.notes), (where, own) =>
      field.text(where, { ...own, pattern: parcelPattern(parcelForm) }),
    ),
    status: column("status", "text", choiceWriter(choices, language.notes), (where, own) =>
      field.text(where, { ...own, oneOf: choices }),
    ),
    yearBuilt: column("yearBuilt", "number", yearWriter(language.notes), (where, own) =>
      field.number(where, { ...own, ...inNumbers, min: 1600, max: 2100 }),
    ),
    area: {
      ...column("area", "number", areaWriter(marks, unit, language.notes, random), (where, own) =>
        field.number(where, { ...own, ...inNumbers, ...withoutUnit }),
      ),
      unit,
    },
    marketValue: column("marketValue", "money", money(), (where, own) =>
      field.money(where, { ...own, ...inNumbers }),
    ),
    taxDue: column("taxDue", "money", money(), (where, own) => field.money(where, { ...own, ...inNumbers })),
    taxRate: column(
      "taxRate",
      "percent",
      percentWriter(marks, isShown ? language.percentWords : [], language.notes, random),
      (where, own) => field.percent(where, { ...own, ...inNumbers, min: 0, max: 100 }),
    ),
    saleDate: column("saleDate", "date", dateWriter(saleDate, language), (where, own) =>
      field.date(where, { ...own, ...dateOptions(saleDate, tag, isShown) }),
    ),
    dueDate: column("dueDate", "date", dateWriter(dueDate, language), (where, own) =>
      field.date(where, { ...own, ...dateOptions(dueDate, tag, isShown) }),
    ),
    phone: column("phone", "phone", phoneWriter(tag, language, random), (where, own) =>
      field.phone(where, { ...own, country }),
    ),
    email: column(
      "email",
      "email",
      isShown ? emailWriter(locale, random) : hrefMailWriter(locale, random),
      (where, own) => field.email(where, own),
    ),
    website: {
      ...column(
        "website",
        "url",
        isLinked ? linkWriter(locale, random, page) : shownUrlWriter(locale, random),
        (where, own) => field.url(where, own),
      ),
      isLinked,
    },
    services: column("services", "list", choiceWriter(language.services, language.notes), (where) =>
      field.list(where, { oneOf: language.services, none: ".no-services" }),
    ),
  };
  return COLUMN_NAMES.map((name) => columns[name]);
};

/** An author of an American site need not say anything. */
const numberOptions = (
  tag: LocaleTag,
  decimal: "." | ",",
  random: Random,
): { locale?: string; decimal?: "." | "," } => {
  if (tag === "en-US" && random.chance(0.5)) return {};
  // The Indian grouping and the Swiss apostrophe are the locale's, not the decimal mark's.
  return tag !== "en-IN" && tag !== "de-CH" && random.chance(0.3) ? { decimal } : { locale: tag };
};

/** Without a format a date must be as ISO 8601 writes it. */
const dateOptions = (
  form: string,
  tag: LocaleTag,
  isShown: boolean,
): { formats?: readonly string[]; locale?: string } => {
  if (!isShown) return {};
  const formats = [form.replace("MMM.", "MMM")];
  return /MMM|ddd|Do/.test(form) ? { formats, locale: tag } : { formats };
};
