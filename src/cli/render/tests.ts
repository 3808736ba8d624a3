import { relative } from "node:path";
import type { Colors } from "picocolors/types.js";
import type { Difference } from "../../devtools/compare-records.ts";
import type { CaseResult, OrphanCase } from "../../devtools/run-case.ts";
import type { ScraperResult } from "../../devtools/test-fixtures.ts";
import { withCommandName } from "../terminal.ts";
import { counted, countText, fitText, plainText } from "../text.ts";
import { renderExplanation, statusPaint, valueText } from "./record.ts";

interface TestLook {
  readonly width: number;
  readonly colors: Colors;
  readonly isUpdating: boolean;
}

interface TestSummary {
  readonly scrapers: number;
  readonly cases: number;
  readonly failedCases: number;
  readonly fields: number;
  readonly failedFields: number;
  /** Emitted inputs. */
  readonly inputs: number;
  readonly updated: number;
  /** Names of scrapers without fixtures. */
  readonly untested: readonly string[];
  /** Fixtures whose scraper does not exist. */
  readonly orphans: readonly OrphanCase[];
  /** Whether `--update` would change a fixture. */
  readonly isUpdatable: boolean;
  /** Names of scrapers that failed to load or run. */
  readonly broken: readonly string[];
  readonly tookMs: number;
}

/** With `--update`, differences are accepted, but problems still fail. */
export const isFailed = ({ cases, problem }: ScraperResult, isUpdating: boolean): boolean =>
  problem !== undefined || cases.some((one) => isCaseFailed(one, isUpdating));

const isCaseFailed = ({ findings, problem, isNew }: CaseResult, isUpdating: boolean): boolean =>
  (problem !== undefined && !(isNew === true && isUpdating)) || (findings.length > 0 && !isUpdating);

/** One line for a scraper that passes, else every difference with the relevant part of the page. */
export const renderResult = (result: ScraperResult, look: TestLook): string[] => {
  const { colors } = look;
  const { scraper, cases, problem } = result;
  const file = colors.dim(relative(process.cwd(), result.file));
  if (problem !== undefined)
    return [
      `${colors.red("✗")} ${colors.bold(scraper)}  ${file}`,
      ...wrapped(problem, look.width - 4, 4),
      "",
    ];
  if (cases.length === 0)
    return [`${colors.yellow("○")} ${colors.bold(scraper)}  ${file}  ${colors.dim("no fixture")}`];
  const bad = cases.filter(({ findings, problem: why }) => findings.length > 0 || why !== undefined);
  const checked = cases.reduce((sum, one) => sum + one.checked, 0);
  const inputs = cases.reduce((sum, one) => sum + one.inputs, 0);
  const what = [
    counted(cases.length, "case"),
    ...(checked > 0 || inputs === 0 ? [counted(checked, "field")] : []),
  ];
  const facts = colors.dim([...what, ...(inputs > 0 ? [counted(inputs, "emitted input")] : [])].join(", "));
  const mark =
    bad.length === 0
      ? colors.green("✓")
      : isFailed(result, look.isUpdating)
        ? colors.red("✗")
        : colors.cyan("↻");
  const lines = [`${mark} ${colors.bold(scraper)}  ${file}  ${facts}`];
  const explained = new Map<string, string>();
  for (const one of bad) lines.push("", ...renderCase(one, look, explained));
  return bad.length === 0 ? lines : [...lines, ""];
};

/** `explained`: explanations shown before, with their case. A changed layout fails every case in the same way. */
const renderCase = (
  { name, findings, problem }: CaseResult,
  look: TestLook,
  explained: Map<string, string>,
): string[] => {
  const { colors } = look;
  const lines = [`  ${colors.bold(name)}`];
  if (problem !== undefined) lines.push(...wrapped(problem, look.width - 4, 4));
  for (const [index, { difference, explanation }] of findings.entries()) {
    if (index > 0) lines.push("");
    lines.push(...renderDifference(difference, look));
    if (explanation === undefined) continue;
    const subject = difference.what === "field" ? difference.field : difference.what;
    const signature = JSON.stringify([subject, explanation.reasons]);
    const before = explained.get(signature);
    if (before === undefined) lines.push(...renderExplanation(explanation, { indent: 6, ...look }));
    else lines.push(colors.dim(`      same as in ${before}`));
    if (explanation.reasons.length > 0) explained.set(signature, before ?? name);
  }
  return lines;
};

