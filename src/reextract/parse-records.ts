import { ArchiveError } from "../archive/manifest.ts";
import type { JudgedRecord } from "../domain/record.ts";

/** Records of one item as they are stored: one JSON text a line, each with its line end. */
interface StoredLines {
  readonly key: string;
  readonly lines: Buffer;
  /** The object they are in; it is named where they cannot be read. */
  readonly blob: string;
}

export const parseRecords = ({ key, lines, blob }: StoredLines): JudgedRecord[] => {
  if (lines.length === 0) return [];
  const texts = lines.toString().split("\n");
  if (texts.pop() !== "") throw unreadable(blob, key);
  return texts.map((text) => parseRecord(text, blob, key));
};

/** Throws `ArchiveError` `damaged`. */
export const parseRecord = (line: string, blob: string, key: string): JudgedRecord => {
  let record: JudgedRecord | null;
  try {
    record = JSON.parse(line) as JudgedRecord | null;
  } catch (cause) {
    throw unreadable(blob, key, cause);
  }
  if (typeof record?.fields !== "object" || record.fields === null) throw unreadable(blob, key);
  return record;
};

const unreadable = (blob: string, key: string, cause?: unknown): ArchiveError =>
  new ArchiveError(
    "damaged",
    blob,
    `${blob}: the records of item ${key} cannot be read. Put the object back from a backup, or make them again from ` +
      "the stored pages with `sluice extract`.",
    { cause },
  );
