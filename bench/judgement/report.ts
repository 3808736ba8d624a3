import { FIELD_STATUSES } from "../../src/domain/record.ts";
import type { JudgementRun } from "./judge-pages.ts";
import type { Tally } from "./tally.ts";

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

/** The whole run for a person to read. */
export const judgementReport = ({ pages, all, byKind, byLocale }: JudgementRun): string =>
  [
    `${pages.toLocaleString("en-US")} pages, ${all.cells.toLocaleString("en-US")} cells`,
    "",
    table([
      ["truly \\ judged", ...FIELD_STATUSES],
      ...FIELD_STATUSES.map((truth) => [
        truth,
        ...FIELD_STATUSES.map((judged) => String(all.matrix[truth][judged])),
      ]),
    ]),
    "",
    table([
      ["precision / recall", ...FIELD_STATUSES, "right values"],
      scoreRow("all", all),
      ...Object.entries(byKind).map(([kind, tally]) => scoreRow(kind, tally)),
      ...Object.entries(byLocale).map(([locale, tally]) => scoreRow(locale, tally)),
    ]),
    "",
    table([
      ["count", "kind", "truly", "judged", "cell", "read", "first seen in"],
      ...all
        .confusions(20)
        .map(({ count, kind, truth, judged, example, read, where }) => [
          String(count),
          kind,
          truth,
          judged === "value" ? "another value" : judged,
          visible(example),
          visible(JSON.stringify(read) ?? ""),
          where,
        ]),
    ]),
  ].join("\n");

const scoreRow = (name: string, tally: Tally): string[] => [
  name,
  ...tally.scores().map(({ precision, recall }) => `${percent(precision)} / ${percent(recall)}`),
  percent(tally.rightShare),
];

/** A confusion is often about what cannot be seen. */
const visible = (text: string): string =>
  text.replace(/[^\P{Z} ]|\p{Cf}/gu, (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, "0")}`);

const table = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
};
