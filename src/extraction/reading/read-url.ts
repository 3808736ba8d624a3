import { quoted } from "./quoted.ts";
import type { Reading } from "./reading.ts";

/** Reads a link as a browser would follow it: made absolute against the page's base. */
export function readUrl(text: string, base: string): Reading<string> {
  if (text === "#") return { isEmpty: true };
  const url = URL.parse(text, base);
  if (url === null) return { problem: `${quoted(text)} is not a link on ${base}` };
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { problem: `${quoted(text)} leads to no page` };
  return { value: url.href };
}
