import type { Colors } from "picocolors/types.js";
import type { FieldExplanation } from "../../devtools/explain-field.ts";
import type { FoundRecord } from "../../devtools/fixture.ts";
import { type PageFragment, placeAt } from "../../devtools/page-fragment.ts";
import type { FieldStatus, JudgedField } from "../../domain/record.ts";
import { fitText, padText, plainText, textWidth } from "../text.ts";

interface RecordLook {
  readonly width: number;
  readonly colors: Colors;
  /** Text of the record's page, for lines and columns. */
  readonly text?: string;
  /** Names of the required fields; the others may be missing. */
  readonly required: readonly string[];
}

const TITLES = ["field", "status", "value", "by", "at"] as const;
const GAP = 2;
const MOST_NAME = 26;
const MOST_BY = 30;
const LEAST_VALUE = 16;

/** A record as a table with one line per field. */
export const renderRecord = ({ fields }: FoundRecord, look: RecordLook): string[] => {
  const { colors, width } = look;
  const rows = Object.entries(fields).map(([name, field]) => rowOf(name, field, look));
  const cells = [TITLES, ...rows.map((row) => row.cells)];
  const natural = TITLES.map((_, at) => Math.max(...cells.map((row) => textWidth(row[at] ?? ""))));
  const [name = 0, status = 0, , by = 0, at = 0] = natural;
  const fixed = Math.min(name, MOST_NAME) + status + Math.min(by, MOST_BY) + at + GAP * TITLES.length;
  const value = Math.min(natural[2] ?? 0, Math.max(LEAST_VALUE, width - fixed));
  const widths = [Math.min(name, MOST_NAME), status, value, Math.min(by, MOST_BY), at];
  const line = (row: readonly string[], paint: (cell: string, at: number) => string): string =>
    row
      .map(
        (cell, index) =>
          " ".repeat(GAP) + paint(padText(fitText(cell, widths[index]!), widths[index]!), index),
      )
      .join("")
      .trimEnd();
  return [
    line(TITLES, (cell) => colors.dim(cell)),
    ...rows.map((row) =>
      line(row.cells, (cell, index) => {
        if (row.isFine && index > 0) return colors.dim(cell);
        if (index === 1) return statusPaint(row.status, colors)(cell);
        if (index === 2 && row.status !== "present") return colors.dim(cell);
        return index > 2 ? colors.dim(cell) : cell;
      }),
    ),
  ];
};

export const statusPaint = (status: FieldStatus, colors: Colors): ((text: string) => string) => {
  switch (status) {
    case "present":
      return colors.green;
    case "empty":
      return colors.cyan;
    case "missing":
      return colors.red;
    case "malformed":
      return colors.yellow;
    default:
      return status satisfies never;
  }
};

/** A value on one line. */
export const valueText = ({ status, value, raw, why }: Partial<JudgedField>): string => {
  if (status === "malformed") return plainText(raw ?? "");
  if (status === "empty") return why ?? (raw === undefined || raw.trim() === "" ? "" : plainText(raw));
  if (status === "missing") return "";
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value) && value.every((one) => typeof one === "string"))
    return `${value.length}: ${value.map(plainText).join(" · ")}`;
  return plainText(JSON.stringify(value) ?? "");
};

const rowOf = (name: string, field: JudgedField, { text, required }: RecordLook) => {
  const place = field.at === undefined || text === undefined ? undefined : placeAt(text, field.at);
  const isOptional = !required.includes(name);
  return {
    status: field.status,
    isFine: isOptional && field.status === "missing",
    cells: [
      plainText(name),
      field.status,
      isOptional && field.status === "missing" ? "optional" : valueText(field),
      plainText(field.by ?? ""),
      place === undefined ? "" : `${place.line}:${place.column}`,
    ],
  };
};

/**
 * Part of a page, as compilers show source code:
 *
 *     12 │ <td id="market" class="val num">n/a</td>
 *        │ ^^^^^^^^^^^^^^^
 */
export const renderFragment = ({ lines, mark }: PageFragment, colors: Colors): string[] => {
  const digits = Math.max(...lines.map(({ number }) => String(number).length));
  // Remove the common indentation.
  const indent = Math.min(...lines.map(({ text }) => /^ */.exec(text)![0].length), mark.from);
  const gutter = (label: string): string => colors.dim(`${label.padStart(digits)} │ `);
  return lines.flatMap(({ number, text }) => {
    const shown = text.slice(indent);
    if (number !== mark.line) return [gutter(String(number)) + colors.dim(shown)];
    const pointer = " ".repeat(mark.from - indent) + colors.yellow("^".repeat(mark.length));
    return [gutter(String(number)) + shown, gutter("") + pointer];
  });
};

/** The reasons, what was expected, and the relevant parts of the page, indented by `indent` columns. */
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
