import type { ExtractionTally } from "./extraction-tally.ts";

/** Why an extraction is not to take the place of the records before it: it would put blanks where there were values. */
export const whyNotCurrent = ({
  counts,
  lost,
}: Pick<ExtractionTally, "counts" | "lost">): string | undefined => {
  if (counts.done === 0) return "none of its items could be extracted";
  if (lost > 0)
    return `${lost === 1 ? "an item that has records" : `${lost} items that have records`} could not be read from the archive`;
  return undefined;
};
