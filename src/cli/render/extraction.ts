import type { StorageLocation } from "../../ports/storage.ts";
import type { JobSets, StoredExtraction } from "../../archive/extractions.ts";
import { RecentRate } from "../../domain/recent-rate.ts";
import {
  type Difference,
  FIELD_CHANGES,
  type FieldChange,
  type FieldDifference,
  type FieldExample,
  type FieldExcerpt,
  isNothing,
  type Tally,
} from "../../reextract/difference.ts";
import type { Extracted } from "../../reextract/extract-job.ts";
import { dataFlag } from "../options.ts";
import {
  counted,
  countText,
  durationText,
  fitText,
  percentText,
  plainText,
  rateText,
  textTable,
} from "../text.ts";
import type { ProgressMode, ProgressStream } from "./progress.ts";

interface ExtractionFacts {
  readonly tookMs: number;
  readonly cores: number;
  readonly location: Pick<StorageLocation, "data">;
}

const MAX_KEY = 40;
const MAX_DETAIL = 160;

/** The result of an extraction. */
export const renderExtraction = (
  extracted: Extracted,
  { tookMs, cores, location }: ExtractionFacts,
): string[] => {
  const { extraction, difference, failed, gone } = extracted;
  const { job, counts, scrapers } = extraction;
  const rescued = difference.states.get("failed → done");
  const by = scrapers.map(({ name, version }) => `${name} ${version}`).join(", ");
  return [
    `${job}: ${counted(counts.items, "stored item")} extracted in ${durationText(tookMs)} ` +
      `(${rateText(counts.items / (tookMs / 1_000))}, ${counted(cores, "core")}) with ${by}`,
    `  ${[
      counted(counts.records, "record"),
      `${counted(counts.done, "item")} done${counts.partial > 0 ? `, ${countText(counts.partial)} of them partial` : ""}`,
      ...(counts.failed > 0 ? [`${countText(counts.failed)} failed`] : []),
      ...(rescued ? [`${countText(rescued.count)} that failed before are done now`] : []),
    ].join("; ")}`,
    ...(counts.damaged > 0
      ? [
          `  ${countText(counts.damaged)} of the failed items cannot be read: restore their segments from a backup, then extract again`,
        ]
      : []),
    ...failed.map(
      ({ key, failure }) =>
        `    ${fitText(plainText(key), MAX_KEY)}: ${failure.kind}: ${fitText(plainText(failure.detail), MAX_DETAIL)}`,
    ),
    ...(counts.failed > failed.length ? [`    and ${countText(counts.failed - failed.length)} more`] : []),
    ...gone.map((name) => `  Scraper ${name} no longer exists: its items keep the records of the run.`),
    ...standing(extracted, location).map((line) => `  ${line}`),
  ];
};

/** Which records are current now, and if not these, why. */
const standing = ({ extraction, current }: Extracted, location: Pick<StorageLocation, "data">): string[] => {
  const { job, id, notCurrent } = extraction;
  const set = current.slice(job.length + 1);
  if (set === id) return [currentText(job, set, location)];
  const use = `\`sluice extract ${job} --use ${id}${dataFlag(location)}\` makes it current anyway.`;
  return notCurrent === undefined
    ? [`Extraction ${id} is stored but not current: ${nameOfSet(set)} was started or chosen later. ${use}`]
    : [`Extraction ${id} is stored but not current: ${notCurrent}. ${use}`, currentText(job, set, location)];
};

const nameOfSet = (set: string): string => (set === "first" ? "the original run" : `extraction ${set}`);

export const currentText = (job: string, set: string, location: Pick<StorageLocation, "data">): string =>
  `The records of ${nameOfSet(set)} are current: \`sluice export ${job}${dataFlag(location)}\` writes them.` +
  (set === "first" ? "" : " Use --extraction first for those of the original run.");

/** The extractions of a job for its report, oldest first. */
export const extractionLines = ({ extractions, current }: JobSets): string[] => {
  if (extractions.length === 0) return [];
  return [
    "",
    "Extractions from stored pages",
    ...extractions.map(
      ({ id, counts, scrapers, notCurrent }) =>
        `  ${id}  ${counted(counts.records, "record")} with ${scrapers.map(({ name, version }) => `${name} ${version}`).join(", ")}` +
        (counts.failed > 0 ? `, ${counted(counts.failed, "item")} failed` : "") +
        (id === current?.id ? ", current" : notCurrent === undefined ? "" : `, not current: ${notCurrent}`),
    ),
    ...(current ? [] : ["  None of them is current: the records of the original run are."]),
  ];
};

export const extractionJson = ({
  id,
  startedAt,
  endedAt,
  notCurrent,
  scrapers,
  counts,
  fieldCounts,
}: StoredExtraction) => ({
  id,
  startedAt: new Date(startedAt).toISOString(),
  endedAt: new Date(endedAt).toISOString(),
  notCurrent,
  scrapers: scrapers.map(({ name, version }) => ({ name, version })),
  counts,
  fields: fieldCounts,
});

interface DifferenceNames {
  readonly before: string;
  readonly after: string;
}

const MAX_DIFF_KEY = 32;
const MAX_VALUE = 48;

/** The differences between two sets of records: a table of the fields, then examples. */
export const renderDifference = (
  difference: Difference,
  { before, after }: DifferenceNames,
  width: number,
): string[] => {
  if (isNothing(difference))
    return [`No differences: the records of ${counted(difference.items, "item")} are the same in both sets.`];
  return [
    `${countText(difference.changedItems)} of ${counted(difference.items, "item")} differ.`,
    ...tallyLine(difference.onlyBefore, "item", `only in ${before}`),
    ...tallyLine(difference.onlyAfter, "item", `only in ${after}`),
    ...[...difference.states].flatMap(([change, tally]) => tallyLine(tally, "item", change)),
    ...tallyLine(difference.recordsGained, "record", "gained"),
    ...tallyLine(difference.recordsLost, "record", "lost"),
    "",
    ...fieldTable(difference, width),
    ...exampleLines(difference, width),
  ];
};

