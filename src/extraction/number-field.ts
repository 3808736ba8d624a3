import { defineField } from "./define-field.ts";
import type { Field, FieldKind } from "./define-field.ts";
import type { NumberOptions } from "./field-options.ts";
import { between } from "./reading/between.ts";
import { decimalOf } from "./reading/number-locale.ts";
import type { Where } from "./place.ts";
import { placeholders } from "./reading/placeholders.ts";
import type { NumberStyle } from "./reading/read-number.ts";
import type { Reading } from "./reading/reading.ts";

export function numberField(
  kind: FieldKind,
  where: Where,
  options: NumberOptions,
  known: Readonly<Record<string, true>>,
  expects: string,
  read: (text: string, style: NumberStyle) => Reading<number>,
): Field<number> {
  const decimal = options.decimal ?? (options.locale === undefined ? undefined : decimalOf(options.locale));
  const style: NumberStyle = decimal === undefined ? {} : { decimal };
  return defineField<number>({
    kind,
    known,
    where,
    taking: { takes: ["text"], isMany: false, jsonAs: "text" },
    options,
    expects,
    isPlaceholder: placeholders("value", options),
    readTexts: ([text = ""]) => between(options, read(text, style)),
    readJson: (json) => {
      if (typeof json === "number") return between(options, { value: json });
      // JSON's own way to write a number in a text, whatever the site's way is.
      const isPlain = typeof json === "string" && /^-?\d+(?:\.\d{1,2})?$/.test(json);
      return isPlain ? between(options, read(json, { decimal: "." })) : undefined;
    },
  });
}
