import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Call } from "../../../src/ports/ledger-suite/history/history.ts";

/** One line. JSON has no Infinity. */
export const callText = (call: Call): string =>
  `${JSON.stringify(call, (_, value: unknown) => (value === Infinity ? "Infinity" : value))}\n`;

const callOf = (line: string): Call =>
  JSON.parse(line, (_, value: unknown) => (value === "Infinity" ? Infinity : value)) as Call;

/** The calls that the processes of a service have recorded. The last that is written of a call holds; a killed process may have broken off a line. */
export const readHistory = (folder: string): readonly Call[] =>
  globSync("*.jsonl", { cwd: folder }).flatMap((name) => {
    const lines = readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1);
    // Calls of one handle never begin at the same nanosecond.
    return [...new Map(lines.map((line) => [callOf(line).begin, callOf(line)])).values()];
  });
