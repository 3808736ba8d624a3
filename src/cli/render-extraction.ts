import type { Extracted } from "../reextract/extract-job.ts";
import type { StoredExtraction } from "../reextract/stored-extraction.ts";
import { durationText } from "./duration-text.ts";
import { fitText, plainText } from "./fit-text.ts";
import { dataFlag } from "./next-steps.ts";
import { countText, rateText } from "./number-text.ts";

export interface ExtractionFacts {
  readonly tookMs: number;
  readonly cores: number;
  readonly data: string;
}

const MAX_KEY = 40;
const MAX_DETAIL = 160;

/** What an extraction made, for a person. */
export const renderExtraction = (
  { extraction, difference, failed }: Extracted,
  { tookMs, cores, data }: ExtractionFacts,
): string[] => {
  const { job, id, counts, scrapers } = extraction;
  const rescued = difference.states.get("failed → done");
  const by = scrapers.map(({ name, version }) => `${name} ${version}`).join(", ");
  return [
    `${job}: ${countText(counts.items)} stored items extracted in ${durationText(tookMs)} ` +
      `(${rateText(counts.items / (tookMs / 1_000))}, ${cores} ${cores === 1 ? "core" : "cores"}) by ${by}`,
    `  ${[
      `${countText(counts.records)} records`,
      `${countText(counts.done)} items done${counts.partial > 0 ? `, ${countText(counts.partial)} of them partial` : ""}`,
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
    `  Extraction ${id} is now current: \`sluice export ${job}${dataFlag(data)}\` writes it; ` +
      "--extraction first, the records of the run itself.",
  ];
};

/** A job's extractions in its report, oldest first; nothing where it has none. */
export const extractionLines = (extractions: readonly StoredExtraction[]): string[] => {
  if (extractions.length === 0) return [];
  const last = extractions.length - 1;
  return [
    "",
    "Extractions from its stored pages",
    ...extractions.map(
      ({ id, counts, scrapers }, at) =>
        `  ${id}  ${countText(counts.records)} records by ${scrapers.map(({ name, version }) => `${name} ${version}`).join(", ")}` +
        `${counts.failed > 0 ? `, ${countText(counts.failed)} items failed` : ""}${at === last ? ", current" : ""}`,
    ),
  ];
};

export const extractionJson = ({ id, startedAt, endedAt, scrapers, counts }: StoredExtraction) => ({
  id,
  startedAt: new Date(startedAt).toISOString(),
  endedAt: new Date(endedAt).toISOString(),
  scrapers: scrapers.map(({ name, version }) => ({ name, version })),
  counts,
});
