import { amountInText } from "./amount-in-text.ts";
import { quoted } from "./quoted.ts";
import { marksAlone, parseMoney } from "./read-money.ts";
import type { MoneyStyle } from "./read-money.ts";
import type { Reading } from "./reading.ts";

/** Reads the currency of an amount, or one that stands alone, as an ISO 4217 code. */
export function readCurrency(text: string, style: MoneyStyle = {}, isInText = false): Reading<string> {
  const alone = marksAlone(text, style);
  const reading = alone ?? (isInText ? amountInText(text, style) : parseMoney(text, style));
  if (!("value" in reading)) return reading;
  const { codes } = reading.value;
  if (style.currency !== undefined) return { value: style.currency };
  if (codes === undefined) return { problem: `${quoted(text)} has no currency: say which with \`currency\`` };
  const [code, ...others] = codes;
  if (code === undefined) return { problem: `the currency of ${quoted(text)} has no code in ISO 4217` };
  if (others.length === 0) return { value: code };
  const some = codes.slice(0, 4).join(", ");
  return {
    problem: `${quoted(text)} may be ${some}: say which with \`currency\`, or a \`locale\` with its country`,
  };
}
