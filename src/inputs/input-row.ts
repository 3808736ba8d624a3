/** One input as read, or why it could not be. `line` is the 1-based line of the file where it begins. */
export type InputRow =
  | { readonly line: number; readonly value: Readonly<Record<string, unknown>> }
  | { readonly line: number; readonly problem: string };

/** Turns text that arrives in pieces into rows. What is unfinished at the end of a piece waits for the next one. */
export interface RowReader {
  push(text: string): InputRow[];
  end(): InputRow[];
}

/** No row may be longer, in UTF-16 units: a quote that is never closed must not pull a whole file into memory. */
export const MAX_ROW_LENGTH = 1024 * 1024;
