import type { Colors } from "picocolors/types.js";
import type { PageFragment } from "../devtools/page-fragment.ts";

/**
 * A piece of a page as compilers show source:
 *
 *     12 │ <td id="market" class="val num">n/a</td>
 *        │ ^^^^^^^^^^^^^^^
 */
export const renderFragment = ({ lines, mark }: PageFragment, colors: Colors): string[] => {
  const digits = Math.max(...lines.map(({ number }) => String(number).length));
  // What all lines are indented by says nothing.
  const indent = Math.min(...lines.map(({ text }) => /^ */.exec(text)![0].length), mark.from);
  const gutter = (label: string): string => colors.dim(`${label.padStart(digits)} │ `);
  return lines.flatMap(({ number, text }) => {
    const shown = text.slice(indent);
    if (number !== mark.line) return [gutter(String(number)) + colors.dim(shown)];
    const pointer = " ".repeat(mark.from - indent) + colors.yellow("^".repeat(mark.length));
    return [gutter(String(number)) + shown, gutter("") + pointer];
  });
};
