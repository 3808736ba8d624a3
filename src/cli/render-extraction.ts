import type { JobSets, StoredExtraction } from "../archive/extractions.ts";
import type { Extracted } from "../reextract/extract-job.ts";
import { durationText } from "./duration-text.ts";
import { fitText, plainText } from "./fit-text.ts";
import { dataFlag } from "./next-steps.ts";
import { counted, countText, rateText } from "./number-text.ts";

interface ExtractionFacts {
  readonly tookMs: number;
  readonly cores: number;
  readonly data: string;
}

const MAX_KEY = 40;
const MAX_DETAIL = 160;

/** What an extraction made, for a person. */
export const renderExtraction = (
  extracted: Extracted,
  { tookMs, cores, data }: ExtractionFacts,
): string[] => {
  const { extraction, difference, failed, gone } = extracted;
  const { job, counts, scrapers } = extraction;
  const rescued = difference.states.get("failed → done");
  const by = scrapers.map(({ name, version }) => `${name} ${version}`).join(", ");
  return [
    `${job}: ${counted(counts.items, "stored item")} extracted in ${durationText(tookMs)} ` +
      `(${rateText(counts.items / (tookMs / 1_000))}, ${counted(cores, "core")}) by ${by}`,
    `  ${[
      counted(counts.records, "record"),
      `${counted(counts.done, "item")} done${counts.partial > 0 ? `, ${countText(counts.partial)} of them partial` : ""}`,
      ...(counts.failed > 0 ? [`${countText(counts.failed)} failed`] : []),
      ...(rescued ? [`${countText(rescued.count)} rescued that had failed before`] : []),
    ].join("; ")}`,
    ...(counts.damaged > 0
      ? [
          `  ${countText(counts.damaged)} of those failed cannot be read: put their segments back from a backup and extract again`,
        ]
      : []),
    ...failed.map(
      ({ key, failure }) =>
        `    ${fitText(plainText(key), MAX_KEY)}: ${failure.kind}: ${fitText(plainText(failure.detail), MAX_DETAIL)}`,
    ),
    ...(counts.failed > failed.length ? [`    and ${countText(counts.failed - failed.length)} more`] : []),
    ...gone.map((name) => `  Scraper ${name} is gone: its items stay as the run left them.`),
    ...standing(extracted, data).map((line) => `  ${line}`),
  ];
};

/** Which set is current now, and why it is not this one. */
const standing = ({ extraction, current }: Extracted, data: string): string[] => {
  const { job, id, notCurrent } = extraction;
  const set = current.slice(job.length + 1);
  if (set === id) return [currentText(job, set, data)];
  const use = `\`sluice extract ${job} --use ${id}${dataFlag(data)}\` makes it current all the same.`;
  return notCurrent === undefined
    ? [`Extraction ${id} is stored, but ${nameOfSet(set)}, begun or chosen after it, is current. ${use}`]
    : [`Extraction ${id} is stored, but not current: ${notCurrent}. ${use}`, currentText(job, set, data)];
};

const nameOfSet = (set: string): string =>
  set === "first" ? "what the run itself made" : `extraction ${set}`;

export const currentText = (job: string, set: string, data: string): string =>
  `Current is ${nameOfSet(set)}: \`sluice export ${job}${dataFlag(data)}\` writes it` +
  (set === "first" ? "." : "; --extraction first, the records of the run itself.");

/** A job's sets of records in its report, oldest first; nothing where there are only those of its run. */
export const extractionLines = ({ extractions, current }: JobSets): string[] => {
  if (extractions.length === 0) return [];
  return [
    "",
    "Extractions from its stored pages",
    ...extractions.map(
      ({ id, counts, scrapers, notCurrent }) =>
        `  ${id}  ${counted(counts.records, "record")} by ${scrapers.map(({ name, version }) => `${name} ${version}`).join(", ")}` +
        (counts.failed > 0 ? `, ${counted(counts.failed, "item")} failed` : "") +
        (id === current?.id ? ", current" : notCurrent === undefined ? "" : `, held back: ${notCurrent}`),
    ),
    ...(current ? [] : ["  None of them is current: the records of the run itself are."]),
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
