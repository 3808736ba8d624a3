import { endFormatting, endGeneric } from "./formatting-rules.ts";
import {
  ANCHOR,
  BLOCK,
  BODY_ROLE,
  BUTTON_ROLE,
  BUTTON_SCOPE,
  DEFINITION,
  FORM_ROLE,
  FORMATTING,
  HEADING,
  HTML_ROLE,
  knownKind,
  LIST_ITEM,
  LIST_SCOPE,
  NO_BREAK,
  OBJECT_ROLE,
  PARAGRAPH,
  PREFORMATTED,
  SCOPE,
  TEMPLATE_ROLE,
  VOID,
} from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";
import { endTemplate } from "./template-rules.ts";
import { AFTER_AFTER_BODY, AFTER_BODY } from "./insertion-mode.ts";
import type { TreeState } from "./tree-state.ts";

const BODY = knownKind("body");
const BR = knownKind("br");
const FORM = knownKind("form");
const HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"].map(knownKind);
const P = knownKind("p");

function endInScope(state: TreeState, kind: TagKind, flags: number): void {
  const slot = state.inScope(kind, flags);
  if (slot !== 0) state.popTo(slot);
}

type Rule = (state: TreeState, kind: TagKind) => void;

/** By role; those of no rule are as GENERIC. */
const rules: (Rule | undefined)[] = [];
for (const role of [BLOCK, BUTTON_ROLE, PREFORMATTED, DEFINITION])
  rules[role] = (state, kind) => endInScope(state, kind, SCOPE);
for (const role of [FORMATTING, ANCHOR, NO_BREAK]) rules[role] = endFormatting;
rules[PARAGRAPH] = (state) => {
  if (state.inScope(P, SCOPE | BUTTON_SCOPE) === 0) state.insertImplied(P);
  state.closeParagraph();
};
rules[LIST_ITEM] = (state, kind) => endInScope(state, kind, SCOPE | LIST_SCOPE);
rules[HEADING] = (state) => {
  const slot = Math.max(...HEADINGS.map((heading) => state.topOf(heading)));
  if (slot !== 0 && !state.hasAbove(slot, SCOPE)) state.popTo(slot);
};
rules[FORM_ROLE] = endForm;
rules[OBJECT_ROLE] = (state, kind) => {
  const slot = state.inScope(kind, SCOPE);
  if (slot === 0) return;
  state.popTo(slot);
  state.formatting.clearToMarker();
};
rules[BODY_ROLE] = (state) => endPage(state, AFTER_BODY);
rules[HTML_ROLE] = (state) => endPage(state, AFTER_AFTER_BODY);
rules[TEMPLATE_ROLE] = endTemplate;
rules[VOID] = (state, kind) => {
  if (kind !== BR) return;
  state.reopenFormatting();
  state.insertImplied(BR);
  state.pop(state.inside);
};

/** An end tag by the rules "in body". */
export function endInBody(state: TreeState, kind: TagKind): void {
  (rules[kind.role] ?? endGeneric)(state, kind);
}

function endPage(state: TreeState, mode: number): void {
  if (state.inScope(BODY, SCOPE) !== 0) state.mode = mode;
}

function endForm(state: TreeState): void {
  if (state.isInTemplate) {
    endInScope(state, FORM, SCOPE);
    return;
  }
  const { form } = state;
  state.form = undefined;
  if (form === undefined || !state.isOpen(form) || state.hasAbove(form.slot, SCOPE)) return;
  state.popImplied();
  state.endForm(form.slot);
}
