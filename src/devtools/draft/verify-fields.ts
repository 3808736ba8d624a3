import type { Field } from "../../extraction/define-field.ts";
import { compileExtraction } from "../../extraction/extract-spec.ts";
import type { KeptPage } from "../../domain/capture.ts";
import type { RawField } from "../../domain/record.ts";
import type { Candidate } from "./candidate.ts";
import { type FieldDraft, fieldOf } from "./field-draft.ts";

export interface VerifiedField {
  readonly candidate: Candidate;
  readonly draft: FieldDraft;
  /** As the page has it, for people. */
  readonly sample: string;
  /** Not in every row, without a value on this page, or the candidate said so. */
  readonly isOptional: boolean;
}

/** Extracts every candidate from the page in one of its ways, and leaves out those that none of them finds. */
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
    return undefined; // a label without letters, a path that cannot be written: not a way to find anything
  }
};

/** Where the page says in words that it has no value, the place was found all the same. */
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
