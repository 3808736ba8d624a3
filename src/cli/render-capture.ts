import type { Colors } from "picocolors/types.js";
import type { CapturedCase } from "../devtools/capture-case.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import { commandName } from "./command-name.ts";
import { counted, countText } from "./number-text.ts";
import { shellWord } from "./shell-word.ts";
import { statusPaint } from "./render-record.ts";

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
    // Not what it said before: that may be the secret.
    ...changed.map(
      ({ field, was, is }) =>
        `  ${colors.yellow("changed by that")}: ${field}${was === is ? "" : ` was ${was ?? "not there"}, is ${is ?? "not there"}`}`,
    ),
  );
  const failure = expected.failure === undefined ? "" : colors.red(`  ${expected.failure}`);
  const inputs = Object.entries(expected.emitted?.inputs ?? {});
  lines.push(
    ...(expected.records.length === 0 && inputs.length > 0
      ? []
      : [
          `  expects ${counted(expected.records.length, "record")}: ${counts.join(colors.dim(" · "))}${failure}`,
        ]),
    ...inputs.map(([target, found]) => `  expects ${counted(found.length, "input")} for ${target}`),
    "",
    colors.dim("  Look at expected.json: from now on it is what this scraper is held to."),
    colors.dim(`  ${commandName()} test ${shellWord(scraper)}`),
  );
  return lines;
};
