import { endInBody, startInBody } from "./body-rules.ts";
import { knownKinds, TABLE_PART, type TagKind } from "./tag-kind.ts";
import type { TreeState } from "./tree-state.ts";

const { BODY, BR, CAPTION, COL, COLGROUP, FORM, HTML, INPUT, P, SCRIPT, STYLE } = knownKinds(
  "BODY BR CAPTION COL COLGROUP FORM HTML INPUT P SCRIPT STYLE",
);
const { TABLE, TBODY, TD, TFOOT, TH, THEAD, TR } = knownKinds("TABLE TBODY TD TFOOT TH THEAD TR");

const isSection = (kind: TagKind): boolean => kind === TBODY || kind === THEAD || kind === TFOOT;
const isPart = (kind: TagKind): boolean => (kind.flags & TABLE_PART) !== 0;
const isOutside = (kind: TagKind): boolean => kind === BODY || kind === HTML;

// Nothing is put into a table that does not belong there (it would have to be moved out): so the innermost element is the table in the
// mode "in table", its section in "in table body", and its row in "in row". Each rule returns whether the tag must be processed
// again, in the mode that is now set.

export function startInTable(state: TreeState, kind: TagKind): boolean {
  if (isPart(kind)) return startPart(state, kind);
  if (kind === TABLE) {
    state.popWithMode(state.topOf(TABLE));
    return true;
  }
  if (kind === SCRIPT || kind === STYLE) state.insertRaw(kind);
  else if (kind === FORM) startForm(state);
  else if (kind === INPUT && state.attribute("type")?.toLowerCase() === "hidden") state.insertVoid(kind);
  else {
    state.leave("content moved out of a table");
    startInBody(state, kind);
  }
  return false;
}

function startPart(state: TreeState, kind: TagKind): boolean {
  if (kind === CAPTION) {
    state.formatting.mark();
    state.insert(kind);
    state.mode = "in caption";
  } else if (kind === COLGROUP || isSection(kind)) {
    state.insert(kind);
    state.mode = kind === COLGROUP ? "in column group" : "in table body";
  } else {
    state.insertImplied(kind === COL ? COLGROUP : TBODY);
    state.mode = kind === COL ? "in column group" : "in table body";
    return true;
  }
  return false;
}

/** A form that begins between the cells of a table ends at once; its controls still belong to it. */
function startForm(state: TreeState): void {
  if (state.form !== undefined || state.isInTemplate) return;
  state.insert(FORM);
  state.form = { slot: state.top, serial: state.serials[state.top] ?? 0 };
  state.pop(state.inside);
}

export function startInTableBody(state: TreeState, kind: TagKind): boolean {
  if (kind === TR) state.insert(kind);
  else if (kind === TD || kind === TH) state.insertImplied(TR);
  else if (!isPart(kind)) return startInTable(state, kind);
  else {
    state.pop();
    state.mode = "in table";
    return true;
  }
  state.mode = "in row";
  return kind !== TR;
}

export function startInRow(state: TreeState, kind: TagKind): boolean {
  if (kind === TD || kind === TH) {
    state.insert(kind);
    state.formatting.mark();
    state.mode = "in cell";
    return false;
  }
  if (!isPart(kind)) return startInTable(state, kind);
  state.pop();
  state.mode = "in table body";
  return true;
}

export function startInCell(state: TreeState, kind: TagKind): boolean {
  if (isPart(kind)) endCell(state, Math.max(state.topOf(TD), state.topOf(TH)));
  else startInBody(state, kind);
  return isPart(kind);
}

function endCell(state: TreeState, slot: number): void {
  state.popTo(slot);
  state.formatting.clearToMarker();
  state.mode = "in row";
}

export function startInCaption(state: TreeState, kind: TagKind): boolean {
  if (isPart(kind)) endCaption(state);
  else startInBody(state, kind);
  return isPart(kind);
}

function endCaption(state: TreeState): void {
  state.popTo(state.topOf(CAPTION));
  state.formatting.clearToMarker();
  state.mode = "in table";
}

export function startInColgroup(state: TreeState, kind: TagKind): boolean {
  if (kind === COL) state.insertVoid(kind);
  else {
    state.pop();
    state.mode = "in table";
  }
  return kind !== COL;
}

export function endInTable(state: TreeState, kind: TagKind): boolean {
  if (kind === TABLE) state.popWithMode(state.topOf(TABLE));
  else if (!isPart(kind) && !isOutside(kind)) {
    // `</p>` and `</br>` make elements, which would be moved; other end tags look no further than the table.
    if (kind === P || kind === BR) state.leave("content moved out of a table");
    endInBody(state, kind);
  }
  return false;
}

export function endInTableBody(state: TreeState, kind: TagKind): boolean {
  if (isSection(kind) ? state.inTableScope(kind) !== 0 : kind === TABLE) {
    state.pop();
    state.mode = "in table";
    return kind === TABLE;
  }
  return isSection(kind) ? false : endInTable(state, kind);
}

export function endInRow(state: TreeState, kind: TagKind): boolean {
  if (kind !== TR && kind !== TABLE && !isSection(kind)) return endInTable(state, kind);
  state.pop();
  state.mode = "in table body";
  return kind !== TR;
}

export function endInCell(state: TreeState, kind: TagKind): boolean {
  if (kind === TD || kind === TH) {
    const slot = state.inTableScope(kind);
    if (slot !== 0) endCell(state, slot);
  } else if (kind === TABLE || kind === TR || isSection(kind)) {
    if (state.inTableScope(kind) === 0) return false;
    endCell(state, Math.max(state.topOf(TD), state.topOf(TH)));
    return true;
  } else if (!isPart(kind) && !isOutside(kind)) endInBody(state, kind);
  return false;
}

export function endInCaption(state: TreeState, kind: TagKind): boolean {
  if (kind === CAPTION || kind === TABLE) {
    endCaption(state);
    return kind === TABLE;
  }
  if (!isPart(kind) && !isOutside(kind)) endInBody(state, kind);
  return false;
}

export function endInColgroup(state: TreeState, kind: TagKind): boolean {
  if (kind === COL) return false;
  state.pop();
  state.mode = "in table";
  return kind !== COLGROUP;
}
