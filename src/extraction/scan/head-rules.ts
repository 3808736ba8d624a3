import { endInBody, startInBody } from "./body-rules.ts";
import { knownKinds, type TagKind } from "./tag-kind.ts";
import type { TreeState } from "./tree-state.ts";

const { BASE, BODY, BR, FRAMESET, HEAD, HTML, NOFRAMES, NOSCRIPT, STYLE } = knownKinds(
  "BASE",
  "BODY",
  "BR",
  "FRAMESET",
  "HEAD",
  "HTML",
  "NOFRAMES",
  "NOSCRIPT",
  "STYLE",
);

// The modes before the body. Each rule returns whether the tag must be processed again, in the mode that is now set.

export function startBeforeBody(state: TreeState, kind: TagKind): boolean {
  switch (state.mode) {
    case "initial":
    case "before html":
      state.mode = "before head";
      if (kind === HTML) state.insert(kind);
      else state.insertImplied(HTML);
      return kind !== HTML;
    case "before head":
      if (kind === HTML) break;
      state.mode = "in head";
      if (kind === HEAD) state.insert(kind);
      else state.insertImplied(HEAD);
      return kind !== HEAD;
    case "in head":
      return startInHead(state, kind);
    case "in head noscript":
      if (kind === HTML) break;
      if (kind === HEAD || kind === NOSCRIPT) return false;
      if ((kind.role === "headVoid" && kind !== BASE) || kind === NOFRAMES || kind === STYLE)
        return startInHead(state, kind);
      advance(state);
      return true;
    default:
      return startAfterHead(state, kind);
  }
  startInBody(state, kind);
  return false;
}

const isOfHead = ({ role }: TagKind): boolean =>
  role === "headVoid" || role === "headRaw" || role === "template";

function startInHead(state: TreeState, kind: TagKind): boolean {
  if (isOfHead(kind) || kind === HTML) startInBody(state, kind);
  else if (kind === NOSCRIPT) {
    state.insert(kind);
    state.mode = "in head noscript";
  } else if (kind !== HEAD) {
    state.endHead();
    return true;
  }
  return false;
}

/** Elements of the head go there even after its end tag; so it is kept open until the body begins. */
function startAfterHead(state: TreeState, kind: TagKind): boolean {
  if (kind === FRAMESET) state.leave("rare markup");
  if (kind === HTML || isOfHead(kind)) return startInHead(state, kind);
  if (kind === HEAD) return false;
  state.leaveHead();
  state.mode = "in body";
  if (kind === BODY) {
    state.insert(kind);
    state.isBodySure = true;
  } else state.insertBody();
  return kind !== BODY;
}

export function endBeforeBody(state: TreeState, kind: TagKind): boolean {
  const isInHead = state.mode === "in head" || state.mode === "after head";
  if (kind.role === "template" && isInHead) {
    endInBody(state, kind);
    return false;
  }
  if (state.mode === "in head" && kind === HEAD) {
    state.endHead();
    return false;
  }
  if (state.mode === "in head noscript") {
    if (kind !== NOSCRIPT && kind !== BR) return false;
    advance(state);
    return kind === BR;
  }
  if (state.mode === "initial") state.mode = "before html";
  const isHeard = kind === BODY || kind === HTML || kind === BR || (kind === HEAD && !isInHead);
  if (!isHeard) return false;
  advance(state);
  if (state.mode !== "in body") return true;
  endInBody(state, kind);
  return false;
}

/** Goes to the next mode by the element that is implied. Returns false in the body. */
export function advance(state: TreeState): boolean {
  switch (state.mode) {
    case "initial":
    case "before html":
      state.insertImplied(HTML);
      state.mode = "before head";
      return true;
    case "before head":
      state.insertImplied(HEAD);
      state.mode = "in head";
      return true;
    case "in head noscript":
      state.pop();
      state.mode = "in head";
      return true;
    case "in head":
      state.endHead();
      return true;
    case "after head":
      state.leaveHead();
      state.insertBody();
      state.mode = "in body";
      return true;
    default:
      return false;
  }
}
