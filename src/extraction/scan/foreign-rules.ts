import { BREAKOUT, HTML, HTML_POINT, knownKind, MATH, MATH_POINT, SVG, TagKind } from "./tag-kind.ts";
import type { TreeState } from "./tree-state.ts";

const ANNOTATION = knownKind("annotation-xml").within(MATH);
/** One whose encoding says that HTML is in it; has the same key. */
const HTML_ANNOTATION = new TagKind(
  ANNOTATION.name,
  ANNOTATION.id,
  MATH,
  ANNOTATION.flags | HTML_POINT,
  ANNOTATION.role,
);
const BR = knownKind("br");
const FONT = knownKind("font");
const MALIGNMARK = knownKind("malignmark");
const MGLYPH = knownKind("mglyph");
const P = knownKind("p");
const SVG_NAME = knownKind("svg");

/** Whether text here is the foreign element's own, and sections of CDATA are text. */
export const isForeignText = ({ current }: TreeState): boolean =>
  current.namespace !== HTML && (current.flags & (HTML_POINT | MATH_POINT)) === 0;

/** A start tag inside of SVG or MathML; returns whether HTML's own rules are to process it. */
export function startInForeign(state: TreeState, kind: TagKind): boolean {
  const { current } = state;
  const { flags } = current;
  if ((flags & HTML_POINT) !== 0) return true;
  if ((flags & MATH_POINT) !== 0 && kind !== MGLYPH && kind !== MALIGNMARK) return true;
  if (current === ANNOTATION && kind === SVG_NAME) return true;
  if ((kind.flags & BREAKOUT) !== 0 || (kind === FONT && isStyledFont(state))) {
    breakOut(state);
    return true;
  }
  let foreign = kind.within(current.namespace);
  if (foreign === ANNOTATION && isHtmlEncoding(state.attribute("encoding"))) foreign = HTML_ANNOTATION;
  if (state.isSelfClosing) state.insertVoid(foreign);
  else state.insert(foreign);
  return false;
}

const isStyledFont = (state: TreeState): boolean =>
  ["color", "face", "size"].some((name) => state.attribute(name) !== undefined);

const isHtmlEncoding = (encoding: string | undefined): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)$/i.test(encoding ?? "");

function breakOut(state: TreeState): void {
  while (isForeignText(state)) state.pop();
}

/** Likewise for an end tag. */
export function endInForeign(state: TreeState, kind: TagKind): boolean {
  if (kind === P || kind === BR) {
    breakOut(state);
    return true;
  }
  const topmost = Math.max(state.topOf(kind.within(SVG)), state.topOf(kind.within(MATH)));
  if (topmost === 0) return true;
  state.steps += state.top - topmost;
  for (let slot = state.top; slot > topmost; slot--) {
    if (state.kinds[slot]?.namespace === HTML) return true;
  }
  state.popTo(topmost);
  return false;
}