const renderDifference = (difference: Difference, { colors, width }: TestLook): string[] => {
  const pair = (expected: string, got: string): string[] => [
    `      expected  ${expected}`,
    `      got       ${got}`,
  ];
  switch (difference.what) {
    case "records":
      return [`    ${colors.bold("records")}`, ...pair(String(difference.expected), String(difference.got))];
    case "failure": {
      const { expected, got } = difference;
      const [first = "records", ...more] =
        got === undefined ? [] : wrapped(`${got.kind}: ${got.detail}`, width - 16, 0);
      const rest = more.map((line) => `${" ".repeat(16)}${line}`);
      return [`    ${colors.bold("outcome")}`, ...pair(expected ?? "records", first), ...rest];
    }
    case "emitted":
      return [
        `    ${colors.bold(difference.target === undefined ? "refused inputs" : `inputs for ${plainText(difference.target)}`)}`,
        ...pair(String(difference.expected), String(difference.got)),
        ...inputLines("missing", difference.gone, width),
        ...inputLines("new", difference.added, width),
        ...(difference.gone.length + difference.added.length === 0 ? ["      in a different order"] : []),
      ];
    case "field": {
      const { field, record, expected, got } = difference;
      const where = record === 0 ? "" : colors.dim(`  record ${record + 1}`);
      const side = (one: typeof got): string =>
        one === undefined
          ? colors.dim("no such field")
          : `${statusPaint(one.status, colors)(one.status.padEnd(9))} ${fitText(shown(one), width - 27)}`.trimEnd();
      return [`    ${colors.bold(plainText(field))}${where}`, ...pair(side(expected), side(got))];
    }
    default:
      return difference satisfies never;
  }
};

const MOST_INPUTS = 3;

const inputLines = (what: string, inputs: readonly unknown[], width: number): string[] => {
  const rest = inputs.length - MOST_INPUTS;
  return [
    ...inputs
      .slice(0, MOST_INPUTS)
      .map((input) => `      ${what.padEnd(9)} ${fitText(plainText(JSON.stringify(input)), width - 16)}`),
    ...(rest > 0 ? [`      ${" ".repeat(10)}and ${countText(rest)} more`] : []),
  ];
};

/** Quoted, to show extra spaces. */
const shown = (field: Parameters<typeof valueText>[0]): string =>
  typeof field.value === "string" ? JSON.stringify(field.value) : valueText(field);

export const summaryOf = (
  results: readonly ScraperResult[],
  { updated, tookMs }: { readonly updated: number; readonly tookMs: number },
): TestSummary => {
  const cases = results.flatMap((result) => result.cases);
  const failedFields = cases
    .flatMap(({ findings }) => findings)
    .filter(({ difference }) => difference.what === "field");
  return {
    scrapers: results.length,
    cases: cases.length,
    failedCases: cases.filter(({ findings, problem }) => findings.length > 0 || problem !== undefined).length,
    fields: cases.reduce((sum, { checked }) => sum + checked, 0),
    failedFields: failedFields.length,
    inputs: cases.reduce((sum, { inputs }) => sum + inputs, 0),
    updated,
    untested: results
      .filter(({ cases: own, problem }) => own.length === 0 && problem === undefined)
      .map(({ scraper }) => scraper),
    broken: results.filter(({ problem }) => problem !== undefined).map(({ scraper }) => scraper),
    // Scrapers of one folder find the same orphans.
    orphans: [...new Map(results.flatMap(({ orphans }) => orphans).map((one) => [one.folder, one])).values()],
    isUpdatable: cases.some(
      ({ findings, isNew, got }) => got !== undefined && (findings.length > 0 || isNew),
    ),
    tookMs: Math.round(tookMs),
  };
};

export const renderSummary = (summary: TestSummary, colors: Colors): string[] => {
  const { scrapers, cases, failedCases, fields, failedFields, untested, broken, updated, tookMs } = summary;
  const { orphans, isUpdatable, inputs } = summary;
  const parts = [
    counted(scrapers, "scraper"),
    counted(cases, "case") + (failedCases > 0 ? colors.red(` (${failedCases} differ)`) : ""),
    counted(fields, "field") + (failedFields > 0 ? colors.red(` (${failedFields} differ)`) : ""),
    ...(inputs > 0 ? [counted(inputs, "emitted input")] : []),
    ...(broken.length > 0 ? [colors.red(`${broken.length} broken`)] : []),
    ...(untested.length > 0 ? [colors.yellow(`${untested.length} without fixtures`)] : []),
    ...(orphans.length > 0 ? [colors.red(`${counted(orphans.length, "fixture")} without a scraper`)] : []),
    ...(updated > 0 ? [colors.cyan(`${updated} updated`)] : []),
    colors.dim(`${(tookMs / 1000).toFixed(2)} s`),
  ];
  const hint =
    isUpdatable && updated === 0
      ? [colors.dim("If the new values are right, run the same command with --update.")]
      : [];
  const lost = orphans.flatMap(({ folder, scraper }) => [
    `${colors.red("✗")} ${relative(process.cwd(), folder) || folder}`,
    ...wrapped(
      `a fixture of scraper ${scraper}, which does not exist next to it. If the scraper was renamed, write its new name to fixture.json; otherwise remove the folder.`,
      SENTENCE,
      4,
    ),
    "",
  ]);
  return [...lost, ...(lost.length > 0 ? [] : [""]), parts.join(colors.dim(" · ")), ...hint];
};

const SENTENCE = 90;

/** Problems are full sentences: they are wrapped, not cut. */
const wrapped = (text: string, width: number, indent: number): string[] => {
  const lines: string[] = [];
  let line = "";
  for (const word of withCommandName(plainText(text)).split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => " ".repeat(indent) + one);
};
