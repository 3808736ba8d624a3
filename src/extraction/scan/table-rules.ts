import { endInBody } from "./body-end-rules.ts";
import { startInBody } from "./body-start-rules.ts";
import { FORM_ROLE, knownKind, TABLE_PART, TEMPLATE_ROLE } from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";
import { endTemplate, startTemplate } from "./template-rules.ts";
import { IN_CAPTION, IN_CELL, IN_COLGROUP, IN_ROW, IN_TABLE, IN_TABLE_BODY } from "./insertion-mode.ts";
import type { TreeState } from "./tree-state.ts";

const BODY = knownKind("body");
const BR = knownKind("br");
const CAPTION = knownKind("caption");
const COL = knownKind("col");
const COLGROUP = knownKind("colgroup");
const HTML_KIND = knownKind("html");
const INPUT = knownKind("input");
const P = knownKind("p");
const SCRIPT = knownKind("script");
const STYLE = knownKind("style");
const TABLE = knownKind("table");
const TBODY = knownKind("tbody");
const TD = knownKind("td");
const TFOOT = knownKind("tfoot");
const TH = knownKind("th");
const THEAD = knownKind("thead");
const TR = knownKind("tr");

// Nothing is ever put into a table that does not belong there (that would be moved out of it): so the innermost element is the
// table in the mode IN_TABLE, its body in IN_TABLE_BODY, and its row in IN_ROW. Each rule returns whether the tag is to be
// processed again, in the mode that is now set.

export function startInTable(state: TreeState, kind: TagKind): boolean {
  if ((kind.flags & TABLE_PART) !== 0) {
    if (kind === CAPTION) {
      state.formatting.mark();
      state.insert(kind);
      state.mode = IN_CAPTION;
    } else if (kind === COLGROUP) {
      state.insert(kind);
      state.mode = IN_COLGROUP;
    } else if (kind === COL) {
      state.insertImplied(COLGROUP);
      state.mode = IN_COLGROUP;
      return true;
    } else {
      const isBody = kind === TBODY || kind === THEAD || kind === TFOOT;
      if (isBody) state.insert(kind);
      else state.insertImplied(TBODY);
      state.mode = IN_TABLE_BODY;
      return !isBody;
    }
    return false;
  }
  if (kind === TABLE) {
    state.popWithMode(state.topOf(TABLE));
    return true;
  }
  if (kind === SCRIPT || kind === STYLE) state.insertRaw(kind);
  else if (kind.role === TEMPLATE_ROLE) startTemplate(state);
  else if (kind.role === FORM_ROLE) startForm(state);
  else if (kind === INPUT && state.attribute("type")?.toLowerCase() === "hidden") state.insertVoid(kind);
  else {
    state.leave("content moved out of a table");
    startInBody(state, kind);
  }
  return false;
}

/** A form that begins between the cells of a table ends at once; its controls are still its own. */
function startForm(state: TreeState): void {
  if (state.form !== undefined || state.isInTemplate) return;
  state.insert(knownKind("form"));
  state.form = { slot: state.top, serial: state.serials[state.top] ?? 0 };
  state.pop(state.inside);
}

export function startInTableBody(state: TreeState, kind: TagKind): boolean {
  if (kind === TR) state.insert(kind);
  else if (kind === TD || kind === TH) state.insertImplied(TR);
  else if ((kind.flags & TABLE_PART) === 0) return startInTable(state, kind);
  else {
    state.pop();
    state.mode = IN_TABLE;
    return true;
  }
  state.mode = IN_ROW;
  return kind !== TR;
}

export function startInRow(state: TreeState, kind: TagKind): boolean {
  if (kind === TD || kind === TH) {
    state.insert(kind);
    state.formatting.mark();
    state.mode = IN_CELL;
    return false;
  }
  if ((kind.flags & TABLE_PART) === 0) return startInTable(state, kind);
  state.pop();
  state.mode = IN_TABLE_BODY;
  return true;
}

export function startInCell(state: TreeState, kind: TagKind): boolean {
  if ((kind.flags & TABLE_PART) === 0) {
    startInBody(state, kind);
    return false;
  }
  endCell(state, Math.max(state.topOf(TD), state.topOf(TH)));
  return true;
}

function endCell(state: TreeState, slot: number): void {
  state.popTo(slot);
  state.formatting.clearToMarker();
  state.mode = IN_ROW;
}

export function startInCaption(state: TreeState, kind: TagKind): boolean {
  if ((kind.flags & TABLE_PART) === 0) {
    startInBody(state, kind);
    return false;
  }
  endCaption(state);
  return true;
}

function endCaption(state: TreeState): void {
  state.popTo(state.topOf(CAPTION));
  state.formatting.clearToMarker();
  state.mode = IN_TABLE;
}

export function startInColgroup(state: TreeState, kind: TagKind): boolean {
  if (kind === COL) state.insertVoid(kind);
  else if (kind === HTML_KIND) startInBody(state, kind);
  else if (kind.role === TEMPLATE_ROLE) startTemplate(state);
  else {
    state.pop();
    state.mode = IN_TABLE;
    return true;
  }
  return false;
}

const isOutside = (kind: TagKind): boolean => kind === BODY || kind === HTML_KIND;

export function endInTable(state: TreeState, kind: TagKind): boolean {
  if (kind === TABLE) state.popWithMode(state.topOf(TABLE));
  else if (kind.role === TEMPLATE_ROLE) endTemplate(state);
  else if ((kind.flags & TABLE_PART) === 0 && !isOutside(kind)) {
    // `</p>` and `</br>` make elements, which would be moved; other end tags look no further than the table.
    if (kind === P || kind === BR) state.leave("content moved out of a table");
    endInBody(state, kind);
  }
  return false;
}

export function endInTableBody(state: TreeState, kind: TagKind): boolean {
  const isBody = kind === TBODY || kind === THEAD || kind === TFOOT;
  if (isBody ? state.inTableScope(kind) !== 0 : kind === TABLE) {
    state.pop();
    state.mode = IN_TABLE;
    return kind === TABLE;
  }
  return isBody ? false : endInTable(state, kind);
}

export function endInRow(state: TreeState, kind: TagKind): boolean {
  const isBody = kind === TBODY || kind === THEAD || kind === TFOOT;
  if (kind === TR || kind === TABLE || isBody) {
    state.pop();
    state.mode = IN_TABLE_BODY;
    return kind !== TR;
  }
  return endInTable(state, kind);
}

export function endInCell(state: TreeState, kind: TagKind): boolean {
  if (kind === TD || kind === TH) {
    const slot = state.inTableScope(kind);
    if (slot !== 0) endCell(state, slot);
  } else if (kind === TABLE || kind === TR || kind === TBODY || kind === THEAD || kind === TFOOT) {
    if (state.inTableScope(kind) === 0) return false;
    endCell(state, Math.max(state.topOf(TD), state.topOf(TH)));
    return true;
  } else if ((kind.flags & TABLE_PART) === 0 && !isOutside(kind)) endInBody(state, kind);
  return false;
}

export function endInCaption(state: TreeState, kind: TagKind): boolean {
  if (kind === CAPTION || kind === TABLE) {
    endCaption(state);
    return kind === TABLE;
  }
  if ((kind.flags & TABLE_PART) === 0 && !isOutside(kind)) endInBody(state, kind);
  return false;
}

export function endInColgroup(state: TreeState, kind: TagKind): boolean {
  if (kind === COL) return false;
  if (kind.role === TEMPLATE_ROLE) {
    endTemplate(state);
    return false;
  }
  state.pop();
  state.mode = IN_TABLE;
  return kind !== COLGROUP;
}
