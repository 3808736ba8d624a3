import { asciiLowerCase, GREATER, isNameEnd, lowerCase, type PageCodes } from "./markup.ts";

/** How the text inside an element is read: as markup, as it stands, with entities only, or as it stands to the very end. */
type Content = "markup" | "raw" | "script" | "escapable" | "plain";

export const HTML = 0;
export const SVG = 1;
export const MATH = 2;

/** What an open element means to the elements and end tags inside of it: one bit each. */
export const SPECIAL = 1;
/** Ends every search for an element "in scope"; the next two do so for `p`, and for `li`. */
export const SCOPE = 2;
export const BUTTON_SCOPE = 4;
export const LIST_SCOPE = 8;
/** Ends the search for the list item that a new one closes. */
export const ITEM_BOUND = 16;
/** Its end tag is implied by many others. */
export const IMPLIED = 32;
/** As a start tag inside of SVG or MathML, it ends them. */
export const BREAKOUT = 64;
/** Inside of this SVG or MathML element HTML's rules hold again; inside of the second, except for two tags. */
export const HTML_POINT = 128;
export const MATH_POINT = 256;
export const TABLE_PART = 512;

/** What the standard's "in body" rules tell apart; the groups are theirs. */
export const GENERIC = 0;
export const BLOCK = 1;
export const PARAGRAPH = 2;
export const FORMATTING = 3;
export const ANCHOR = 4;
export const NO_BREAK = 5;
export const LIST_ITEM = 6;
export const DEFINITION = 7;
export const HEADING = 8;
export const VOID = 9;
export const VOID_APART = 10;
export const HEAD_VOID = 11;
export const RULE = 12;
export const RAW = 13;
export const HEAD_RAW = 14;
export const TEXTAREA_ROLE = 15;
export const XMP_ROLE = 16;
export const TABLE_ROLE = 17;
export const IGNORED = 18;
export const FORM_ROLE = 19;
export const BUTTON_ROLE = 20;
export const SELECT_ROLE = 21;
export const OPTION_ROLE = 22;
export const PREFORMATTED = 23;
export const OBJECT_ROLE = 24;
export const FOREIGN_ROLE = 25;
export const RUBY_BASE = 26;
export const RUBY_TEXT = 27;
export const TEMPLATE_ROLE = 28;
export const HTML_ROLE = 29;
export const BODY_ROLE = 30;
export const FRAMESET_ROLE = 31;
export const PLAINTEXT_ROLE = 32;
export const IMAGE_ROLE = 33;

const ROLES: readonly (readonly [role: number, names: string])[] = [
  [
    BLOCK,
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup main menu " +
      "nav ol search section summary ul",
  ],
  [PARAGRAPH, "p"],
  [FORMATTING, "b big code em font i s small strike strong tt u"],
  [ANCHOR, "a"],
  [NO_BREAK, "nobr"],
  [LIST_ITEM, "li"],
  [DEFINITION, "dd dt"],
  [HEADING, "h1 h2 h3 h4 h5 h6"],
  [VOID, "area br embed img input keygen wbr"],
  [VOID_APART, "param source track"],
  [HEAD_VOID, "base basefont bgsound link meta"],
  [RULE, "hr"],
  [RAW, "iframe noembed"],
  [HEAD_RAW, "noframes script style title"],
  [TEXTAREA_ROLE, "textarea"],
  [XMP_ROLE, "xmp"],
  [TABLE_ROLE, "table"],
  [IGNORED, "caption col colgroup frame head tbody td tfoot th thead tr"],
  [FORM_ROLE, "form"],
  [BUTTON_ROLE, "button"],
  [SELECT_ROLE, "select"],
  [OPTION_ROLE, "optgroup option"],
  [PREFORMATTED, "listing pre"],
  [OBJECT_ROLE, "applet marquee object"],
  [FOREIGN_ROLE, "math svg"],
  [RUBY_BASE, "rb rtc"],
  [RUBY_TEXT, "rp rt"],
  [TEMPLATE_ROLE, "template"],
  [HTML_ROLE, "html"],
  [BODY_ROLE, "body"],
  [FRAMESET_ROLE, "frameset"],
  [PLAINTEXT_ROLE, "plaintext"],
  [IMAGE_ROLE, "image"],
];

const FLAGS: readonly (readonly [flags: number, names: string])[] = [
  [
    SPECIAL | ITEM_BOUND,
    "applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir dl dt " +
      "embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input li " +
      "link listing main marquee menu meta nav noembed noframes noscript object ol param plaintext pre script section select " +
      "source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp",
  ],
  [SPECIAL, "address div p"],
  [SCOPE, "applet caption html marquee object table td template th"],
  [BUTTON_SCOPE, "button"],
  [LIST_SCOPE, "ol ul"],
  [IMPLIED, "dd dt li optgroup option p rb rp rt rtc"],
  [
    BREAKOUT,
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre " +
      "ruby s small span strong strike sub sup table tt u ul var",
  ],
  [TABLE_PART, "caption col colgroup tbody td tfoot th thead tr"],
];

const FOREIGN_FLAGS: readonly (readonly [namespace: number, flags: number, names: string])[] = [
  [SVG, SPECIAL | ITEM_BOUND | SCOPE | HTML_POINT, "foreignobject desc title"],
  [MATH, SPECIAL | ITEM_BOUND | SCOPE | MATH_POINT, "mi mo mn ms mtext"],
  [MATH, SPECIAL | ITEM_BOUND | SCOPE, "annotation-xml"],
];

