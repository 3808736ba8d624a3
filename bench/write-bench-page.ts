import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import type { BenchOptions } from "./bench-options.ts";
import { type Figure, isMet } from "./figure.ts";

const PAGE = join(import.meta.dirname, "../docs/bench.md");

/** The table of the latest figures, as they came out: also those that miss their goal. */
export const writeBenchPage = (figures: readonly Figure[], { rounds, full }: BenchOptions): void => {
  const flags = ["--write", ...(full ? ["--full"] : []), ...(rounds === 3 ? [] : [`--rounds ${rounds}`])];
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
  const rows = figures.map(
    (figure) =>
      `| ${figure.figure} | ${valueOf(figure)} | ${goalOf(figure)} | ${metOf(figure)} | ${figure.note} |`,
  );
  writeFileSync(
    PAGE,
    `# Figures

Written by \`npm run bench -- ${flags.join(" ")}\` on ${new Date().toISOString().slice(0, 10)} (${machine}).
Each value comes from contenders that ran in turns in the same run, ${rounds} times or more; the absolute numbers are this
machine's, and only the ratios can be compared with other machines. \`bench/README.md\` says how each is measured.

| figure | value | goal | met | what it says |
|---|---|---|---|---|
${rows.join("\n")}

The lines as they were printed:

\`\`\`json
${figures.map((figure) => JSON.stringify(figure)).join("\n")}
\`\`\`
`,
  );
};

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
