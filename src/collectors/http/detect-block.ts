import type { Failure, FailureKind } from "../../domain/failure.ts";
import { retryAfterMs } from "../../domain/retry.ts";
import {
  ASKS_FOR_A_PERSON,
  BARE_TITLE_SIGNS,
  CAPTCHA_WIDGET,
  CODE_SIGNS,
  CODE_WORDS,
  ERROR_HEADER_SIGNS,
  HEADER_SIGNS,
  isIn,
  MAINTENANCE_TITLE,
  NOTICE_SIGNS,
  OPENS_LATER,
  RATE_SIGNS,
  REFUSAL_SIGNS,
  SAYS_MAINTENANCE,
  type Sign,
  STOCK_MAINTENANCE,
  TITLE_SIGNS,
} from "./block-signs.ts";
import { type Markup, MOST_MARKUP, namesOf, readMarkup } from "./read-markup.ts";
import type { ResponseHead } from "./wire.ts";

export interface Block {
  readonly kind: "blocked" | "captcha" | "rate-limited" | "maintenance";
  readonly sign: string;
}

export interface Answer {
  readonly head: ResponseHead;
  readonly mediaType: string;
  /** After content decoding. */
  readonly body: Buffer;
}

/** Interstitials show little: a successful response that shows more than this is a page, whatever else it contains. */
const LITTLE = { text: 3_000, elements: 150 };
const UNLIMITED = { text: Infinity, elements: Infinity };
/** The size of a page that is little more than a notice. */
const BARE = { text: 600, elements: 40 };

/** Detects a block, captcha, throttle or maintenance page in place of the requested one. */
export const detectBlock = (answer: Answer): Block | undefined => {
  const { status } = answer.head;
  const byHeader =
    headerSign(answer, HEADER_SIGNS) ?? (status >= 400 ? headerSign(answer, ERROR_HEADER_SIGNS) : undefined);
  if (byHeader) return byHeader;
  if (!isText(answer) || (status < 300 && !isHtml(answer))) return undefined;
  if (!isHtml(answer)) return readPlain(textOf(answer.body, MOST_MARKUP), status);
  // The only cost for good pages: each is read until it is known to be one.
  for (const bytes of FIRST_LOOKS)
    if (status < 300 && bytes < answer.body.length && !readMarkup(textOf(answer.body, bytes), LITTLE))
      return undefined;
  const source = textOf(answer.body, MOST_MARKUP);
  const markup = readMarkup(source, status < 300 ? LITTLE : UNLIMITED);
  return markup && readPage(markup, answer, source);
};

const FIRST_LOOKS = [32 * 1024, 256 * 1024];

const blockOf = ({ kind, name }: Sign): Block => ({ kind, sign: name });

const headerSign = ({ head }: Answer, signs: typeof HEADER_SIGNS): Block | undefined => {
  for (const name in signs) {
    const value = head.header(name);
    const sign = value && signs[name]!.find(({ pattern }) => pattern.test(value));
    if (sign) return blockOf(sign);
  }
  return undefined;
};

const isHtml = ({ mediaType, body }: Answer): boolean =>
  mediaType === "text/html" ||
  mediaType === "application/xhtml+xml" ||
  (mediaType === "" && /^\s*</.test(body.toString("latin1", 0, 100)));

const isText = (answer: Answer): boolean => isHtml(answer) || /^text\/|json$|xml$/.test(answer.mediaType);

/** One character per byte: all signs are ASCII. */
const textOf = (body: Buffer, most: number): string => {
  const isUtf16 = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  const text = body.toString("latin1", 0, most);
  return isUtf16 ? text.replaceAll("\0", "") : text;
};

const markIn = (code: string): Sign | undefined =>
  CODE_WORDS.test(code) ? CODE_SIGNS.find((sign) => isIn(sign, code)) : undefined;

/** An error in JSON or plain text. */
const readPlain = (text: string, status: number): Block | undefined => {
  const mark = markIn(text);
  if (mark) return blockOf(mark);
  if (text.length > LITTLE.text) return undefined;
  return readWords({ title: "", text, elements: 0, code: "" }, status);
};

const readPage = (markup: Markup, answer: Answer, source: string): Block | undefined => {
  const { status } = answer.head;
  const mark = markIn(markup.code);
  if (mark) return blockOf(mark);
  const waiting = waitsForAScript(markup, answer);
  if (waiting !== undefined) return { kind: "blocked", sign: waiting };
  if (markup.text.length > LITTLE.text) return undefined;
  if (asksForAPerson(markup, source, status)) return { kind: "captcha", sign: "captcha page" };
  return readWords(markup, status);
};

