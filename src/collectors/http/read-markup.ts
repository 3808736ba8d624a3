/** The visible text and elements of a page, as far as the detection of block pages needs them: an approximation, not a tree. */
export interface Markup {
  readonly title: string;
  /** What a reader would see, white space folded. */
  readonly text: string;
  /** Start tags that are shown. */
  readonly elements: number;
  /** Tags other than links, scripts, comments and `noscript`, without text and without what is hidden. */
  readonly code: string;
}

interface MarkupLimits {
  /** Returns undefined beyond this much visible text or this many visible elements: then it is a page. */
  readonly text: number;
  readonly elements: number;
}

/** Reads at most this much of a page, so that the work is bounded. */
export const MOST_MARKUP = 2 * 1024 * 1024;
/** No tag of a sound page is longer; what opens a quote and never closes it is. */
const LONGEST_TAG = 20_000;
const MOST_STYLE = 16 * 1024;

/** Elements whose content is not shown, or not text; `noscript` is not shown if scripts run. */
const RAW = new Set([
  "script",
  "style",
  "noscript",
  "iframe",
  "title",
  "textarea",
  "xmp",
  "noembed",
  "noframes",
]);
const UNSHOWN = new Set(["template", "svg", "datalist", "object", "audio", "video", "canvas"]);
const VOID = new Set([
  "area",
  "base",
  "br",
  "col",
  "embed",
  "hr",
  "img",
  "input",
  "link",
  "meta",
  "source",
  "track",
  "wbr",
]);
/** Hidden from readers. A page that hides all of itself until a script has run does not count as hidden. */
const UNCOUNTED = new Set(["html", "head", "body", "meta", "link", "base"]);
const HIDDEN_INPUT = /\stype\s*=\s*["']?hidden/i;
/** These end where the next of their kind begins. */
const ENDS_ITSELF = new Set(["p", "li", "td", "th", "tr", "dt", "dd", "option"]);

/** `isHidden` decides for a start tag what its attributes alone do not show. */
export const readMarkup = (
  html: string,
  limits: MarkupLimits,
  isHidden: (tag: string) => boolean = () => false,
): Markup | undefined => {
  const text: string[] = [];
  const code: string[] = [];
  const hiddenNames = new Set<string>();
  let title = "";
  let spareTitle = "";
  let length = 0;
  let elements = 0;
  for (let at = 0; at < html.length;) {
    const open = nextTag(html, at);
    const shown = html.slice(at, open).trim();
    if (shown !== "") {
      text.push(shown);
      length += shown.length;
      if (length > limits.text) return undefined;
    }
    if (open === html.length) break;
    if (html.charCodeAt(open + 1) === SLASH) {
      at = after(html, ">", open);
      continue;
    }
    at = tagEnd(html, open);
    const tag = html.slice(open, at);
    const name = nameOf(tag);
    if (name === "") {
      code.push(tag);
      continue;
    }
    if (RAW.has(name)) {
      const end = endOfRaw(html, at, name);
      const content = html.slice(at, end);
      at = end;
      if (name === "title" && title === "") title = plain(content.slice(0, 300));
      if (name === "noscript" && spareTitle === "")
        spareTitle = plain(/<title[^>]{0,200}>([^<]{0,300})/i.exec(content)?.[1] ?? "");
      if (name === "style" && content.length <= MOST_STYLE) readHiddenNames(content, hiddenNames);
      code.push(tag);
      if (!holdsText(name, tag)) code.push(content);
    } else if (UNCOUNTED.has(name) || (name === "input" && HIDDEN_INPUT.test(tag))) {
      code.push(tag);
    } else if (UNSHOWN.has(name) || isUnseen(tag, name, hiddenNames) || isHidden(tag)) {
      if (!VOID.has(name) && !tag.endsWith("/>")) at = endOfElement(html, at, name);
    } else {
      // The target of a link says nothing about the page that contains it.
      if (name !== "a") code.push(tag);
      if (++elements > limits.elements) return undefined;
    }
  }
  return { title: title || spareTitle, text: plain(text.join(" ")), elements, code: code.join(" ") };
};

/** Its content is text for people or data, such as an article in JSON: it does not run. */
const holdsText = (name: string, tag: string): boolean =>
  name === "title" ||
  name === "style" ||
  name === "textarea" ||
  (name === "script" && /\stype\s*=\s*["']?[^"'>]*(?:json|template|html|xml)/i.test(tag));

const SLASH = 0x2f;
const GREATER = 0x3e;
const EQUALS = 0x3d;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;

const isLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;

/** In lower case; "" for comments and declarations. */
const nameOf = (tag: string): string => {
  if (!isLetter(tag.charCodeAt(1))) return "";
  let end = 2;
  while (tag.charCodeAt(end) > 0x20 && tag.charCodeAt(end) !== GREATER && tag.charCodeAt(end) !== SLASH)
    end++;
  return tag.slice(1, end).toLowerCase();
};

/** Where the next tag, comment or declaration begins. */
const nextTag = (html: string, from: number): number => {
  for (let at = html.indexOf("<", from); at >= 0; at = html.indexOf("<", at + 1)) {
    const next = html.charCodeAt(at + 1);
    if (isLetter(next) || next === SLASH || next === 0x21 || next === 0x3f) return at;
  }
  return html.length;
};

const tagEnd = (html: string, open: number): number => {
  if (html.startsWith("<!--", open)) return after(html, "-->", open + 4);
  const last = Math.min(html.length, open + LONGEST_TAG);
  let quote = 0;
  for (let at = open + 1; at < last; at++) {
    const code = html.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === GREATER) return at + 1;
    else if ((code === QUOTE || code === APOSTROPHE) && html.charCodeAt(at - 1) === EQUALS) quote = code;
  }
  return after(html, ">", open);
};

const after = (html: string, mark: string, from: number): number => {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
};

const endOfRaw = (html: string, from: number, name: string): number => {
  for (let at = html.indexOf("</", from); at >= 0; at = html.indexOf("</", at + 2))
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  return html.length;
};

/** Behind the end tag of an element that begins before `from`. */
const endOfElement = (html: string, from: number, name: string): number => {
  let depth = 1;
  for (let at = nextTag(html, from); at < html.length; at = nextTag(html, at + 1)) {
    const isEnd = html[at + 1] === "/";
    const start = isEnd ? at + 2 : at + 1;
    const found = html.slice(start, start + name.length).toLowerCase() === name;
    if (!found || /[^\s/>]/.test(html[start + name.length] ?? "")) continue;
    if (!isEnd && ENDS_ITSELF.has(name)) return at;
    depth += isEnd ? -1 : 1;
    if (depth === 0) return tagEnd(html, at);
  }
  return html.length;
};

/** Hidden by its own attributes, or by a class or id that the page's own style hides. */
const isUnseen = (tag: string, name: string, hiddenNames: ReadonlySet<string>): boolean => {
  if (name === "dialog") return !/\sopen\b/i.test(tag);
  if (tag.length < name.length + 5) return false;
  if (/hidden|display|visibility/i.test(tag)) {
    const bare = tag.replace(/"[^"]*"|'[^']*'/g, '""');
    if (/\shidden(?=[\s=/>])/i.test(bare)) return true;
    if (/\saria-hidden\s*=\s*["']?true/i.test(tag)) return true;
    const style = /\sstyle\s*=\s*("[^"]*"|'[^']*'|[^\s>]*)/i.exec(tag)?.[1];
    if (style && HIDING.test(style)) return true;
  }
  return hiddenNames.size > 0 && namesOf(tag).some((one) => hiddenNames.has(one));
};

const HIDING = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** Classes with a dot, the id with a number sign. */
export const namesOf = (tag: string): string[] => {
  const classes = /\sclass\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag);
  const id = /\sid\s*=\s*["']?([^\s"'>]+)/i.exec(tag)?.[1];
  const names = (classes?.[1] ?? classes?.[2] ?? classes?.[3] ?? "").split(/\s+/).filter(Boolean);
  return [...names.map((name) => `.${name}`), ...(id === undefined ? [] : [`#${id}`])];
};

/** Of rules that hide a single class or id: `.x, #y { display: none }`. */
const readHiddenNames = (style: string, into: Set<string>): void => {
  for (const rule of style.split("}")) {
    const brace = rule.lastIndexOf("{");
    if (brace < 0 || !HIDING.test(rule.slice(brace))) continue;
    for (const selector of rule.slice(rule.lastIndexOf("{", brace - 1) + 1, brace).split(",")) {
      const name = selector.trim();
      if (/^[.#][\w-]+$/.test(name)) into.add(name);
    }
  }
};

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&nbsp;": " ",
  "&#32;": " ",
  "&#35;": "#",
  "&#39;": "'",
  "&#46;": ".",
  "&#47;": "/",
  "&#58;": ":",
  "&apos;": "'",
  "&rsquo;": "'",
  "&hellip;": "...",
  "&quot;": '"',
};

/** As it is compared: entities read, typographic signs made plain (they come as UTF-8 read as Latin-1), white space folded. */
const plain = (text: string): string =>
  text
    .replace(/&(?:amp|nbsp|rsquo|quot|apos|hellip|#(?:32|35|39|46|47|58));/g, (entity) => ENTITIES[entity]!)
    .replace(/\xE2\x80\x99|\x92/g, "'")
    .replace(/\xE2\x80\xA6/g, "...")
    .replace(/\s+/g, " ")
    .trim();
