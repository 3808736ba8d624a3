import type { JobView, LaneView } from "../domain/job.ts";
import { JsonProgress } from "./json-progress.ts";
import { LineProgress } from "./line-progress.ts";
import { LiveProgress } from "./live-progress.ts";
import type { ProgressExtra } from "./progress-frame.ts";

/** Tells a person, or a program, how a job goes. */
export interface Progress extends Disposable {
  update(view: JobView, lanes: readonly LaneView[], extra: ProgressExtra): void;
  /** One line that stays, above the display. */
  note(text: string): void;
  /** The last word: clears the display and gives the report. */
  end(view: JobView, report: readonly string[]): void;
  /** Leaves the terminal as it was; more than once is no harm. */
  close(): void;
}

/** The part of a stream that is used: a terminal has columns and rows. */
export interface ProgressStream {
  write(text: string): unknown;
  on?(event: "error", listener: () => void): unknown;
  readonly columns?: number;
  readonly rows?: number;
}

export type ProgressMode = "live" | "lines" | "json" | "quiet";

export const progressMode = (
  { json, quiet }: { readonly json: boolean; readonly quiet: boolean },
  stream: { readonly isTTY?: boolean } = process.stderr,
  terminal = process.env["TERM"],
): ProgressMode => {
  if (json) return "json";
  if (quiet) return "quiet";
  return stream.isTTY === true && terminal !== "dumb" ? "live" : "lines";
};

interface ProgressOptions {
  readonly mode: ProgressMode;
  /** For people. */
  readonly stream: ProgressStream;
  /** For programs: where JSON lines go. */
  readonly out?: ProgressStream;
  /** Monotonic, in ms. */
  readonly now?: () => number;
}

export const openProgress = ({
  mode,
  stream,
  out = process.stdout,
  now = () => performance.now(),
}: ProgressOptions): Progress => {
  // A job goes on when nobody listens any more: a closed terminal, a pipe into `head`.
  for (const each of [stream, out]) each.on?.("error", () => undefined);
  switch (mode) {
    case "live":
      return new LiveProgress(stream, now);
    case "lines":
      return new LineProgress(stream, now);
    case "json":
      return new JsonProgress(out, now);
    case "quiet":
      return QUIET;
    default:
      return mode satisfies never;
  }
};

const nothing = (): void => undefined;
const QUIET: Progress = {
  update: nothing,
  note: nothing,
  end: nothing,
  close: nothing,
  [Symbol.dispose]: nothing,
};
