import type { Colors } from "picocolors/types.js";
import type { CapturedCase } from "../workshop/capture-case.ts";
import { FIELD_STATUSES } from "../model/record.ts";
import { countText } from "./number-text.ts";
import { statusPaint, valueText } from "./render-record.ts";

/** What was written, what was taken out of it, and what to look at before it is committed. */
export const renderCapture = (captured: CapturedCase, scraper: string, colors: Colors): string[] => {
  const { folder, files, expected, stripped, changed } = captured;
  const fields = expected.records.flatMap((record) => Object.values(record.fields));
  const counts = FIELD_STATUSES.flatMap((status) => {
    const count = fields.filter((field) => field.status === status).length;
    return count === 0 ? [] : [statusPaint(status, colors)(`${countText(count)} ${status}`)];
  });
  const lines = ["", `  fixture ${colors.bold(folder)}`, ...files.map((file) => `    ${file}`), ""];
  lines.push(
    stripped.length === 0
      ? colors.dim("  no secrets were found in the pages")
      : `  stripped: ${stripped.join(", ")}`,
    ...changed.map(
      ({ field, expected: before, got }) =>
        `  ${colors.yellow("changed by that")}: ${field} was ${valueText(before ?? {}) || "nothing"}, is ${valueText(got ?? {}) || "nothing"}`,
    ),
  );
  const failure = expected.failure === undefined ? "" : colors.red(`  ${expected.failure}`);
  lines.push(
    `  expects ${countText(expected.records.length)} ${expected.records.length === 1 ? "record" : "records"}: ${counts.join(colors.dim(" · "))}${failure}`,
    "",
    colors.dim("  Look at expected.json: from now on it is what this scraper is held to."),
    colors.dim(`  sluice test ${scraper}`),
  );
  return lines;
};
