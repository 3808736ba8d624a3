import { endInBody } from "./body-end-rules.ts";
import { startInBody } from "./body-start-rules.ts";
import { endInForeign, isForeignText, startInForeign } from "./foreign-rules.ts";
import { advance, endBeforeBody, startBeforeBody } from "./head-rules.ts";
import {
  AFTER_AFTER_BODY,
  AFTER_BODY,
  AFTER_HEAD,
  IN_BODY,
  IN_CAPTION,
  IN_CELL,
  IN_COLGROUP,
  IN_HEAD,
  IN_ROW,
  IN_SELECT,
  IN_SELECT_IN_TABLE,
  IN_TABLE,
  IN_TABLE_BODY,
  IN_TEMPLATE,
} from "./insertion-mode.ts";
import { AMP, decodeEntities, isSpace, type PageCodes } from "./markup.ts";
import { endInSelect, startInSelect } from "./select-rules.ts";
import * as table from "./table-rules.ts";
import { HEAD_RAW, HEAD_VOID, HTML, HTML_ROLE, TABLE_PART, type TagKind, TEMPLATE_ROLE } from "./tag-kind.ts";
import { endTemplate } from "./template-rules.ts";
import type { TreeState } from "./tree-state.ts";

/** Tree construction by the standard, for all that only adds at the end of the tree; `state.leave` is called for the rest. */
export function startTag(state: TreeState, kind: TagKind): void {
  if (state.current.namespace !== HTML && !startInForeign(state, kind)) return;
  while (startInMode(state, kind));
}

function startInMode(state: TreeState, kind: TagKind): boolean {
  return starts[state.mode]?.(state, kind) ?? startBeforeBody(state, kind);
}

type Rule = (state: TreeState, kind: TagKind) => boolean;

/** By mode; those that are not here are modes before the body. */
const starts: (Rule | undefined)[] = [];
starts[IN_BODY] = (state, kind) => {
  startInBody(state, kind);
  return false;
};
starts[IN_CELL] = table.startInCell;
starts[IN_ROW] = table.startInRow;
starts[IN_TABLE_BODY] = table.startInTableBody;
starts[IN_TABLE] = table.startInTable;
starts[IN_CAPTION] = table.startInCaption;
starts[IN_COLGROUP] = table.startInColgroup;
starts[IN_SELECT] = startInSelect;
starts[IN_SELECT_IN_TABLE] = startInSelect;
starts[IN_TEMPLATE] = startInTemplate;
for (const mode of [AFTER_BODY, AFTER_AFTER_BODY])
  starts[mode] = (state, kind) => {
    if (kind.role !== HTML_ROLE) state.mode = IN_BODY;
    startInBody(state, kind);
    return false;
  };

function startInTemplate(state: TreeState, kind: TagKind): boolean {
  const isOfHead = kind.role === HEAD_VOID || kind.role === HEAD_RAW || kind.role === TEMPLATE_ROLE;
  if ((kind.flags & TABLE_PART) !== 0) state.leave("table parts in a template");
  if (!isOfHead) state.mode = IN_BODY;
  startInBody(state, kind);
  return false;
}

export function endTag(state: TreeState, kind: TagKind): void {
  if (state.current.namespace !== HTML && !endInForeign(state, kind)) return;
  while (endInMode(state, kind));
}

function endInMode(state: TreeState, kind: TagKind): boolean {
  return ends[state.mode]?.(state, kind) ?? endBeforeBody(state, kind);
}

const ends: (Rule | undefined)[] = [];
ends[IN_BODY] = (state, kind) => {
  endInBody(state, kind);
  return false;
};
ends[IN_CELL] = table.endInCell;
ends[IN_ROW] = table.endInRow;
ends[IN_TABLE_BODY] = table.endInTableBody;
ends[IN_TABLE] = table.endInTable;
ends[IN_CAPTION] = table.endInCaption;
ends[IN_COLGROUP] = table.endInColgroup;
ends[IN_SELECT] = endInSelect;
ends[IN_SELECT_IN_TABLE] = endInSelect;
ends[IN_TEMPLATE] = (state, kind) => {
  if (kind.role === TEMPLATE_ROLE) endTemplate(state);
  return false;
};
ends[AFTER_BODY] = (state, kind) => {
  state.mode = kind.role === HTML_ROLE ? AFTER_AFTER_BODY : IN_BODY;
  return kind.role !== HTML_ROLE;
};
ends[AFTER_AFTER_BODY] = (state) => {
  state.mode = IN_BODY;
  return true;
};

export function textRun(state: TreeState, from: number, to: number, hasEntities: boolean): void {
  if (state.current.namespace !== HTML && isForeignText(state)) {
    state.insertText(from, to, hasEntities);
    return;
  }
  switch (state.mode) {
    case IN_BODY:
    case IN_CELL:
    case IN_CAPTION:
    case IN_TEMPLATE:
      state.reopenFormatting();
      state.insertText(from, to, hasEntities);
      return;
    case IN_SELECT:
    case IN_SELECT_IN_TABLE:
      state.insertText(from, to, hasEntities);
      return;
    case IN_TABLE:
    case IN_TABLE_BODY:
    case IN_ROW:
    case IN_COLGROUP:
      if (inkAfter(state.codes, from, to) < to) state.leave("content moved out of a table");
      state.insertText(from, to, hasEntities);
      return;
    case AFTER_BODY:
    case AFTER_AFTER_BODY:
      if (inkAfter(state.codes, from, to) < to) state.mode = IN_BODY;
      state.reopenFormatting();
      state.insertText(from, to, hasEntities);
      return;
    default:
      textBeforeBody(state, from, to);
  }
}

function textBeforeBody(state: TreeState, from: number, to: number): void {
  const ink = inkAfter(state.codes, from, to);
  if (ink > from) {
    if (state.mode === AFTER_HEAD) state.keepBlank(from, ink);
    else if (state.mode >= IN_HEAD) state.insertText(from, ink, false);
  }
  if (ink === to) return;
  if (beginsWithSpace(state.text, ink, to)) state.leave("character reference for white space");
  state.at = ink;
  endOfModesBeforeBody(state);
  textRun(state, ink, to, true);
}

function endOfModesBeforeBody(state: TreeState): void {
  while (state.mode < IN_BODY) advance(state);
}

/** Whether a character reference stands for white space. */
export function beginsWithSpace(text: string, from: number, to: number): boolean {
  return text.charCodeAt(from) === AMP && isSpace(decodeEntities(text, from, to, "text").charCodeAt(0));
}

/** Where the first character is that is no white space. */
function inkAfter(codes: PageCodes, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(codes[at] ?? 0)) at++;
  return at;
}

/** The page ends: what it must have is there, and all that is open ends at `end`. */
export function endPage(state: TreeState, end: number): void {
  state.at = end;
  while (state.isInTemplate) endTemplate(state);
  endOfModesBeforeBody(state);
  while (state.top > 0) state.pop(end);
}