const SVG_SPELLING =
  "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix " +
  "feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feFlood feFuncA feFuncB " +
  "feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight " +
  "feTile feTurbulence foreignObject glyphRef linearGradient radialGradient textPath";

// Nothing depends on these being known; they are found faster.
const COMMON =
  "abbr acronym audio bdi bdo canvas circle cite data datalist defs del dfn ellipse g ins kbd label legend line malignmark map mark meter mglyph " +
  "noscript output path picture polygon polyline progress q rect ruby samp slot span sub sup symbol text time tspan use var video";

const words = (text: string): string[] => text.split(" ");

/** All that is known of a tag name. Within one page, a name has one kind in each namespace: kinds are compared as objects. */
export class TagKind {
  readonly name: string;
  /** As selectors see it, which know no case. */
  readonly lower: string;
  /** Small and dense: known names first, a page's own after them. The same in every namespace. */
  readonly id: number;
  readonly namespace: number;
  /** Tells the kinds of one name apart by namespace. */
  readonly key: number;
  readonly flags: number;
  readonly role: number;
  readonly content: Content;
  readonly #foreign: (TagKind | undefined)[] = [];

  constructor(name: string, id: number, namespace: number, flags: number, role: number) {
    this.name = name;
    this.lower = asciiLowerCase(name);
    this.id = id;
    this.namespace = namespace;
    this.key = id * 3 + namespace;
    this.flags = flags;
    this.role = role;
    this.content = namespace === HTML ? contentOf(name) : "markup";
  }

  /** The same name in SVG or MathML. */
  within(namespace: number): TagKind {
    return (this.#foreign[namespace] ??= new TagKind(
      namespace === SVG ? (svgSpelling.get(this.name) ?? this.name) : this.name,
      this.id,
      namespace,
      FOREIGN_FLAGS.find(
        ([space, , names]) => space === namespace && words(names).includes(this.name),
      )?.[1] ?? 0,
      GENERIC,
    ));
  }
}

const svgSpelling: ReadonlyMap<string, string> = new Map(
  words(SVG_SPELLING).map((name) => [name.toLowerCase(), name]),
);

function contentOf(name: string): Content {
  if (name === "script") return "script";
  if (name === "textarea" || name === "title") return "escapable";
  if (name === "plaintext") return "plain";
  return ["iframe", "noembed", "noframes", "style", "xmp"].includes(name) ? "raw" : "markup";
}

/** The names that the rules give a meaning to, and other common ones. */
const known: ReadonlyMap<string, TagKind> = knownKinds();
export const KNOWN_KINDS = known.size;

function knownKinds(): Map<string, TagKind> {
  const names = new Set([
    ...[...ROLES, ...FLAGS].flatMap(([, group]) => words(group)),
    ...FOREIGN_FLAGS.flatMap(([, , group]) => words(group)),
    ...svgSpelling.keys(),
    ...words(COMMON),
  ]);
  const kinds = new Map<string, TagKind>();
  for (const name of names) {
    const flags = FLAGS.reduce((sum, [bit, group]) => (words(group).includes(name) ? sum | bit : sum), 0);
    const role = ROLES.find(([, group]) => words(group).includes(name))?.[0] ?? GENERIC;
    kinds.set(name, new TagKind(name, kinds.size, HTML, flags, role));
  }
  return kinds;
}

/** Throws where the name is none that the rules give a meaning to. */
export function knownKind(name: string): TagKind {
  const kind = known.get(name);
  if (kind === undefined) throw new RangeError(`no known tag: ${name}`);
  return kind;
}

export const kindByName = (name: string): TagKind | undefined => known.get(name);

export const newKind = (name: string, id: number): TagKind => new TagKind(name, id, HTML, 0, GENERIC);

/** Known names by hash, open addressing: no string is made to find the kind of a tag. */
const SLOTS = 1024;
const slots: (TagKind | undefined)[] = Array.from({ length: SLOTS }, () => undefined);

/** Of a name's lower-case letters in turn, from 0. */
const hashed = (hash: number, code: number): number => (Math.imul(hash, 33) ^ code) | 0;

for (const kind of known.values()) {
  let hash = 0;
  for (let at = 0; at < kind.name.length; at++) hash = hashed(hash, kind.name.charCodeAt(at));
  let slot = hash & (SLOTS - 1);
  while (slots[slot] !== undefined) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = kind;
}

/** The name of a tag, whatever its case. */
export class TagName {
  end = 0;
  /** Undefined when it is not a known one. */
  kind: TagKind | undefined;

  read(codes: PageCodes, from: number, length: number): void {
    let at = from;
    let hash = 0;
    let seen = 0;
    for (; at < length; at++) {
      const code = codes[at] ?? 0;
      if (code <= GREATER && isNameEnd(code)) break;
      seen |= code;
      hash = hashed(hash, lowerCase(code));
    }
    this.end = at;
    // Only ASCII letters have two cases.
    this.kind = seen < 128 ? kindAt(codes, from, at, hash) : undefined;
  }
}

function kindAt(codes: PageCodes, from: number, to: number, hash: number): TagKind | undefined {
  for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const kind = slots[slot];
    if (kind === undefined || isNamed(kind.name, codes, from, to)) return kind;
  }
}

function isNamed(name: string, codes: PageCodes, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let at = 0; at < name.length; at++) {
    if (lowerCase(codes[from + at] ?? 0) !== name.charCodeAt(at)) return false;
  }
  return true;
}