/** By its visible words. */
const readWords = (markup: Markup, status: number): Block | undefined => {
  const { title, text, elements } = markup;
  // Words on an error page are trusted; on a successful response only if there is little else.
  const isTrusted = status >= 300 || (text.length <= BARE.text && elements <= BARE.elements);
  const firstIn = (signs: readonly Sign[], where: string) => signs.find((sign) => isIn(sign, where));
  const sign =
    (isTrusted ? firstIn(NOTICE_SIGNS, `${title} ${text} ${markup.code}`) : undefined) ??
    (isTrusted ? firstIn(RATE_SIGNS, `${title}. ${text}`) : undefined) ??
    firstIn(TITLE_SIGNS, title) ??
    (isTrusted ? (firstIn(REFUSAL_SIGNS, text) ?? firstIn(BARE_TITLE_SIGNS, title)) : undefined);
  // Many servers say "Access denied" to clients that send too many requests.
  if (sign?.name === "refusal" && status === 429) return { kind: "rate-limited", sign: sign.name };
  if (sign) return blockOf(sign);
  return saysMaintenance(status, title, text) ? { kind: "maintenance", sign: "maintenance page" } : undefined;
};

/** Nothing visible but a bot manager's script. Good pages have the same script, but with content or an application's root element. */
const waitsForAScript = ({ text, elements, code }: Markup, { head }: Answer): string | undefined => {
  if (text.length > 200 || elements > 5 || /\bid=["']?(?:root|app|__next|__nuxt)\b/.test(code))
    return undefined;
  if (/\breeseSkipExpirationCheck\b/.test(code)) return "Imperva challenge";
  if (!/<meta[^>]{0,200}http-equiv=["']?refresh|\blocation\.reload\(/i.test(code)) return undefined;
  const hasCookie = head.headers.some(
    ([name, value]) => /^set-cookie$/i.test(name) && /^(?:_abck|ak_bmsc|bm_sz)=/.test(value),
  );
  return hasCookie || /\b_abck\b|\bbm_sz\b/.test(code) ? "Akamai challenge" : undefined;
};

/** A captcha with nothing else to fill in. A contact or login form with a captcha has other fields. */
const asksForAPerson = (markup: Markup, source: string, status: number): boolean => {
  if (!CAPTCHA_WIDGET.test(markup.code)) return false;
  // Dialogs that open later do not count; an error page has none.
  const shown =
    status < 300
      ? readMarkup(
          source,
          UNLIMITED,
          (tag) =>
            /\srole\s*=\s*["']?(?:alert)?dialog/i.test(tag) ||
            namesOf(tag).some((name) => OPENS_LATER.test(name)),
        )!
      : markup;
  if (!CAPTCHA_WIDGET.test(shown.code) || !ASKS_FOR_A_PERSON.test(`${shown.title} ${shown.text}`))
    return false;
  const controls = shown.code.match(/<(?:input|textarea|select)\b[^>]*/gi) ?? [];
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

/** The failure in a response, or undefined if it has none. `isAccepted`: the scraper accepts this status; a block page still fails. */
export const classifyResponse = (
  answer: Answer,
  isAccepted: boolean,
  now: number,
): Omit<Failure, "url"> | undefined => {
  const { status } = answer.head;
  const block = detectBlock(answer);
  if (!block && (isAccepted || status < 300)) return undefined;
  const asked = answer.head.headers.filter(([name]) => name.toLowerCase() === "retry-after");
  const retryMs = retryAfterMs(
    asked.map(([, value]) => value),
    now,
  );
  const kind = kindOf(answer, block, retryMs !== undefined);
  const detail = `the site answered ${status}${block ? `: ${block.sign}` : ""}`;
  return { kind, detail, status, ...(retryMs !== undefined && { retryAfterMs: retryMs }) };
};

const kindOf = (answer: Answer, block: Block | undefined, hasRetryAfter: boolean): FailureKind => {
  const { status } = answer.head;
  if (block) return block.kind;
  switch (status) {
    case 401:
      // A site that asks for credentials needs a different request, not a different visitor.
      return answer.head.header("www-authenticate") ? "navigation" : "blocked";
    case 403:
    case 451:
    case 999:
      return "blocked";
    case 407:
      return "connection";
    case 408:
      return "timeout";
    case 429:
      return "rate-limited";
    case 503:
      return hasRetryAfter ? "maintenance" : "server-error";
    default:
      return status >= 500 ? "server-error" : "navigation";
  }
};
