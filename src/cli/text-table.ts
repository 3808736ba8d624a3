import { fitText, padText, textWidth } from "./fit-text.ts";

interface TableColumn {
  readonly title: string;
  readonly align?: "left" | "right";
}

const GAP = "  ";

/** Lines of a table with its titles first, indented by two; the last column is cut where it would pass `width`. */
export const textTable = (
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] => {
  const lines = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => textWidth(cells[at] ?? ""))));
  const before = widths.slice(0, -1).reduce((sum, each) => sum + GAP.length + each, GAP.length);
  const last = columns.length - 1;
  widths[last] = Math.max(1, Math.min(widths[last] ?? 0, width - before));
  return lines.map((cells) =>
    columns
      .map(({ align }, at) =>
        padText(fitText(cells[at] ?? "", widths[at]!), widths[at]!, align === "right" ? "left" : "right"),
      )
      .map((cell) => GAP + cell)
      .join("")
      .trimEnd(),
  );
};
