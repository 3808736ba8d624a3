import type { KeptPage } from "../../domain/capture.ts";
import type { RawField } from "../../domain/record.ts";
import type { Field } from "../../extraction/define-field.ts";
import { compileExtraction } from "../../extraction/extract-spec.ts";
import { type Candidate, type FieldDraft, fieldOf } from "./field-draft.ts";
import type { NamedField } from "./write-scraper.ts";

export interface VerifiedField {
  readonly candidate: Candidate;
  readonly draft: FieldDraft;
  /** As on the page, for people. */
  readonly sample: string;
  /** Not in every row, without a value on this page, or marked so by the candidate. */
  readonly isOptional: boolean;
}

/** Extracts every candidate from the page, and drops those that are not found. */
export const verifyFields = (
  page: KeptPage,
  candidates: readonly Candidate[],
  each?: string,
): VerifiedField[] => {
  const verified = new Map<Candidate, VerifiedField>();
  const rounds = Math.max(0, ...candidates.map(({ choices }) => choices.length));
  for (let round = 0; round < rounds; round++) {
    const fields: Record<string, Field<unknown>> = {};
    const open = candidates.flatMap((candidate, at) => {
      const draft = verified.has(candidate) ? undefined : candidate.choices[round];
      const field = draft && tryField(draft);
      if (!field) return [];
      fields[`f${at}`] = field;
      return [{ candidate, draft, name: `f${at}` }];
    });
    if (open.length === 0) continue;
    const records = compileExtraction({ fields, ...(each !== undefined && { each }) }).read([page]);
    for (const { candidate, draft, name } of open) {
      const found = records.map((record) => record.fields[name]).filter(isFound(candidate));
      const [first] = found;
      if (first === undefined || found.length < records.length / 2) continue;
      const isOptional = candidate.isOptional === true || first.isEmpty || found.length < records.length;
      verified.set(candidate, { candidate, draft, sample: sampleOf(first), isOptional });
    }
  }
  return candidates.flatMap((candidate) => verified.get(candidate) ?? []);
};

const tryField = (draft: FieldDraft): Field<unknown> | undefined => {
  try {
    return fieldOf(draft);
  } catch {
    return undefined; // a label without letters, or a path that cannot be written
  }
};

/** If the page says in words that there is no value, the place is right. */
const isFound =
  ({ texts }: Candidate) =>
  (field: RawField | undefined): field is RawField =>
    field !== undefined &&
    field.problem === undefined &&
    (texts === undefined ? field.value !== null : texts.includes(field.raw ?? ""));

const sampleOf = ({ raw, value }: RawField): string => {
  if (!Array.isArray(value)) return raw ?? "";
  const [first] = value as readonly unknown[];
  const shown = typeof first === "string" ? first : JSON.stringify(first);
  return value.length === 1 ? shown : `${value.length}: ${shown}, …`;
};

const YEAR = /^(?:19|20)\d\d$/;

/**
 * Numbers of this item do not belong in a field's name: `Plane No. 7` on the page of item 7, `Print 2026 bill`. They stay if two
 * fields differ only by them.
 */
export const nameFields = (fields: readonly VerifiedField[], url: URL): NamedField[] => {
  const numbers = new Set(url.href.match(/\d+/g));
  const isOfItem = (digits: string): boolean => YEAR.test(digits) || numbers.has(digits);
  const short = fields.map(({ candidate: { label } }) =>
    fieldName(
      label.replace(/(?<![\p{L}\d])\d+(?![\p{L}\d])/gu, (digits) => (isOfItem(digits) ? " " : digits)),
    ),
  );
  const taken = new Set<string>();
  return fields.map((field, at) => {
    const isShared = short.some((other, index) => index !== at && other === short[at]);
    const full = fieldName(field.candidate.label) ?? "field";
    const name = freeName(isShared ? full : (short[at] ?? full), taken);
    taken.add(name);
    return { ...field, name };
  });
};

const WORDS = 5;
const LENGTH = 40;

/** `Owner Name:` becomes `ownerName`, in any script; undefined if the label has no word. */
export const fieldName = (label: string): string | undefined => {
  const words = label
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/['’]/g, "")
    .replace(/\be-mail/gi, "email")
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\p{Nd}]+/u)
    .filter((word) => word !== "");
  // A property cannot begin with a digit: `2025 taxes` becomes `taxes2025`.
  const first = words.findIndex((word) => /^\p{L}/u.test(word));
  if (first < 0) return undefined;
  const ordered = [...words.slice(first), ...words.slice(0, first)].slice(0, WORDS);
  const name = ordered.map((word, at) => (at === 0 ? lower(word) : capital(word))).join("");
  return name.slice(0, LENGTH);
};

const lower = (word: string): string => word.toLowerCase();
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

/** The name, with a number if it is taken. */
export const freeName = (name: string, taken: ReadonlySet<string>): string => {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name}${number}`)) return `${name}${number}`;
};
