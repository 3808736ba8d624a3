/**
 * `npm run attack`: one client misuses a real loopback service while another works and polls its job; attacks and quiet periods alternate.
 * Prints a table: held or broke, how long the other client's requests took without the attack and during it, how much of its pace it kept, and
 * how much memory the controller used. `-- --short` is what the tests run; `-- --only WORDS,WORDS` picks attacks by name; `-- --slices N` asks for more turns.
 */
import { parseArgs } from "node:util";
import { type Attack, FULL, SHORT } from "./attack/attack.ts";
import {
  type AttackFigures,
  LEAST_KEPT,
  MOST_MB,
  MOST_P99_MS,
  MOST_RATIO,
  RATIO_FROM_MS,
  runAttacks,
} from "./attack/run-attacks.ts";

const { values } = parseArgs({
  options: { short: { type: "boolean" }, only: { type: "string" }, slices: { type: "string" } },
});
const scale = values.short ? SHORT : FULL;

const line = (cells: readonly string[]): string =>
  [
    cells[0]!.padEnd(52),
    cells[1]!.padEnd(8),
    ...cells.slice(2, 10).map((cell) => cell.padStart(8)),
    cells[10] ?? "",
  ]
    .join(" ")
    .trimEnd();

const whole = (value: number): string => (Number.isNaN(value) ? "-" : String(Math.round(value)));
const percent = (value: number): string => (Number.isNaN(value) ? "-" : `${Math.round(value * 100)} %`);

const cellsOf = (figures: AttackFigures): string[] => {
  const { name, broke, beyond, skipped, seconds, without, during, kept, peakMb } = figures;
  const result =
    skipped === undefined
      ? broke === undefined
        ? beyond.length > 0
          ? "SLOW"
          : "held"
        : "BROKE"
      : "skipped";
  return [
    name,
    result,
    seconds.toFixed(1),
    whole(without.p50),
    whole(without.p99),
    whole(during.p50),
    whole(during.p99),
    whole(during.worst),
    percent(kept),
    whole(peakMb),
    skipped ?? broke ?? beyond.join(", "),
  ];
};

console.log(
  `p50 and p99: of another client's status requests, in milliseconds, without the attack and during it. Bars: p99 at most ${MOST_P99_MS} ms and, ` +
    `above ${RATIO_FROM_MS * MOST_RATIO} ms, at most ${MOST_RATIO} times that without; at least ${LEAST_KEPT * 100} % of its share of pace; less than ${MOST_MB} MB.`,
);
console.log(
  line(["attack", "result", "seconds", "p50 w/o", "p99 w/o", "p50", "p99", "worst", "pace", "peak MB"]),
);
let hasBroken = false;
const slices = Number(values.slices ?? scale.slices);
const isAsked = ({ name }: Attack): boolean =>
  values.only === undefined || values.only.split(",").some((words) => name.includes(words));
for await (const figures of runAttacks({ ...scale, slices }, isAsked)) {
  hasBroken ||= figures.broke !== undefined || figures.beyond.length > 0;
  console.log(line(cellsOf(figures)));
}
process.exitCode = hasBroken ? 1 : 0;
