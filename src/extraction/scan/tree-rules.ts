import { endInBody, startInBody } from "./body-rules.ts";
import { advance, endBeforeBody, isBeforeBody, startBeforeBody } from "./head-rules.ts";
import { AMP, decodeEntities, isSpace, type PageCodes } from "./markup.ts";
import * as table from "./table-rules.ts";
import { BREAKOUT, HTML_POINT, knownKinds, type TagKind } from "./tag-kind.ts";
import type { TreeState } from "./tree-state.ts";

const { BR, FONT, HTML, OPTGROUP, OPTION, P, SCRIPT, SELECT, TEMPLATE } = knownKinds(
  "BR FONT HTML OPTGROUP OPTION P SCRIPT SELECT TEMPLATE",
);

// Tree construction by the standard, for all that only adds to the end of the tree; the rest calls `state.leave`. The rules of a
// mode return whether the tag must be processed again, in the mode that is now set.

export function startTag(state: TreeState, kind: TagKind): void {
  if (state.current.isForeign && !startInSvg(state, kind)) return;
  while (startInMode(state, kind));
}

function startInMode(state: TreeState, kind: TagKind): boolean {
  const { mode } = state;
  if (mode === "in cell") return table.startInCell(state, kind);
  if (mode === "in row") return table.startInRow(state, kind);
  if (mode === "in table body") return table.startInTableBody(state, kind);
  if (mode === "in table") return table.startInTable(state, kind);
  if (mode === "in caption") return table.startInCaption(state, kind);
  if (mode === "in column group") return table.startInColgroup(state, kind);
  if (mode === "in select") startInSelect(state, kind);
  else if (mode === "in body" || mode === "after body") {
    if (kind !== HTML) state.mode = "in body";
    startInBody(state, kind);
  } else return startBeforeBody(state, kind);
  return false;
}

export function endTag(state: TreeState, kind: TagKind): void {
  if (state.current.isForeign && !endInSvg(state, kind)) return;
  while (endInMode(state, kind));
}

function endInMode(state: TreeState, kind: TagKind): boolean {
  const { mode } = state;
  if (mode === "in cell") return table.endInCell(state, kind);
  if (mode === "in row") return table.endInRow(state, kind);
  if (mode === "in table body") return table.endInTableBody(state, kind);
  if (mode === "in table") return table.endInTable(state, kind);
  if (mode === "in caption") return table.endInCaption(state, kind);
  if (mode === "in column group") return table.endInColgroup(state, kind);
  if (mode === "in select") endInSelect(state, kind);
  else if (mode === "in body") endInBody(state, kind);
  else if (mode !== "after body") return endBeforeBody(state, kind);
  else if (kind !== HTML) {
    state.mode = "in body";
    return true;
  }
  return false;
}

/** Options, and what separates them. Other tags are ignored or close the select: left to parse5. */
function startInSelect(state: TreeState, kind: TagKind): void {
  if (kind.role === "option" || kind.role === "rule") {
    if (state.current === OPTION) state.pop();
    if (kind !== OPTION && state.current === OPTGROUP) state.pop();
    if (kind.role === "rule") state.insertVoid(kind);
    else state.insert(kind);
  } else if (kind === SCRIPT) state.insertRaw(kind);
  else state.leave("markup in a select");
}

function endInSelect(state: TreeState, kind: TagKind): void {
  if (kind === OPTION) {
    if (state.current === OPTION) state.pop();
  } else if (kind === OPTGROUP) {
    if (state.current === OPTION && state.kinds[state.top - 1] === OPTGROUP) state.pop();
    if (state.current === OPTGROUP) state.pop();
  } else if (kind === SELECT) state.popWithMode(state.topOf(SELECT));
  else state.leave("markup in a select");
}

/** Whether text here belongs to an SVG element, and CDATA sections are text. */
export const isForeignText = ({ current }: TreeState): boolean =>
  current.isForeign && (current.flags & HTML_POINT) === 0;

/** Returns whether HTML's own rules must process the tag. */
function startInSvg(state: TreeState, kind: TagKind): boolean {
  if ((state.current.flags & HTML_POINT) !== 0) return true;
  if ((kind.flags & BREAKOUT) !== 0 || (kind === FONT && isStyledFont(state))) {
    breakOut(state);
    return true;
  }
  if (state.isSelfClosing) state.insertVoid(kind.foreign);
  else state.insert(kind.foreign);
  return false;
}

const isStyledFont = (state: TreeState): boolean =>
  ["color", "face", "size"].some((name) => state.attribute(name) !== undefined);

function breakOut(state: TreeState): void {
  while (isForeignText(state)) state.pop();
}

function endInSvg(state: TreeState, kind: TagKind): boolean {
  if (kind === P || kind === BR) {
    breakOut(state);
    return true;
  }
  const topmost = state.topOf(kind.foreign);
  if (topmost === 0) return true;
  state.steps += state.top - topmost;
  for (let slot = state.top; slot > topmost; slot--) if (state.kinds[slot]?.isForeign === false) return true;
  state.popTo(topmost);
  return false;
}

export function textRun(state: TreeState, from: number, to: number, hasEntities: boolean): void {
  const { mode } = state;
  if (isForeignText(state) || mode === "in select") {
    state.insertText(from, to, hasEntities);
    return;
  }
  if (mode === "in body" || mode === "in cell" || mode === "in caption") state.reopenFormatting();
  else if (isBeforeBody(mode)) {
    textBeforeBody(state, from, to);
    return;
  } else {
    const isBlank = inkAfter(state.codes, from, to) === to;
    if (mode === "after body") {
      if (!isBlank) state.mode = "in body";
      state.reopenFormatting();
    } else if (!isBlank) state.leave("content moved out of a table");
  }
  state.insertText(from, to, hasEntities);
}

function textBeforeBody(state: TreeState, from: number, to: number): void {
  const ink = inkAfter(state.codes, from, to);
  if (ink > from) {
    if (state.mode === "after head") state.keepBlank(from, ink);
    else if (state.mode.startsWith("in head")) state.insertText(from, ink, false);
  }
  if (ink === to) return;
  if (beginsWithSpace(state.text, ink, to)) state.leave("character reference for white space");
  state.at = ink;
  while (advance(state));
  textRun(state, ink, to, true);
}

/** Whether a character reference stands for white space. */
export function beginsWithSpace(text: string, from: number, to: number): boolean {
  return text.charCodeAt(from) === AMP && isSpace(decodeEntities(text, from, to, "text").charCodeAt(0));
}

/** The first character that is not white space. */
function inkAfter(codes: PageCodes, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(codes[at] ?? 0)) at++;
  return at;
}

/** The page ends: adds the elements it must have, and closes all open ones at `end`. */
export function endPage(state: TreeState, end: number): void {
  state.at = end;
  while (state.isInTemplate) endInBody(state, TEMPLATE);
  while (advance(state));
  while (state.top > 0) state.pop(end);
}
