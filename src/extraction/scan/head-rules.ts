import { endInBody, startInBody } from "./body-rules.ts";
import { knownKinds, type TagKind } from "./tag-kind.ts";
import type { Mode, TreeState } from "./tree-state.ts";

const { BASE, BODY, BR, FRAMESET, HEAD, HTML, NOFRAMES, NOSCRIPT, STYLE } = knownKinds(
  "BASE BODY BR FRAMESET HEAD HTML NOFRAMES NOSCRIPT STYLE",
);

/** The mode that follows each mode before the body. */
const NEXT = {
  initial: "before head",
  "before html": "before head",
  "before head": "in head",
  "in head noscript": "in head",
  "in head": "after head",
  "after head": "in body",
} as const satisfies Partial<Record<Mode, Mode>>;

export const isBeforeBody = (mode: Mode): mode is keyof typeof NEXT => Object.hasOwn(NEXT, mode);

// The modes before the body. Each rule returns whether the tag must be processed again, in the mode that is now set.

export function startBeforeBody(state: TreeState, kind: TagKind): boolean {
  const { mode } = state;
  if (mode === "initial" || mode === "before html") {
    state.mode = "before head";
    if (kind === HTML) state.insert(kind);
    else state.insertImplied(HTML);
    return kind !== HTML;
  }
  if (kind === HTML) {
    startInBody(state, kind);
    return false;
  }
  if (mode === "before head") {
    state.mode = "in head";
    if (kind === HEAD) state.insert(kind);
    else state.insertImplied(HEAD);
    return kind !== HEAD;
  }
  if (kind === HEAD) return false;
  if (mode === "in head") return startInHead(state, kind);
  if (mode === "after head") return startAfterHead(state, kind);
  if (kind === NOSCRIPT) return false;
  if ((kind.role === "headVoid" && kind !== BASE) || kind === NOFRAMES || kind === STYLE)
    return startInHead(state, kind);
  advance(state);
  return true;
}

const isOfHead = ({ role }: TagKind): boolean =>
  role === "headVoid" || role === "headRaw" || role === "template";

function startInHead(state: TreeState, kind: TagKind): boolean {
  if (isOfHead(kind)) startInBody(state, kind);
  else if (kind === NOSCRIPT) {
    state.insert(kind);
    state.mode = "in head noscript";
  } else state.endHead();
  return !isOfHead(kind) && kind !== NOSCRIPT;
}

/** Elements of the head go there even after its end tag; so it is kept open until the body begins. */
function startAfterHead(state: TreeState, kind: TagKind): boolean {
  if (kind === FRAMESET) state.leave("rare markup");
  if (isOfHead(kind)) return startInHead(state, kind);
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
  const { mode } = state;
  if (!isBeforeBody(mode)) return false;
  if (mode === "initial" || mode === "before html") state.insertImplied(HTML);
  else if (mode === "before head") state.insertImplied(HEAD);
  else if (mode === "in head") state.endHead();
  else if (mode === "in head noscript") state.pop();
  else {
    state.leaveHead();
    state.insertBody();
  }
  state.mode = NEXT[mode];
  return true;
}
