import { placeholders } from "./placeholders.ts";
import { quoted, type Reading } from "./reading.ts";

const isPlaceholder = placeholders("value");
const HOST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d+)?(?:[/?#].*)?$/u;

/**
 * A browser would resolve these as files of the site, but nobody means that: `http//town.example`, `www.town.example`, words.
 */
const NO_LINK = /^https?(?!:)[;/\\\s]|^https?:(?!\/\/[^/])|^www\.[^/\s]+\.|^[^/?#.:]*\s[^/?#.:]*$/i;

/** Servers reject longer URLs; a longer text is data, or not a link at all. */
const LONGEST = 8_000;

/**
 * Reads a link as a browser would: resolved against the page's base. `isProse`: it is text for people, where
 * `www.town.example` is an address and not a file of the site.
 */
export function readUrl(text: string, base: string, isProse = false): Reading<string> {
  if (text.length > LONGEST) return { problem: `${quoted(text)} is too long for a link` };
  // A form may put `http://` before a missing value.
  if (text === "#" || isPlaceholder(text.replace(/^https?:\/*/i, ""))) return { isEmpty: true };
  if (isProse && !/^https?:\/\//i.test(text) && !/^\/[^\s]*$/.test(text)) {
    return HOST.test(text) && URL.canParse(`http://${text}`)
      ? { value: new URL(`http://${text}`).href }
      : { problem: `${quoted(text)} is not a web address` };
  }
  if (NO_LINK.test(text)) return { problem: `${quoted(text)} is not a link` };
  const url = URL.parse(text, base);
  if (url === null) return { problem: `${quoted(text)} is not a link on ${base}` };
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { problem: `${quoted(text)} is not a link to a page` };
  if (/^https?$|^www\.?$|^\.|\.\.|^$/i.test(url.hostname)) return { problem: `${quoted(text)} has no host` };
  if (isProse && !url.hostname.includes(".")) return { problem: `${quoted(text)} is not a web address` };
  return { value: url.href };
}
