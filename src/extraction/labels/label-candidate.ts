import type { TreeElement } from "../html-tree.ts";

/** How surely something is a label's value: lower is surer. `nothing`: the label is there and stands alone. */
export const SURE = { structure: 0, likely: 1, near: 2, nothing: 3 } as const;

/** What stands beside or below a label. Several elements are entries of a list. */
export interface LabelCandidate {
  readonly sureness: (typeof SURE)[keyof typeof SURE];
  readonly elements: readonly TreeElement[];
  /** Set where the value is a piece of text that has no element of its own. */
  readonly text?: string;
}

export const NOTHING: LabelCandidate = { sureness: SURE.nothing, elements: [] };
