import { ArchiveError } from "../archive/archive-error.ts";
import type { JudgedRecord } from "../model/record.ts";

/** Records from their lines. `set` names them where they cannot be read. */
export const parseRecords = (lines: Buffer, set: string): JudgedRecord[] => {
  if (lines.length === 0) return [];
  const texts = lines.toString().split("\n");
  texts.pop(); // after the last line end
  try {
    return texts.map((text) => JSON.parse(text) as JudgedRecord);
  } catch (cause) {
    throw new ArchiveError(
      "damaged",
      set,
      `${set}: a line of its records cannot be read. Put the job's segments back from a backup, or make the records again with \`sluice extract\`.`,
      { cause },
    );
  }
};
