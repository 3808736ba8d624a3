/** The decimal mark of a language or region, such as `de` or `fr-CH`. Throws `RangeError` on one that does not exist. */
export function decimalOf(locale: string): "." | "," {
  const parts = new Intl.NumberFormat(locale).formatToParts(1.5);
  const mark = parts.find(({ type }) => type === "decimal")?.value;
  return mark === "," ? "," : ".";
}
