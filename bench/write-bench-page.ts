import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { type Figure, isMet } from "./figure.ts";

const PAGE = join(import.meta.dirname, "../docs/bench.md");

/** A figure with the day of its run. */
type Dated = Figure & { readonly date: string };

/** Puts figures into the page in place of their previous values, also those that miss their goal. The others stay as they are. */
export const writeBenchPage = (measured: readonly Figure[]): void => {
  const date = new Date().toISOString().slice(0, 10);
  const all = new Map(storedFigures().map((figure) => [figure.figure, figure]));
  for (const figure of measured) all.set(figure.figure, { ...figure, date });
  const figures = [...all.values()];
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
  const rows = figures.map(
    (figure) =>
      `| ${figure.figure} | ${valueOf(figure)} | ${goalOf(figure)} | ${metOf(figure)} | ${figure.date} | ${figure.note} |`,
  );
  writeFileSync(
    PAGE,
    `# Figures

Written by \`npm run bench -- --write\`, the whole table or some figures at a time with \`--only\`, on a machine with ${machine}. The programs of a figure run in turns in the same run.
The speed of the machine varies by a factor of two from hour to hour, so absolute numbers of different days cannot be compared; ratios can. \`bench/README.md\` says how each figure is measured.

| figure | value | goal | met | date | what it says |
|---|---|---|---|---|---|
${rows.join("\n")}

What the values were computed from:

\`\`\`json
${figures.map((figure) => JSON.stringify(figure)).join("\n")}
\`\`\`
`,
  );
};

const storedFigures = (): Dated[] =>
  readFileSync(PAGE, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Dated);

const valueOf = ({ value, unit }: Figure): string =>
  unit === "ratio" ? `${value} ×` : `${value.toLocaleString("en-US")} ${unit}`;

const goalOf = ({ goal }: Figure): string => {
  if (goal === undefined) return "";
  return "atLeast" in goal
    ? `≥ ${goal.atLeast.toLocaleString("en-US")}`
    : `≤ ${goal.atMost.toLocaleString("en-US")}`;
};

const metOf = (figure: Figure): string => {
  const met = isMet(figure);
  return met === undefined ? "" : met ? "yes" : "no";
};
