import { endAnchor, endFormatting } from "./formatting-rules.ts";
import {
  ANCHOR,
  BLOCK,
  BODY_ROLE,
  BUTTON_ROLE,
  DEFINITION,
  FOREIGN_ROLE,
  FORM_ROLE,
  FORMATTING,
  FRAMESET_ROLE,
  GENERIC,
  HEAD_RAW,
  HEAD_VOID,
  HEADING,
  HTML_ROLE,
  IGNORED,
  IMAGE_ROLE,
  ITEM_BOUND,
  knownKind,
  LIST_ITEM,
  MATH,
  NO_BREAK,
  OBJECT_ROLE,
  OPTION_ROLE,
  PARAGRAPH,
  PLAINTEXT_ROLE,
  PREFORMATTED,
  RAW,
  RUBY_BASE,
  RUBY_TEXT,
  RULE,
  SCOPE,
  SELECT_ROLE,
  SVG,
  TABLE_ROLE,
  TEMPLATE_ROLE,
  TEXTAREA_ROLE,
  VOID,
  VOID_APART,
  XMP_ROLE,
} from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";
import { startTemplate } from "./template-rules.ts";
import { IN_CAPTION, IN_CELL, IN_SELECT, IN_SELECT_IN_TABLE, IN_TABLE } from "./insertion-mode.ts";
import type { TreeState } from "./tree-state.ts";

const BUTTON = knownKind("button");
const DD = knownKind("dd");
const DT = knownKind("dt");
const IMG = knownKind("img");
const LI = knownKind("li");
const MATH_KIND = knownKind("math").within(MATH);
const OPTION = knownKind("option");
const P = knownKind("p");
const RTC = knownKind("rtc");
const RUBY = knownKind("ruby");
const SVG_KIND = knownKind("svg").within(SVG);

type Rule = (state: TreeState, kind: TagKind) => void;

