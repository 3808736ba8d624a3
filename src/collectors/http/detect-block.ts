import {
  ASKS_FOR_A_PERSON,
  CAPTCHA_WIDGET,
  HEADER_SIGNS,
  MAINTENANCE_TITLE,
  SAYS_MAINTENANCE,
  SOURCE_SIGNS,
  STOCK_MAINTENANCE,
  TEXT_SIGNS,
  TITLE_SIGNS,
} from "./block-signs.ts";
import { titleOf, visibleText } from "./visible-text.ts";
import type { Sign } from "./block-signs.ts";
import type { WireHead } from "./wire.ts";

export interface Block {
  readonly kind: "blocked" | "captcha" | "rate-limited" | "maintenance";
  readonly sign: string;
}

export interface Answer {
  readonly head: WireHead;
  readonly mediaType: string;
  /** After content decoding. */
  readonly body: Buffer;
}

/** Interstitials say little: a page with more visible text than this is a page, whatever else it contains. */
const LITTLE_TEXT = 3_000;
/** A bare refusal in words, without a known mark, is believed on a 2xx only when it is nearly all there is. */
const BARE_TEXT = 600;
/** How far a good-looking page is searched for a reason to look closer, and how far a suspect is read. */
const GLANCE_BYTES = 16 * 1024;
const READ_BYTES = 128 * 1024;
const MANY_ELEMENTS = 150;

/** Says whether an answer is a block, captcha, throttle or maintenance page instead of what was asked for. */
export const detectBlock = (answer: Answer): Block | undefined => {
  const byHeader = headerSign(answer);
  if (byHeader) return byHeader;
  const { status } = answer.head;
  if (status < 300 && (!isHtml(answer) || !isWorthReading(answer.body))) return undefined;
  if (!isText(answer)) return undefined;
  return readPage(answer.body.toString("latin1", 0, READ_BYTES), status);
};

const blockOf = ({ kind, name }: Sign): Block => ({ kind, sign: name });

const headerSign = (answer: Answer): Block | undefined => {
  for (const name in HEADER_SIGNS) {
    const value = answer.head.header(name);
    const sign = value && HEADER_SIGNS[name]!.find(({ pattern }) => pattern.test(value));
    if (sign) return blockOf(sign);
  }
  return undefined;
};

const isHtml = ({ mediaType, body }: Answer): boolean =>
  mediaType === "text/html" ||
  mediaType === "application/xhtml+xml" ||
  (mediaType === "" && body[0] === 0x3c);

const isText = (answer: Answer): boolean => isHtml(answer) || /^text\/|json$|xml$/.test(answer.mediaType);

/** Words of the marks above; a page without any of them and with an ordinary title is not looked at further. */
const GLANCE_WORDS = ["captcha", "_cf_chl", "jschl", "sucuri_cloudproxy", "Incapsula", "blocked", "rejected"];
const GLANCE_TITLE = new RegExp(
  [...TITLE_SIGNS.map(({ pattern }) => pattern.source), MAINTENANCE_TITLE.source].join("|"),
  "i",
);

/** The only part that every good page pays for. */
const isWorthReading = (body: Buffer): boolean => {
  const glance = body.toString("latin1", 0, GLANCE_BYTES);
  if (GLANCE_TITLE.test(titleOf(glance))) return true;
  return !hasManyElements(glance) && GLANCE_WORDS.some((word) => glance.includes(word));
};

/** Interstitials have some fifty elements. Counting to the limit costs a fifth of looking for the words. */
const hasManyElements = (html: string): boolean => {
  let count = 0;
  for (let at = html.indexOf("</"); at >= 0; at = html.indexOf("</", at + 2))
    if (++count > MANY_ELEMENTS) return true;
  return false;
};

const readPage = (html: string, status: number): Block | undefined => {
  const isGood = status < 300;
  const text = visibleText(html);
  if (text.length > LITTLE_TEXT) return undefined;
  const title = titleOf(html);
  const sign = SOURCE_SIGNS.find(({ pattern }) => pattern.test(html));
  if (sign) return blockOf(sign);
  if (asksForAPerson(html, title, text)) return { kind: "captcha", sign: "captcha page" };
  const words = isGood && text.length > BARE_TEXT ? [] : TEXT_SIGNS;
  const told =
    TITLE_SIGNS.find(({ pattern }) => pattern.test(title)) ?? words.find(({ pattern }) => pattern.test(text));
  if (told) return blockOf(told);
  return saysMaintenance(status, title, text) ? { kind: "maintenance", sign: "maintenance page" } : undefined;
};

/** A captcha with nothing else to fill in. A contact or login form with a captcha has fields of its own. */
const asksForAPerson = (html: string, title: string, text: string): boolean => {
  if (!CAPTCHA_WIDGET.test(html) || !ASKS_FOR_A_PERSON.test(`${title} ${text}`)) return false;
  const controls = html.match(/<(?:input|textarea|select)\b[^>]*/gi) ?? [];
  return !controls.some((tag) =>
    /^<(?:textarea|select)/i.test(tag)
      ? !/captcha/i.test(tag)
      : isTextInput(tag) && !/captcha|answer/i.test(tag),
  );
};

const isTextInput = (tag: string): boolean => {
  const type = /\btype\s*=\s*["']?([\w-]+)/i.exec(tag)?.[1]?.toLowerCase() ?? "text";
  return ["text", "email", "tel", "search", "password", "number", "date", "url"].includes(type);
};

const saysMaintenance = (status: number, title: string, text: string): boolean => {
  if (status < 300) return MAINTENANCE_TITLE.test(title) && SAYS_MAINTENANCE.test(text);
  return status >= 500 && SAYS_MAINTENANCE.test(`${title} ${text.replace(STOCK_MAINTENANCE, "")}`);
};
