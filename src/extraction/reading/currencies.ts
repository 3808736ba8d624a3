import { decimalOf } from "./number-locale.ts";

/** Countries that use the dollar of another. */
const WITH_US_DOLLAR = new Set(["EC", "SV", "PR", "GU", "VI", "PA", "TL"]);

/** Codes begin with their country's: of several currencies that share a sign, the country's own is meant. */
export const codeOfRegion = (codes: readonly string[], region: string): string | undefined =>
  codes.find((code) => code.startsWith(region)) ??
  (WITH_US_DOLLAR.has(region) && codes.includes("USD") ? "USD" : undefined);

/** The country of a locale. English alone is of too many. */
export function regionOf(locale: string): string | undefined {
  const { language, region } = new Intl.Locale(locale);
  if (region !== undefined || language === "en") return region;
  return new Intl.Locale(locale).maximize().region;
}

/** `Intl` has what people use; ISO 4217 gives the dinar of Iraq three decimals, and amounts may have them. */
const decimals = new Map<string, number>([["IQD", 3]]);

/** How many decimals amounts in a currency have: 2 for most, 0 for yen, 3 for the dinars of Kuwait. */
export function decimalsOf(code: string): number {
  const known = decimals.get(code);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
  const count = format.resolvedOptions().maximumFractionDigits ?? 2;
  decimals.set(code, count);
  return count;
}

const homes = new Map<string, "." | ",">();

/** The decimal mark in the country that a currency is of; undefined for those of several countries. */
export function homeDecimal(code: string): "." | "," | undefined {
  if (code === "EUR" || code.startsWith("X")) return undefined;
  const known = homes.get(code);
  if (known !== undefined) return known;
  const { language, region } = new Intl.Locale(`und-${code.slice(0, 2)}`).maximize();
  const mark = decimalOf(`${language}-${region ?? ""}`);
  homes.set(code, mark);
  return mark;
}
