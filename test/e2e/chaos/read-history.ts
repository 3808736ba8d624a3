import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "../../../src/ports/ledger-suite/history/history.ts";

/** One line of the file. JSON has no Infinity. */
export const callText = (call: Call): string =>
  `${JSON.stringify(call, (_, value: unknown) => (value === Infinity ? "Infinity" : value))}\n`;

const callOf = (line: string): Call =>
  JSON.parse(line, (_, value: unknown) => (value === "Infinity" ? Infinity : value)) as Call;

/** The calls that the processes of a service recorded. The last line of a call counts; a killed process may leave a partial line. */
export const readHistory = (folder: string): readonly Call[] =>
  globSync("*.jsonl", { cwd: folder }).flatMap((name) => {
    const lines = readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1);
    // Two calls of one handle never start in the same nanosecond.
    return [...new Map(lines.map((line) => [callOf(line).begin, callOf(line)])).values()];
  });
