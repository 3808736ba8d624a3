import { asciiLowerCase, GREATER, isNameEnd, lowerCase, type PageCodes } from "./markup.ts";

/** How the content of an element is read: as markup, as it stands, or with entities only. */
type Content = "markup" | "raw" | "script" | "escapable";

// What an open element means to the tags inside it: one bit each.
export const SPECIAL = 1;
/** Ends every search for an element "in scope"; the next two do so for `p` and for `li`. */
export const SCOPE = 2;
export const BUTTON_SCOPE = 4;
export const LIST_SCOPE = 8;
/** Ends the search for the list item that a new one closes. */
export const ITEM_BOUND = 16;
/** Its end tag is implied by many others. */
export const IMPLIED = 32;
/** As a start tag inside SVG, it closes the SVG. */
export const BREAKOUT = 64;
/** Inside this SVG element HTML's rules hold again. */
export const HTML_POINT = 128;
export const TABLE_PART = 256;

/** The groups of tags that the standard's "in body" rules tell apart. */
const ROLES = {
  block:
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup main menu " +
    "nav ol search section summary ul",
  paragraph: "p",
  formatting: "b big code em font i s small strike strong tt u",
  anchor: "a",
  noBreak: "nobr",
  listItem: "li",
  definition: "dd dt",
  heading: "h1 h2 h3 h4 h5 h6",
  void: "area br embed img input keygen wbr",
  /** Does not reopen formatting. */
  voidApart: "param source track",
  headVoid: "base basefont bgsound link meta",
  rule: "hr",
  raw: "iframe noembed",
  headRaw: "noframes script style title",
  textarea: "textarea",
  table: "table",
  ignored: "caption col colgroup frame head tbody td tfoot th thead tr",
  form: "form",
  button: "button",
  select: "select",
  option: "optgroup option",
  preformatted: "listing pre",
  object: "applet marquee object",
  svg: "svg",
  rubyBase: "rb rtc",
  rubyText: "rp rt",
  template: "template",
  html: "html",
  body: "body",
  /** Left to parse5. */
  rare: "frameset image math plaintext xmp",
} as const;
export type Role = "generic" | keyof typeof ROLES;

const FLAGS: readonly (readonly [flags: number, names: string])[] = [
  [
    SPECIAL | ITEM_BOUND,
    "applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd details dir dl dt " +
      "embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input li " +
      "link listing main marquee menu meta nav noembed noframes noscript object ol param pre script section select " +
      "source style summary table tbody td template textarea tfoot th thead title tr track ul wbr",
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
const FOREIGN_FLAGS = SPECIAL | ITEM_BOUND | SCOPE | HTML_POINT;
const HTML_POINTS = ["foreignobject", "desc", "title"];

const words = (text: string): string[] => text.split(" ");

/** SVG names are not case-insensitive in the tree; this is their spelling. */
const SVG_SPELLING: ReadonlyMap<string, string> = new Map(
  words(
    "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix " +
      "feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feFlood feFuncA feFuncB " +
      "feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight " +
      "feTile feTurbulence foreignObject glyphRef linearGradient radialGradient textPath",
  ).map((name) => [name.toLowerCase(), name]),
);

// No rule depends on these; known names are found faster.
const COMMON =
  "abbr acronym audio bdi bdo canvas circle cite data datalist defs del dfn ellipse g ins kbd label legend line map mark meter " +
  "noscript output path picture polygon polyline progress q rect ruby samp slot span sub sup symbol text time tspan use var video";

/** All that is known of a tag name. On one page a name has one kind in HTML and one in SVG: kinds are compared as objects. */
export class TagKind {
  readonly name: string;
  /** As selectors see it: they ignore case. */
  readonly lower: string;
  /** Small and dense: known names first, then a page's own. The same in SVG. */
  readonly id: number;
  /** In SVG. */
  readonly isForeign: boolean;
  /** Tells the two kinds of one name apart. */
  readonly key: number;
  readonly flags: number;
  readonly role: Role;
  readonly content: Content;
  #foreign: TagKind | undefined;

  constructor(name: string, id: number, flags = 0, role: Role = "generic", isForeign = false) {
    this.name = name;
    this.lower = asciiLowerCase(name);
    this.id = id;
    this.isForeign = isForeign;
    this.key = id * 2 + (isForeign ? 1 : 0);
    this.flags = flags;
    this.role = role;
    this.content = isForeign ? "markup" : contentOf(name);
  }

  /** The same name in SVG. */
  get foreign(): TagKind {
    return (this.#foreign ??= new TagKind(
      SVG_SPELLING.get(this.name) ?? this.name,
      this.id,
      HTML_POINTS.includes(this.name) ? FOREIGN_FLAGS : 0,
      "generic",
      true,
    ));
  }
}

function contentOf(name: string): Content {
  if (name === "script") return "script";
  if (name === "textarea" || name === "title") return "escapable";
  return ["iframe", "noembed", "noframes", "style"].includes(name) ? "raw" : "markup";
}

/** The names that the rules give a meaning to, and other common ones. */
const known = new Map<string, TagKind>();
for (const name of new Set([
  ...[...Object.values(ROLES), ...FLAGS.map(([, group]) => group), COMMON].flatMap(words),
  ...SVG_SPELLING.keys(),
  ...HTML_POINTS,
])) {
  const flags = FLAGS.reduce((sum, [bit, group]) => (words(group).includes(name) ? sum | bit : sum), 0);
  const role = Object.entries(ROLES).find(([, group]) => words(group).includes(name))?.[0];
  known.set(name, new TagKind(name, known.size, flags, (role ?? "generic") as Role));
}
export const KNOWN_KINDS = known.size;
export const allKnownKinds = (): Iterable<TagKind> => known.values();
export const kindByName = (name: string): TagKind | undefined => known.get(name);

type NamesIn<S extends string> = S extends `${infer First} ${infer Rest}` ? First | NamesIn<Rest> : S;

/** By name, which may be in upper case: `const { TD, TH } = knownKinds("TD TH")`. Throws on an unknown name. */
export function knownKinds<S extends string>(names: S): Readonly<Record<NamesIn<S>, TagKind>> {
  const found = words(names).map((name) => {
    const kind = known.get(name.toLowerCase());
    if (kind === undefined) throw new RangeError(`unknown tag: ${name}`);
    return [name, kind];
  });
  return Object.fromEntries(found) as Record<NamesIn<S>, TagKind>;
}

/** Known names by hash, open addressing: finding the kind of a tag makes no string. */
const SLOTS = 1024;
const slots: (TagKind | undefined)[] = Array.from({ length: SLOTS }, () => undefined);

/** Fed with a name's lower-case letters in turn, from 0. */
const hashed = (hash: number, code: number): number => (Math.imul(hash, 33) ^ code) | 0;

for (const kind of known.values()) {
  let hash = 0;
  for (let at = 0; at < kind.name.length; at++) hash = hashed(hash, kind.name.charCodeAt(at));
  let slot = hash & (SLOTS - 1);
  while (slots[slot] !== undefined) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = kind;
}

/** The name of a tag, in any case. */
export class TagName {
  end = 0;
  /** Undefined for an unknown name. */
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
