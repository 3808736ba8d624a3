/**
 * `npm run attack`: one client does its worst to a real service on loopback while another asks for its job. Prints a table: held or broke, how long the
 * other client waited, and how much memory the controller took. `-- --short` is what the tests run; `-- --only WORDS` picks attacks by name.
 */
import { parseArgs } from "node:util";
import { FULL, SHORT } from "./attack/attacks.ts";
import { runAttacks } from "./attack/run-attacks.ts";

const { values } = parseArgs({ options: { short: { type: "boolean" }, only: { type: "string" } } });

const line = (...cells: readonly (string | number)[]): string =>
  [String(cells[0]).padEnd(44), ...cells.slice(1, 6).map((cell) => String(cell).padStart(10))].join(" ") +
  (cells[6] === undefined || cells[6] === "" ? "" : `  ${cells[6]}`);

console.log(line("attack", "result", "seconds", "p99 ms", "worst ms", "peak MB"));
let hasBroken = false;
for await (const { name, broke, seconds, neighbour, peakMb } of runAttacks(
  values.short ? SHORT : FULL,
  values.only,
)) {
  hasBroken ||= broke !== undefined;
  const result = broke === undefined ? "held" : "BROKE";
  console.log(line(name, result, seconds.toFixed(1), neighbour.p99, neighbour.worst, peakMb, broke ?? ""));
}
process.exitCode = hasBroken ? 1 : 0;
