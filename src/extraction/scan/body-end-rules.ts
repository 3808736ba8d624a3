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
} from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";
import { endTemplate } from "./template-rules.ts";
import { AFTER_AFTER_BODY, AFTER_BODY } from "./tree-state.ts";
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

/** An end tag by the rules "in body". */
export function endInBody(state: TreeState, kind: TagKind): void {
  switch (kind.role) {
    case BLOCK:
    case BUTTON_ROLE:
    case PREFORMATTED:
    case DEFINITION:
      endInScope(state, kind, SCOPE);
      return;
    case FORMATTING:
    case ANCHOR:
    case NO_BREAK:
      endFormatting(state, kind);
      return;
    case PARAGRAPH:
      if (state.inScope(P, SCOPE | BUTTON_SCOPE) === 0) state.insertImplied(P);
      state.closeParagraph();
      return;
    case LIST_ITEM:
      endInScope(state, kind, SCOPE | LIST_SCOPE);
      return;
    case HEADING: {
      const slot = Math.max(...HEADINGS.map((heading) => state.topOf(heading)));
      if (slot !== 0 && !state.hasAbove(slot, SCOPE)) state.popTo(slot);
      return;
    }
    case FORM_ROLE:
      endForm(state);
      return;
    case OBJECT_ROLE: {
      const slot = state.inScope(kind, SCOPE);
      if (slot === 0) return;
      state.popTo(slot);
      state.formatting.clearToMarker();
      return;
    }
    case BODY_ROLE:
    case HTML_ROLE:
      if (state.inScope(BODY, SCOPE) === 0) return;
      state.mode = kind.role === BODY_ROLE ? AFTER_BODY : AFTER_AFTER_BODY;
      return;
    case TEMPLATE_ROLE:
      endTemplate(state);
      return;
    default:
      if (kind === BR) {
        state.reopenFormatting();
        state.insertImplied(BR);
        state.pop(state.inside);
      } else endGeneric(state, kind);
  }
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