/** By role; every tag of the body comes by here. */
const rules: readonly Rule[] = rulesByRole([
  [
    [GENERIC],
    (state, kind) => {
      state.reopenFormatting();
      state.insert(kind);
    },
  ],
  [
    [BLOCK, PARAGRAPH],
    (state, kind) => {
      state.closeParagraph();
      state.insert(kind);
    },
  ],
  [
    [FORMATTING],
    (state, kind) => {
      state.reopenFormatting();
      state.insertFormatting(kind);
    },
  ],
  [
    [ANCHOR],
    (state, kind) => {
      endAnchor(state);
      state.reopenFormatting();
      state.insertFormatting(kind);
    },
  ],
  [[NO_BREAK], startNoBreak],
  [
    [LIST_ITEM],
    (state, kind) => {
      endItemBefore(state, state.topOf(LI));
      state.closeParagraph();
      state.insert(kind);
    },
  ],
  [
    [DEFINITION],
    (state, kind) => {
      endItemBefore(state, Math.max(state.topOf(DD), state.topOf(DT)));
      state.closeParagraph();
      state.insert(kind);
    },
  ],
  [
    [VOID, IMAGE_ROLE],
    (state, kind) => {
      state.reopenFormatting();
      state.insertVoid(kind.role === IMAGE_ROLE ? IMG : kind);
    },
  ],
  [
    [HEADING],
    (state, kind) => {
      state.closeParagraph();
      if (state.current.role === HEADING) state.pop();
      state.insert(kind);
    },
  ],
  [[VOID_APART, HEAD_VOID], (state, kind) => state.insertVoid(kind)],
  [[HEAD_RAW, RAW], (state, kind) => state.insertRaw(kind)],
  [
    [RULE],
    (state, kind) => {
      state.closeParagraph();
      state.insertVoid(kind);
    },
  ],
  [[TABLE_ROLE], startTable],
  [
    [BUTTON_ROLE],
    (state, kind) => {
      const open = state.inScope(BUTTON, SCOPE);
      if (open !== 0) state.popTo(open);
      state.reopenFormatting();
      state.insert(kind);
    },
  ],
  [
    [SELECT_ROLE],
    (state, kind) => {
      state.reopenFormatting();
      state.insert(kind);
      state.mode = state.mode === IN_CELL || state.mode === IN_CAPTION ? IN_SELECT_IN_TABLE : IN_SELECT;
    },
  ],
  [
    [OPTION_ROLE],
    (state, kind) => {
      if (state.current === OPTION) state.pop();
      state.reopenFormatting();
      state.insert(kind);
    },
  ],
  [[FORM_ROLE], startForm],
  [
    [PREFORMATTED],
    (state, kind) => {
      state.closeParagraph();
      state.insert(kind);
      state.skipsLineBreak = true;
    },
  ],
  [
    [TEXTAREA_ROLE],
    (state, kind) => {
      state.insertRaw(kind);
      state.skipsLineBreak = true;
    },
  ],
  [
    [OBJECT_ROLE],
    (state, kind) => {
      state.reopenFormatting();
      state.insert(kind);
      state.formatting.mark();
    },
  ],
  [
    [FOREIGN_ROLE],
    (state, kind) => {
      state.reopenFormatting();
      const foreign = kind.name === "svg" ? SVG_KIND : MATH_KIND;
      if (state.isSelfClosing) state.insertVoid(foreign);
      else state.insert(foreign);
    },
  ],
  [
    [RUBY_BASE, RUBY_TEXT],
    (state, kind) => {
      if (state.inScope(RUBY, SCOPE) !== 0) state.popImplied(kind.role === RUBY_TEXT ? RTC : undefined);
      state.insert(kind);
    },
  ],
  [
    [XMP_ROLE],
    (state, kind) => {
      state.closeParagraph();
      state.reopenFormatting();
      state.insertRaw(kind);
    },
  ],
  [
    [PLAINTEXT_ROLE],
    (state, kind) => {
      state.closeParagraph();
      state.insertRaw(kind);
    },
  ],
  [[TEMPLATE_ROLE], startTemplate],
  [
    [HTML_ROLE],
    (state) => {
      if (!state.isInTemplate && state.hasAttributes()) state.leave("attributes of a second html or body");
    },
  ],
  [
    [BODY_ROLE],
    (state) => {
      if (!state.isInTemplate) state.mergeBody();
    },
  ],
  [[FRAMESET_ROLE], (state) => state.leave("frameset")],
  [[IGNORED], () => undefined],
]);

function rulesByRole(groups: readonly (readonly [roles: readonly number[], rule: Rule])[]): Rule[] {
  const byRole: Rule[] = [];
  for (const [roles, rule] of groups) for (const role of roles) byRole[role] = rule;
  return byRole;
}

/** A start tag by the rules "in body", which hold in cells and captions too. */
export function startInBody(state: TreeState, kind: TagKind): void {
  rules[kind.role]?.(state, kind);
}

function startTable(state: TreeState, kind: TagKind): void {
  // Only a page in quirks mode lets a table into a paragraph.
  if (state.isQuirks !== true && state.topOf(P) !== 0) {
    if (state.isQuirks === undefined) state.leave("unusual doctype");
    state.closeParagraph();
  }
  state.insert(kind);
  state.mode = IN_TABLE;
}

function startForm(state: TreeState, kind: TagKind): void {
  if (state.form !== undefined && !state.isInTemplate) return;
  state.closeParagraph();
  state.insert(kind);
  if (!state.isInTemplate) state.form = { slot: state.top, serial: state.serial };
}

function startNoBreak(state: TreeState, kind: TagKind): void {
  state.reopenFormatting();
  if (state.inScope(kind, SCOPE) !== 0) {
    endFormatting(state, kind);
    state.reopenFormatting();
  }
  state.insertFormatting(kind);
}

function endItemBefore(state: TreeState, slot: number): void {
  if (slot !== 0 && !state.hasAbove(slot, ITEM_BOUND)) state.popTo(slot);
}
