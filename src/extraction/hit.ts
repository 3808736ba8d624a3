/** One thing that a place found. A scan's match is one as it stands. */
export interface Hit {
  /** Undefined: the element is there, what was to be taken from it is not. */
  readonly text: string | undefined;
  /** Where its element begins in the page's text. */
  readonly at: number | undefined;
  /** The value itself where it was JSON. */
  readonly json?: unknown;
  /** Text that a person reads, where a link was asked for. */
  readonly isProse?: true;
  /** The text of a link without an address: it counts only where it says that there is none. */
  readonly isBare?: boolean;
  /** What was to be taken is nested so much that it is not. */
  readonly isTooLong?: true;
}

export const NO_HITS: readonly Hit[] = [];
