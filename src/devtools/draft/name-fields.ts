import { fieldName, freeName } from "./field-name.ts";
import type { VerifiedField } from "./verify-fields.ts";
import type { NamedField } from "./write-scraper.ts";

const YEAR = /^(?:19|20)\d\d$/;

/**
 * Numbers of this one item are no part of a field's name: `Plane No. 7` on the page of item 7, `Print 2026 bill`. They stay
 * where they tell two fields apart.
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
