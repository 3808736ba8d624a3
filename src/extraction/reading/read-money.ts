import { placeholders } from "./placeholders.ts";
import { readNumber } from "./read-number.ts";
import type { NumberStyle } from "./read-number.ts";
import type { Reading } from "./reading.ts";
import { markRemover } from "./without-mark.ts";

const SIGNS = "\\p{L}{0,3}\\p{Sc}(?:\\s?(?:US|CA|AU|NZ)(?![\\p{L}]))?";
const WORDS =
  "kr\\.?|Kč|zł\\.?|zl|Ft|lei|leu|Rs\\.?|S?Fr\\.?|RM|Rp\\.?|лв\\.?|руб\\.?|грн\\.?|" +
  "euros?|eur[oi]|dollars?|dollari|d[óo]lar(?:es)?|kron(?:or|a|er|e|en|ur)|koruny?|korun|franken|francs?|franchi|francos?|frank(?:ów|i)|" +
  "złot(?:ych|e|y)|zlot(?:ych|e|y)|rea(?:is|l)|pesos?|rup(?:ees?|ias?|ie)|pounds?|pond|sterline|libras?|livres?|forint|yen|lire";
const CODES = Intl.supportedValuesOf("currency").join("|");
const withoutCurrency = markRemover(`${SIGNS}|(?:${WORDS}|${CODES})(?!\\p{L})`);
const isPlaceholder = placeholders("value");
/** `5,-` and `5.—`: no cents. Sweden has `5:-`, India `5/-`. */
const NO_CENTS = /^(?<whole>.*\d)\s?(?:(?<decimal>[.,])(?:-{1,2}|[–—])|:[-–—]|\/[-–—=])$/;

/** As most American sites write it: worth a way of its own, since it is ten times as fast. */
const DOLLARS = /^\$?\d{1,3}(?:,\d{3})*\.\d\d$/;

/** Reads an amount; which currency it is in is dropped. */
export function readMoney(text: string, style: NumberStyle = {}): Reading<number> {
  if (style.decimal !== "," && text.length < 20 && DOLLARS.test(text))
    return { value: Number(text.replace(/[$,]/g, "")) };
  const amount = withoutCurrency(text) ?? text;
  if (isPlaceholder(amount)) return { isEmpty: true };
  const { whole, decimal } = NO_CENTS.exec(amount)?.groups ?? {};
  if (whole !== undefined)
    return readNumber(
      whole,
      decimal === undefined ? { ...style, isRounded: true } : { decimal: decimal === "," ? "," : "." },
    );
  return readNumber(amount, { ...style, isRounded: true });
}
