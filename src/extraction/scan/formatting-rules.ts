import { knownKind, SCOPE, SPECIAL } from "./tag-kind.ts";
import type { TagKind } from "./tag-kind.ts";
import type { TreeState } from "./tree-state.ts";

const A = knownKind("a");

/** There are no links inside of links. */
export function endAnchor(state: TreeState): void {
  const entry = state.formatting.find(A);
  if (entry === undefined) return;
  endFormatting(state, A);
  if (state.isOpen(entry)) state.leave("misnested formatting");
  state.formatting.remove(entry);
}

/** The part of the standard's adoption agency that moves nothing. */
export function endFormatting(state: TreeState, kind: TagKind): void {
  const { formatting } = state;
  const { newest } = formatting;
  // Nearly always: it is the innermost element.
  if (newest?.kind === kind && newest.slot === state.top && state.isOpen(newest)) {
    state.pop();
    formatting.remove(newest);
    return;
  }
  if (state.current === kind && !formatting.has(state.top, state.serials[state.top] ?? 0)) {
    state.pop();
    return;
  }
  const entry = formatting.find(kind);
  if (entry === undefined) {
    endGeneric(state, kind);
    return;
  }
  if (!state.isOpen(entry)) {
    formatting.remove(entry);
    return;
  }
  if (state.hasAbove(entry.slot, SCOPE)) return;
  if (state.hasAbove(entry.slot, SPECIAL)) {
    // A block that begins in the formatting element and ends after it has to be moved out of it.
    state.leave("misnested formatting");
    return;
  }
  state.popTo(entry.slot);
  formatting.remove(entry);
}

export function endGeneric(state: TreeState, kind: TagKind): void {
  const slot = state.topOf(kind);
  if (slot !== 0 && !state.hasAbove(slot, SPECIAL)) state.popTo(slot);
}