const tallyLine = ({ count, keys }: Tally, noun: string, what: string): string[] => {
  if (count === 0) return [];
  const shown = keys.map((key) => fitText(plainText(key), MAX_DIFF_KEY)).join(", ");
  return [`  ${counted(count, noun)} ${what}, for example ${shown}`];
};

const fieldTable = ({ fields }: Difference, width: number): string[] => {
  if (fields.size === 0) return [];
  return textTable(
    ["field", ...FIELD_CHANGES.map((right) => ({ right })), { right: "same" }],
    [...fields].map(([name, field]) => [
      plainText(name),
      ...FIELD_CHANGES.map((change) => countOrDash(field[change])),
      countOrDash(field.same),
    ]),
    width,
  );
};

const countOrDash = (count: number): string => (count === 0 ? "–" : countText(count));

const exampleLines = ({ fields }: Difference, width: number): string[] =>
  [...fields].flatMap(([name, field]) => {
    const lines = FIELD_CHANGES.flatMap((change) => changeLines(change, field));
    return lines.length === 0
      ? []
      : ["", `  ${plainText(name)}`, ...lines.map((line) => fitText(line, width))];
  });

const changeLines = (change: FieldChange, { examples }: FieldDifference): string[] =>
  examples[change].map(
    (example) =>
      `    ${change.padEnd(8)}  ${fitText(plainText(example.key), MAX_DIFF_KEY)}: ${exampleText(example)}`,
  );

const exampleText = ({ before, after }: FieldExample): string => `${saidText(before)} → ${saidText(after)}`;

/** The value as JSON, or the status of a field without one. */
const saidText = (said: FieldExcerpt | undefined): string => {
  if (said === undefined) return "(no such field)";
  if (said.status !== "present") return said.status;
  const { value } = said;
  return fitText(plainText(JSON.stringify(value ?? null)), MAX_VALUE);
};

/** The same as JSON, without further truncation. */
export const differenceJson = (difference: Difference): Record<string, unknown> => ({
  ...difference,
  states: Object.fromEntries(difference.states),
  fields: Object.fromEntries(difference.fields),
});

/** Progress of an extraction: one line redrawn on a terminal, occasional lines elsewhere, or JSON. */
interface ExtractProgress extends Disposable {
  update(items: number): void;
  /** A permanent line. */
  note(text: string): void;
}

interface ExtractProgressOptions {
  readonly mode: ProgressMode;
  readonly job: string;
  /** Estimated number of items to extract. */
  readonly total: number;
  /** For text. */
  readonly stream: ProgressStream;
  /** For JSON lines. */
  readonly out: ProgressStream;
  /** Monotonic, in ms. */
  readonly now?: () => number;
}

const EXTRACT_EVERY_MS: Readonly<Record<ProgressMode, number>> = {
  live: 100,
  lines: 5_000,
  json: 1_000,
  quiet: Infinity,
};
const WINDOW_MS = 10_000;
const CLEAR_LINE = "\r\x1b[K";

export const openExtractProgress = (options: ExtractProgressOptions): ExtractProgress => {
  const { mode, job, total, stream, out, now = () => performance.now() } = options;
  // The extraction continues when the reader is gone.
  for (const each of [stream, out]) each.on?.("error", () => undefined);
  const rate = new RecentRate(WINDOW_MS);
  let saidAtMs = now();
  let line = "";
  rate.add(0, saidAtMs);

  const clear = (): void => {
    if (line !== "") stream.write(CLEAR_LINE);
    line = "";
  };

  return {
    update(items) {
      const at = now();
      rate.add(items, at);
      if (at - saidAtMs < EXTRACT_EVERY_MS[mode]) return;
      saidAtMs = at;
      const { perSecond } = rate;
      const etaMs = perSecond ? (Math.max(0, total - items) / perSecond) * 1_000 : undefined;
      const text = progressText({ job, items, total, perSecond, etaMs });
      if (mode === "live") {
        line = fitText(text, Math.max(1, (stream.columns || 80) - 1));
        stream.write(CLEAR_LINE + line);
      } else if (mode === "lines") stream.write(`${text}\n`);
      else if (mode === "json")
        out.write(`${JSON.stringify({ type: "progress", job, items, total, perSecond, etaMs })}\n`);
    },
    note(text) {
      if (mode === "quiet") return;
      if (mode === "json") return void out.write(`${JSON.stringify({ type: "note", job, text })}\n`);
      const shown = line;
      clear();
      for (const each of text.split("\n")) stream.write(`${plainText(each)}\n`);
      if (mode === "live" && shown !== "") stream.write((line = shown));
    },
    [Symbol.dispose]: clear,
  };
};

interface Frame {
  readonly job: string;
  readonly items: number;
  readonly total: number;
  readonly perSecond: number | undefined;
  readonly etaMs: number | undefined;
}

const progressText = ({ job, items, total, perSecond, etaMs }: Frame): string =>
  [
    `${job}: ${countText(items)} of ${countText(total)} items extracted`,
    percentText(items, total),
    ...(perSecond === undefined ? [] : [rateText(perSecond)]),
    ...(etaMs === undefined ? [] : [`${durationText(etaMs)} left`]),
  ].join(", ");
