/**
 * A stored page as the dashboard may show it in a frame: marked, and inert. The answer's policy (`VIEW_POLICY`) takes every right from it: no script, no form, no network, an
 * origin of its own. What is done here comes on top: links lead nowhere, and nothing of the page can look like a mark (decision 33).
 */
import { storedPage, type StoredResponse } from "../collectors/http/page.ts";
import { parseHtml } from "../extraction/html-document.ts";
import { compileSelector } from "../extraction/selector.ts";

/** A field that was found on the page. */
export interface PageMark {
  /** As the record is numbered in the dashboard, from 1. */
  readonly number: number;
  readonly field: string;
  /** Offset in the page's text. */
  readonly at: number;
  /** Length of the text that was read, for pages without elements. */
  readonly length: number;
  /** The field that was clicked: it is scrolled into view. */
  readonly isChosen: boolean;
}

export interface ViewWish {
  readonly as: "page" | "source";
  readonly marks: readonly PageMark[];
}

/** Larger pages are shown as text, up to this length. */
const MOST_CHARS = 4_000_000;
const MOST_IMAGE_BYTES = 8_000_000;

export const viewOfPage = (name: string, response: StoredResponse, { as, marks }: ViewWish): string => {
  const type = mediaTypeOf(response);
  if (/^image\/(png|jpeg|gif|webp|avif)$/.test(type) && response.body.byteLength <= MOST_IMAGE_BYTES)
    return shell(`<img alt="" src="data:${type};base64,${Buffer.from(response.body).toString("base64")}">`);
  if (/^(?:application\/(?:pdf|octet-stream|zip)|image\/|audio\/|video\/|font\/)/.test(type))
    return shell(`<p>${escaped(type)}: this file is not shown here. Download it instead.</p>`);
  const { text } = storedPage(name, response);
  const isShown =
    as === "page" && /^(?:text\/html|application\/xhtml\+xml)$/.test(type) && text.length <= MOST_CHARS;
  return isShown ? markedPage(text, marks) : sourceView(text.slice(0, MOST_CHARS), marks);
};

const mediaTypeOf = ({ headers }: StoredResponse): string =>
  (headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "")
    .split(";", 1)[0]!
    .trim()
    .toLowerCase();

/** The names of our attributes; in the page they are replaced by others of the same length, so that offsets stay. */
const OWN = /sluice-/gi;
const NOT_OWN = "sluice_";

/** What an element must not have: an attribute that comes first wins, so these replace the page's own. */
const DISARMED: Readonly<Record<string, string>> = {
  a: ' href="#sluice-none" xlink:href="#sluice-none" target="_self" ping=""',
  area: ' href="#sluice-none" target="_self" ping=""',
  link: ' rel="sluice-none"',
  meta: ' http-equiv="sluice-none"',
  base: ' href="#" target="_self"',
  form: ' action="#sluice-none" target="_self"',
  input: ' formaction="#sluice-none"',
  button: ' formaction="#sluice-none"',
};

interface Element {
  readonly at: number;
  readonly tag: string;
}

/** Attributes are put into start tags of the page as it is: nothing else changes, so the browser sees what the site sent. */
const markedPage = (given: string, marks: readonly PageMark[]): string => {
  const text = given.replace(OWN, NOT_OWN);
  const document = parseHtml(text);
  const elements: Element[] = document
    .all(compileSelector("*"))
    .map((element) => ({ at: document.offsetOf(element), tag: element.tag }))
    .filter(({ at, tag }) => text.slice(at + 1, at + 1 + tag.length).toLowerCase() === tag.toLowerCase())
    .toSorted((a, b) => a.at - b.at);
  const marked = Map.groupBy(marks, ({ at }) => startOf(elements, at));
  let page = "";
  let from = 0;
  for (const { at, tag } of elements) {
    const own = marked.get(at);
    const added = (own ? attributesOf(own) : "") + (DISARMED[tag.toLowerCase()] ?? "");
    if (added === "" || at < from) continue;
    const end = at + 1 + tag.length;
    page += text.slice(from, end) + added;
    from = end;
  }
  const start = BEFORE_HTML.exec(page)?.[0] ?? "";
  return `${start}<style>${MARK_STYLE}</style>${page.slice(start.length)}${text.slice(from)}`;
};

/** A doctype must come first: without it, browsers lay the page out as for the nineties. */
const BEFORE_HTML = /^\uFEFF?\s*(?:<!--[\s\S]*?-->\s*)*(?:<!doctype[^>]*>)?/i;

/** The element that begins last before the place: the one that was matched, or the innermost around the text. */
const startOf = (elements: readonly Element[], at: number): number => {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (elements[middle]!.at <= at) low = middle + 1;
    else high = middle;
  }
  return elements[low - 1]?.at ?? -1;
};

const attributesOf = (marks: readonly PageMark[]): string => {
  const names = marks.map(({ number, field }) => `${number} ${field}`).join(", ");
  const isChosen = marks.some((mark) => mark.isChosen);
  // Focus shows the names: a click, or the tab key, and no script.
  return ` tabindex="0" data-sluice-fields="${escaped(names)}"${isChosen ? ' id="sluice-mark" data-sluice-chosen=""' : ""}`;
};

const MARK_STYLE = `
[data-sluice-fields]{outline:1px dashed #0f6b62!important;outline-offset:1px!important;cursor:help!important;visibility:visible!important;opacity:1!important}
[data-sluice-chosen]{outline:3px solid #d9480f!important;background-color:#fff3bf!important;color:#1b2424!important;scroll-margin:80px 12px}
[data-sluice-fields]:focus{outline:3px solid #0b62b0!important}
[data-sluice-fields]:focus::after,[data-sluice-chosen]::after{content:attr(data-sluice-fields)!important;all:revert;display:inline-block!important;font:bold 12px/1.4 system-ui,sans-serif!important;color:#fff!important;background:#0b62b0!important;border-radius:4px!important;padding:1px 6px!important;margin-left:6px!important}
[data-sluice-chosen]:not(:focus)::after{background:#a8380b!important}`;

/** The text with the places marked, for pages that are no HTML, and for the source of those that are. */
const sourceView = (text: string, marks: readonly PageMark[]): string => {
  let body = "";
  let from = 0;
  for (const { at, length, number, field, isChosen } of marks.toSorted((a, b) => a.at - b.at)) {
    if (at < from || at > text.length) continue;
    // A place may be that of a tag, and the length that of the text behind it.
    const begin = text[at] === "<" ? Math.max(at, text.indexOf(">", at) + 1) : at;
    const end = Math.min(text.length, begin + Math.max(1, length));
    const chosen = isChosen ? ' id="sluice-mark" data-sluice-chosen=""' : "";
    body += `${escaped(text.slice(from, at))}<mark tabindex="0" title="${escaped(field)}"${chosen}><b>${number}</b>${escaped(text.slice(at, end))}</mark>`;
    from = end;
  }
  return shell(`<pre>${body}${escaped(text.slice(from))}</pre>`);
};

const shell = (body: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Stored page</title><style>
body{margin:12px;font:13px/1.5 system-ui,sans-serif;color:#1b2424;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.5 ui-monospace,Consolas,monospace;margin:0}
img{max-width:100%}
mark{background:#e6fcf5;outline:1px dashed #0f6b62;scroll-margin:80px}
mark[data-sluice-chosen]{background:#fff3bf;outline:2px solid #d9480f}
mark b{background:#0f6b62;color:#fff;border-radius:3px;padding:0 3px;margin-right:3px}
</style>${body}`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
