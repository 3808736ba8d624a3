import { endInBody } from "./body-end-rules.ts";
import { startInBody } from "./body-start-rules.ts";
import { HEAD_RAW, HEAD_VOID, knownKind, TEMPLATE_ROLE } from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";
import { endTemplate, startTemplate } from "./template-rules.ts";
import {
  AFTER_HEAD,
  BEFORE_HEAD,
  BEFORE_HTML,
  IN_BODY,
  IN_HEAD,
  IN_HEAD_NOSCRIPT,
  INITIAL,
} from "./insertion-mode.ts";
import type { TreeState } from "./tree-state.ts";

const BASE = knownKind("base");
const BODY = knownKind("body");
const BR = knownKind("br");
const FRAMESET = knownKind("frameset");
const HEAD = knownKind("head");
const HTML_KIND = knownKind("html");
const NOFRAMES = knownKind("noframes");
const NOSCRIPT = knownKind("noscript");
const STYLE = knownKind("style");

// All modes before the body. Returns whether the tag is to be processed again, in the mode that is now set.

export function startBeforeBody(state: TreeState, kind: TagKind): boolean {
  switch (state.mode) {
    case INITIAL:
    case BEFORE_HTML:
      state.mode = BEFORE_HEAD;
      if (kind === HTML_KIND) state.insert(kind);
      else state.insertImplied(HTML_KIND);
      return kind !== HTML_KIND;
    case BEFORE_HEAD:
      if (kind === HTML_KIND) return merge(state, kind);
      state.mode = IN_HEAD;
      if (kind === HEAD) state.insert(kind);
      else state.insertImplied(HEAD);
      return kind !== HEAD;
    case IN_HEAD:
      return startInHead(state, kind);
    case IN_HEAD_NOSCRIPT:
      if (kind === HTML_KIND) return merge(state, kind);
      if (kind === HEAD || kind === NOSCRIPT) return false;
      if ((kind.role === HEAD_VOID && kind !== BASE) || kind === NOFRAMES || kind === STYLE)
        return startInHead(state, kind);
      state.pop();
      state.mode = IN_HEAD;
      return true;
    default:
      return startAfterHead(state, kind);
  }
}

function merge(state: TreeState, kind: TagKind): boolean {
  startInBody(state, kind);
  return false;
}

function startInHead(state: TreeState, kind: TagKind): boolean {
  if (kind.role === HEAD_VOID) state.insertVoid(kind);
  else if (kind.role === HEAD_RAW) state.insertRaw(kind);
  else if (kind.role === TEMPLATE_ROLE) startTemplate(state);
  else if (kind === NOSCRIPT) {
    state.insert(kind);
    state.mode = IN_HEAD_NOSCRIPT;
  } else if (kind === HTML_KIND) return merge(state, kind);
  else if (kind !== HEAD) {
    state.endHead();
    return true;
  }
  return false;
}

/** What belongs in the head goes there even after its end; so the head is kept open until the body begins. */
function startAfterHead(state: TreeState, kind: TagKind): boolean {
  if (kind === HTML_KIND) return merge(state, kind);
  if (kind === FRAMESET) state.leave("frameset");
  if (kind.role === HEAD_VOID || kind.role === HEAD_RAW || kind.role === TEMPLATE_ROLE)
    return startInHead(state, kind);
  if (kind === HEAD) return false;
  state.leaveHead();
  state.mode = IN_BODY;
  if (kind === BODY) {
    state.insert(kind);
    state.isBodySure = true;
  } else state.insertBody();
  return kind !== BODY;
}

export function endBeforeBody(state: TreeState, kind: TagKind): boolean {
  if (kind.role === TEMPLATE_ROLE && state.mode >= IN_HEAD && state.mode !== IN_HEAD_NOSCRIPT) {
    endTemplate(state);
    return false;
  }
  if (state.mode === IN_HEAD && kind === HEAD) {
    state.endHead();
    return false;
  }
  if (state.mode === IN_HEAD_NOSCRIPT) {
    if (kind !== NOSCRIPT && kind !== BR) return false;
    state.pop();
    state.mode = IN_HEAD;
    return kind === BR;
  }
  if (state.mode === INITIAL) state.mode = BEFORE_HTML;
  const isHeard =
    kind === BODY || kind === HTML_KIND || kind === BR || (kind === HEAD && state.mode < IN_HEAD);
  if (!isHeard) return false;
  advance(state);
  if (state.mode !== IN_BODY) return true;
  endInBody(state, kind);
  return false;
}

/** To the next mode, by the element that is implied. */
export function advance(state: TreeState): void {
  switch (state.mode) {
    case INITIAL:
    case BEFORE_HTML:
      state.insertImplied(HTML_KIND);
      state.mode = BEFORE_HEAD;
      return;
    case BEFORE_HEAD:
      state.insertImplied(HEAD);
      state.mode = IN_HEAD;
      return;
    case IN_HEAD_NOSCRIPT:
      state.pop();
      state.mode = IN_HEAD;
      return;
    case IN_HEAD:
      state.endHead();
      return;
    case AFTER_HEAD:
      state.leaveHead();
      state.insertBody();
      state.mode = IN_BODY;
      return;
    default:
      throw new RangeError(`mode ${state.mode} has a body`);
  }
}
