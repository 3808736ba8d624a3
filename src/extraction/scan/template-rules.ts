import { knownKind } from "./tag-kind.ts";
import { IN_TEMPLATE } from "./insertion-mode.ts";
import type { TreeState } from "./tree-state.ts";

const TEMPLATE = knownKind("template");

export function startTemplate(state: TreeState): void {
  state.insert(TEMPLATE);
  state.formatting.mark();
  state.mode = IN_TEMPLATE;
}

export function endTemplate(state: TreeState): void {
  const slot = state.topOf(TEMPLATE);
  if (slot === 0) return;
  state.popWithMode(slot);
  state.formatting.clearToMarker();
}
