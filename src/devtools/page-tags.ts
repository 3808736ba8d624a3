/** One attribute of a start tag, and where its value stands: without quotes. */
export interface TagAttribute {
  readonly name: string;
  readonly value: string;
  readonly from: number;
  readonly to: number;
}

/** A piece of a page's source in which something may be hidden. */
type PagePart =
  | { readonly what: "tag"; readonly name: string; readonly attributes: readonly TagAttribute[] }
  /** What stands in a script, style, comment or text area, as it stands there. */
  | ({ readonly what: "content"; readonly of: string; readonly attributes: readonly TagAttribute[] } & Span);

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Elements whose content is no HTML. */
const RAW = /^(?:script|style|textarea)$/;
const SPACE = /[\t\n\f\r ]/;

/**
 * Start tags, and the contents of comments, scripts and text areas, in the order of the page. As browsers read them: a tag ends at a `>`
 * outside of quotes, and one that never ends takes the rest. Every character is looked at a fixed number of times.
 */
export function* partsOf(text: string): Generator<PagePart> {
  let at = 0;
  for (;;) {
    at = text.indexOf("<", at);
    if (at < 0) return;
    if (text.startsWith("<!--", at)) {
      const end = text.indexOf("-->", at + 4);
      const to = end < 0 ? text.length : end;
      yield { what: "content", of: "comment", attributes: [], from: at + 4, to };
      at = to;
    } else if (/[A-Za-z]/.test(text[at + 1] ?? "")) {
      const tag = readTag(text, at + 1);
      const { name, attributes } = tag;
      at = tag.end;
      yield { what: "tag", name, attributes };
      if (!RAW.test(name)) continue;
      const close = new RegExp(`</${name}`, "gi");
      close.lastIndex = at;
      const to = close.exec(text)?.index ?? text.length;
      yield { what: "content", of: name, attributes, from: at, to };
      at = to;
    } else at++;
  }
}

const readTag = (
  text: string,
  start: number,
): { readonly name: string; readonly attributes: readonly TagAttribute[]; readonly end: number } => {
  const attributes: TagAttribute[] = [];
  let at = until(text, start, /[\t\n\f\r />]/y);
  const name = text.slice(start, at).toLowerCase();
  while (at < text.length && text[at] !== ">") {
    if (SPACE.test(text[at]!) || text[at] === "/") {
      at++;
      continue;
    }
    // A name may begin with `=`, and then has it.
    const nameEnd = until(text, at + 1, /[\t\n\f\r />=]/y);
    const attribute = text.slice(at, nameEnd).toLowerCase();
    at = skipSpace(text, nameEnd);
    if (text[at] !== "=") continue;
    at = skipSpace(text, at + 1);
    const quote = text[at];
    const isQuoted = quote === '"' || quote === "'";
    const from = isQuoted ? at + 1 : at;
    const found = isQuoted ? text.indexOf(quote, from) : until(text, from, /[\t\n\f\r >]/y);
    const to = found < 0 ? text.length : found;
    attributes.push({ name: attribute, value: text.slice(from, to), from, to });
    at = isQuoted ? to + 1 : to;
  }
  return { name, attributes, end: Math.min(at + 1, text.length) };
};

const until = (text: string, from: number, end: RegExp): number => {
  let at = from;
  for (; at < text.length; at++) {
    end.lastIndex = at;
    if (end.test(text)) break;
  }
  return at;
};

const skipSpace = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && SPACE.test(text[at]!)) at++;
  return at;
};
