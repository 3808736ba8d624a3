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
import { IN_CAPTION, IN_CELL, IN_SELECT, IN_SELECT_IN_TABLE, IN_TABLE } from "./tree-state.ts";
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

/** A start tag by the rules "in body", which hold in cells and captions too. */
export function startInBody(state: TreeState, kind: TagKind): void {
  const { role } = kind;
  switch (role) {
    case GENERIC:
      state.reopenFormatting();
      state.insert(kind);
      return;
    case BLOCK:
    case PARAGRAPH:
      state.closeParagraph();
      state.insert(kind);
      return;
    case FORMATTING:
      state.reopenFormatting();
      state.insertFormatting(kind);
      return;
    case ANCHOR:
      endAnchor(state);
      state.reopenFormatting();
      state.insertFormatting(kind);
      return;
    case LIST_ITEM:
    case DEFINITION:
      endItemBefore(state, role === LIST_ITEM ? state.topOf(LI) : Math.max(state.topOf(DD), state.topOf(DT)));
      state.closeParagraph();
      state.insert(kind);
      return;
    case VOID:
      state.reopenFormatting();
      state.insertVoid(kind);
      return;
    case IMAGE_ROLE:
      state.reopenFormatting();
      state.insertVoid(IMG);
      return;
    case HEADING:
      state.closeParagraph();
      if (state.current.role === HEADING) state.pop();
      state.insert(kind);
      return;
    case VOID_APART:
    case HEAD_VOID:
      state.insertVoid(kind);
      return;
    case HEAD_RAW:
    case RAW:
      state.insertRaw(kind);
      return;
    case RULE:
      state.closeParagraph();
      state.insertVoid(kind);
      return;
    case TABLE_ROLE:
      // Only a page in quirks mode lets a table into a paragraph.
      if (state.isQuirks !== true && state.topOf(P) !== 0) {
        if (state.isQuirks === undefined) state.leave("unusual doctype");
        state.closeParagraph();
      }
      state.insert(kind);
      state.mode = IN_TABLE;
      return;
    case BUTTON_ROLE: {
      const open = state.inScope(BUTTON, SCOPE);
      if (open !== 0) state.popTo(open);
      state.reopenFormatting();
      state.insert(kind);
      return;
    }
    case SELECT_ROLE: {
      state.reopenFormatting();
      state.insert(kind);
      state.mode = state.mode === IN_CELL || state.mode === IN_CAPTION ? IN_SELECT_IN_TABLE : IN_SELECT;
      return;
    }
    case OPTION_ROLE:
      if (state.current === OPTION) state.pop();
      state.reopenFormatting();
      state.insert(kind);
      return;
    case FORM_ROLE:
      if (state.form !== undefined && !state.isInTemplate) return;
      state.closeParagraph();
      state.insert(kind);
      if (!state.isInTemplate) state.form = { slot: state.top, serial: state.serials[state.top] ?? 0 };
      return;
    case PREFORMATTED:
      state.closeParagraph();
      state.insert(kind);
      state.skipsLineBreak = true;
      return;
    case TEXTAREA_ROLE:
      state.insertRaw(kind);
      state.skipsLineBreak = true;
      return;
    case OBJECT_ROLE:
      state.reopenFormatting();
      state.insert(kind);
      state.formatting.mark();
      return;
    case FOREIGN_ROLE: {
      state.reopenFormatting();
      const foreign = kind.name === "svg" ? SVG_KIND : MATH_KIND;
      if (state.isSelfClosing) state.insertVoid(foreign);
      else state.insert(foreign);
      return;
    }
    case NO_BREAK:
      state.reopenFormatting();
      if (state.inScope(kind, SCOPE) !== 0) {
        endFormatting(state, kind);
        state.reopenFormatting();
      }
      state.insertFormatting(kind);
      return;
    case RUBY_BASE:
    case RUBY_TEXT:
      if (state.inScope(RUBY, SCOPE) !== 0) state.popImplied(role === RUBY_TEXT ? RTC : undefined);
      state.insert(kind);
      return;
    case XMP_ROLE:
      state.closeParagraph();
      state.reopenFormatting();
      state.insertRaw(kind);
      return;
    case PLAINTEXT_ROLE:
      state.closeParagraph();
      state.insertRaw(kind);
      return;
    case TEMPLATE_ROLE:
      startTemplate(state);
      return;
    case HTML_ROLE:
      if (!state.isInTemplate && state.hasAttributes()) state.leave("attributes of a second html or body");
      return;
    case BODY_ROLE:
      if (!state.isInTemplate) state.mergeBody();
      return;
    case FRAMESET_ROLE:
      state.leave("frameset");
      return;
    case IGNORED:
      return;
    default:
      throw new RangeError(`no rule for <${kind.name}>`);
  }
}

function endItemBefore(state: TreeState, slot: number): void {
  if (slot !== 0 && !state.hasAbove(slot, ITEM_BOUND)) state.popTo(slot);
}
