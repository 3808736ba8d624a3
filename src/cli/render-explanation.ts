import type { Colors } from "picocolors/types.js";
import type { FieldExplanation } from "../devtools/explain-field.ts";
import { fitText, plainText } from "./fit-text.ts";
import { renderFragment } from "./render-fragment.ts";

/** Why, what was wanted, and the pieces of the page concerned; indented by `indent` columns. */
export const renderExplanation = (
  { reasons, expects, raw, views }: FieldExplanation,
  { indent, width, colors }: { readonly indent: number; readonly width: number; readonly colors: Colors },
): string[] => {
  const room = width - indent;
  const lines: string[] = [];
  for (const reason of reasons) lines.push(fitText(plainText(reason), room));
  if (expects !== undefined && reasons.length > 0) lines.push(fitText(`expects ${plainText(expects)}`, room));
  const isQuoted = raw !== undefined && reasons.some((reason) => reason.includes(raw));
  if (raw !== undefined && reasons.length > 0 && !isQuoted)
    lines.push(fitText(`the page says ${quoted(raw)}`, room));
  for (const { title, fragment } of views) {
    lines.push(
      colors.dim(fitText(`${plainText(title)}, ${fragment.page} ${fragment.line}:${fragment.column}`, room)),
    );
    lines.push(...renderFragment(fragment, colors).map((line) => `  ${line}`));
  }
  return lines.map((line) => " ".repeat(indent) + line);
};

const quoted = (text: string): string => JSON.stringify(plainText(text));
