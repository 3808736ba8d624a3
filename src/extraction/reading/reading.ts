/** What became of a text that was read as some type. */
export type Reading<T> =
  | { readonly value: T }
  /** One sentence: why it cannot be read. */
  | { readonly problem: string }
  /** The site's way of writing "no value". */
  | { readonly isEmpty: true };
