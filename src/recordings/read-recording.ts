import { allAt } from "./adapter-template.ts";
import { type Adapter, adaptRecording, checkAdapter } from "./adapters.ts";
import otherFormats from "./adapters/other-formats.json" with { type: "json" };
import playwrightCodegen from "./adapters/playwright-codegen.json" with { type: "json" };
import seleniumIde from "./adapters/selenium-ide.json" with { type: "json" };
import { isObject, parseJson, parseRecording } from "./parse-recording.ts";
import type { Recording } from "./recording.ts";
import { RecordingError } from "./recording-error.ts";
import { RECORDING_LIMITS } from "./step-fields.ts";

const SHIPPED: readonly Adapter[] = [seleniumIde, playwrightCodegen].map(checkAdapter);

export interface ReadOptions {
  /** For a format that is not known here. */
  readonly adapter?: Adapter;
  /** The name of one of several recordings in the file. */
  readonly which?: string;
}

/** A recording from the text of a file. Without an adapter, its content says which format it is. Throws `RecordingError`. */
export const readRecording = (text: string, { adapter, which }: ReadOptions = {}): Recording =>
  recordingOf(adapter?.lines === undefined ? parseAny(text) : parseLines(text, adapter.lines), {
    ...(adapter && { adapter }),
    ...(which !== undefined && { which }),
  });

/** A recording from JSON. */
export const recordingOf = (file: unknown, { adapter, which }: ReadOptions = {}): Recording => {
  const chosen = adapter ?? SHIPPED.find(({ detect = [] }) => hasAll(file, detect));
  if (chosen) return adaptRecording(file, chosen, which);
  if (!isObject(file) || !Array.isArray(file["steps"])) {
    const other = otherFormats.find(({ detect }) => hasAll(file, detect));
    if (other)
      throw new RecordingError(
        `This is a file of ${other.name}, which cannot be imported: ${other.because}.`,
      );
  }
  return parseRecording(file);
};

const hasAll = (file: unknown, detect: readonly string[]): boolean =>
  detect.length > 0 && detect.every((path) => allAt(file, path).length > 0);

const isLines = (text: string): boolean => /^\s*\{[^\n]*\}\r?\n\s*\{/.test(text);

const parseAny = (text: string): unknown => (isLines(text) ? parseLines(text, 1) : parseJson(text));

const parseLines = (text: string, header: number): unknown => {
  const lines = text
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [{ line, number: at + 1 }]));
  if (lines.length > RECORDING_LIMITS.steps)
    throw new RecordingError(
      `The recording has more than ${RECORDING_LIMITS.steps} lines. Record a shorter flow.`,
    );
  const parsed = lines.map(({ line, number }) => {
    try {
      return parseJson(line);
    } catch (error) {
      throw new RecordingError(`Line ${number}: ${(error as Error).message}`, { cause: error });
    }
  });
  return { header: parsed.slice(0, header), lines: parsed.slice(header) };
};
