import { lowerCase } from "./markup-codes.ts";

/** How the text inside an element is read: as markup, as it stands, with entities only, or as it stands to the very end. */
export type Content = "markup" | "raw" | "escapable" | "plain";

/** Whose rules hold inside an element: those of SVG, of MathML, or HTML's again. */
export type Context = "svg" | "math" | "html";

/** All that the scanner knows of a tag name. Within one page, a name has one kind: kinds are compared as objects. */
export interface TagKind {
  readonly name: string;
  /** Small and dense: known names first, a page's own after them. */
  readonly id: number;
  readonly isVoid: boolean;
  readonly content: Content;
  /** Set where the element changes whose rules hold. */
  readonly context: Context | undefined;
  /** By id: the open elements that end when this one begins. */
  readonly ends: Uint8Array | undefined;
  /** The same name as SVG spells it, such as `linearGradient`. */
  readonly inSvg: TagKind | undefined;
}

const words = (text: string): string[] => text.split(" ");

const RAW: ReadonlySet<string> = new Set(words("iframe noembed noframes script style xmp"));
const ESCAPABLE: ReadonlySet<string> = new Set(words("textarea title"));
const VOID: ReadonlySet<string> = new Set(
  words(
    "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr",
  ),
);
const CONTEXTS: ReadonlyMap<string, Context> = new Map<string, Context>([
  ["svg", "svg"],
  ["math", "math"],
  ...words("mi mo mn ms mtext annotation-xml foreignObject desc title").map((name): [string, Context] => [
    name,
    "html",
  ]),
]);

const CONTROLS = "input option optgroup select button datalist textarea";
const HEADINGS = "h1 h2 h3 h4 h5 h6";
const ENDS: readonly (readonly [begins: string, ends: string])[] = [
  ["tr", "tr th td"],
  ["th", "th"],
  ["td", "thead th td"],
  ["body", "head link script"],
  ["a", "a"],
  ["li", "li"],
  ["option", "option"],
  ["optgroup", "optgroup option"],
  [HEADINGS, `${HEADINGS} p`],
  ["select input output button datalist textarea", CONTROLS],
  ["dd dt", "dd dt"],
  ["rt rp", "rt rp"],
  ["tbody tfoot", "thead tbody"],
  [
    "p address article aside blockquote details div dl fieldset figcaption figure footer form header hr main nav ol pre section table ul",
    "p",
  ],
];

const SVG_SPELLING =
  "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix " +
  "feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood " +
  "feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight " +
  "feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient radialGradient textPath";

// Nothing depends on these being known; they are found faster.
const COMMON =
  "html abbr acronym audio b bdi bdo big canvas caption center circle cite code colgroup data defs del dfn dialog dir ellipse " +
  "em ellipse font g hgroup i image ins kbd label legend line map mark menu meter noscript object optgroup path picture polygon " +
  "polyline progress q rect ruby s samp slot small span strike strong sub summary sup symbol template text time tspan tt u use " +
  "var video";

const contentOf = (name: string): Content =>
  RAW.has(name) ? "raw" : ESCAPABLE.has(name) ? "escapable" : name === "plaintext" ? "plain" : "markup";

const known: ReadonlyMap<string, TagKind> = knownKinds();
export const KNOWN_KINDS = known.size;

function knownKinds(): Map<string, TagKind> {
  const svgNames = words(SVG_SPELLING);
  const names = new Set([
    ...svgNames,
    ...svgNames.map((name) => name.toLowerCase()),
    ...RAW,
    ...ESCAPABLE,
    "plaintext",
    ...VOID,
    ...CONTEXTS.keys(),
    ...ENDS.flatMap((pair) => pair.flatMap(words)),
    ...words(COMMON),
  ]);
  const ids = new Map([...names].map((name, id) => [name, id]));
  const endsOf = (name: string): Uint8Array | undefined => {
    const rule = ENDS.find(([begins]) => words(begins).includes(name));
    if (rule === undefined) return undefined;
    const ends = new Uint8Array(names.size);
    for (const ended of words(rule[1])) ends[ids.get(ended) ?? 0] = 1;
    return ends;
  };
  const kinds = new Map<string, TagKind>();
  const add = (name: string, inSvg: TagKind | undefined): TagKind => {
    const kind: TagKind = {
      name,
      id: ids.get(name) ?? 0,
      isVoid: VOID.has(name),
      content: contentOf(name),
      context: CONTEXTS.get(name),
      ends: endsOf(name),
      inSvg,
    };
    kinds.set(name, kind);
    return kind;
  };
  for (const name of svgNames) add(name.toLowerCase(), add(name, undefined));
  for (const name of names) if (!kinds.has(name)) add(name, undefined);
  return kinds;
}

/** Throws where the name is none that HTML, SVG or MathML give a meaning to here. */
export function knownKind(name: string): TagKind {
  const kind = known.get(name);
  if (kind === undefined) throw new RangeError(`no known tag: ${name}`);
  return kind;
}

export const kindByName = (name: string): TagKind | undefined => known.get(name);

export const newKind = (name: string, id: number): TagKind => ({
  name,
  id,
  isVoid: false,
  content: "markup",
  context: undefined,
  ends: undefined,
  inSvg: undefined,
});

/** Known names by hash, open addressing: no string is made to find the kind of a tag. */
const SLOTS = 1024;
const slots: (TagKind | undefined)[] = Array.from({ length: SLOTS }, () => undefined);

/** Of a name's lower-case letters in turn, from 0. */
export const hashed = (hash: number, code: number): number => (Math.imul(hash, 33) ^ code) | 0;

for (const kind of known.values()) {
  // A page's names are folded first, so that these are never looked up.
  if (kind.name !== kind.name.toLowerCase()) continue;
  let hash = 0;
  for (let at = 0; at < kind.name.length; at++) hash = hashed(hash, kind.name.charCodeAt(at));
  let slot = hash & (SLOTS - 1);
  while (slots[slot] !== undefined) slot = (slot + 1) & (SLOTS - 1);
  slots[slot] = kind;
}

/** The kind of the ASCII name at a place in the page, whatever its case, by its hash; undefined when it is not a known one. */
export function kindAt(text: string, from: number, to: number, hash: number): TagKind | undefined {
  for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
    const kind = slots[slot];
    if (kind === undefined || isNamed(kind.name, text, from, to)) return kind;
  }
}

function isNamed(name: string, text: string, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let at = 0; at < name.length; at++) {
    if (lowerCase(text.charCodeAt(from + at)) !== name.charCodeAt(at)) return false;
  }
  return true;
}
