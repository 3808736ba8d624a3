import { defineField } from "./define-field.ts";
import type { Field, FieldKind } from "./define-field.ts";
import { LIST_OPTIONS, type ListOptions, TEXT_OPTIONS, type TextOptions } from "./field-options.ts";
import type { Where } from "./place.ts";
import { placeholders } from "./reading/placeholders.ts";
import type { PlaceholderOptions } from "./reading/placeholders.ts";
import { quoted } from "./reading/quoted.ts";
import type { Reading } from "./reading/reading.ts";
import type { Taken } from "./scan/page-query.ts";

export function textField<T extends string>(
  kind: FieldKind,
  where: Where,
  take: Taken,
  options: TextOptions<T>,
): Field<T> {
  return defineField<T>({
    kind,
    known: TEXT_OPTIONS,
    where,
    taking: { takes: [take], isMany: false, jsonAs: "text" },
    options,
    expects: `a text${choices(options.oneOf)}`,
    isPlaceholder: placeholders("words", withChoices(options)),
    readTexts: ([text = ""]) => among(options.oneOf, text),
  });
}

export function listField<T extends string>(where: Where, options: ListOptions<T>): Field<readonly T[]> {
  const { check, ...rest } = options;
  return defineField<readonly T[]>({
    kind: "list",
    known: LIST_OPTIONS,
    where,
    taking: { takes: ["text"], isMany: true, jsonAs: "text" },
    options: check === undefined ? rest : { ...rest, check },
    expects: `a list of texts${choices(options.oneOf)}`,
    isPlaceholder: placeholders("words", withChoices(options)),
    readTexts: (texts) => {
      const values: T[] = [];
      for (const text of texts) {
        const reading = among(options.oneOf, text);
        if (!("value" in reading)) return reading;
        values.push(reading.value);
      }
      return { value: values };
    },
  });
}

const choices = (oneOf: readonly string[] | undefined): string =>
  oneOf === undefined ? "" : `, one of ${oneOf.join(", ")}`;

/** A choice that the author lists is an answer, even "None". */
const withChoices = ({
  oneOf = [],
  answers = [],
  ...options
}: PlaceholderOptions & { readonly oneOf?: readonly string[] }): PlaceholderOptions => ({
  ...options,
  answers: [...answers, ...oneOf],
});

function among<T extends string>(oneOf: readonly T[] | undefined, text: string): Reading<T> {
  // Without `oneOf`, T is any string.
  const isOne = (some: string): some is T => oneOf === undefined || oneOf.some((known) => known === some);
  return isOne(text)
    ? { value: text }
    : { problem: `${quoted(text)} is none of ${(oneOf ?? []).join(", ")}` };
}
