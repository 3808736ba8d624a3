import picocolors from "picocolors";
import type { JobView, LaneView } from "../../domain/job.ts";
import { wantsColors } from "../terminal.ts";
import { plainText } from "../text.ts";
import { jobJson } from "./job-json.ts";
import {
  FrameMaker,
  type ProgressExtra,
  type ProgressFrame,
  renderProgress,
  renderProgressLine,
} from "./progress-frame.ts";

/** Shows the progress of a job. */
export interface Progress extends Disposable {
  update(view: JobView, lanes: readonly LaneView[], extra: ProgressExtra): void;
  /** A permanent line above the display. */
  note(text: string): void;
  /** Replaces the display by the report. */
  end(view: JobView, report: readonly string[]): void;
}

/** How progress is shown. Disposing restores the terminal, and may happen more than once. */
interface Display extends Disposable {
  update(frame: ProgressFrame, atMs: number): void;
  note(text: string): void;
  end(view: JobView, report: readonly string[]): void;
}

/** The part of a stream that is needed; terminals have columns and rows. */
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
  /** For text. */
  readonly stream: ProgressStream;
  /** For JSON lines. */
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
  // The job continues when the reader is gone: a closed terminal, a pipe into `head`.
  for (const each of [stream, out]) each.on?.("error", () => undefined);
  const display = displayOf(mode, stream, out);
  const frames = new FrameMaker();
  return {
    update(view, lanes, extra) {
      const atMs = now();
      display.update(frames.frame(view, lanes, extra, atMs), atMs);
    },
    note: (text) => display.note(text),
    end: (view, report) => display.end(view, report),
    [Symbol.dispose]: () => display[Symbol.dispose](),
  };
};

const displayOf = (mode: ProgressMode, stream: ProgressStream, out: ProgressStream): Display => {
  switch (mode) {
    case "live":
      return new LiveDisplay(stream);
    case "lines":
      return lineDisplay(stream);
    case "json":
      return jsonDisplay(out);
    case "quiet":
      return { update: nothing, note: nothing, end: nothing, [Symbol.dispose]: nothing };
    default:
      return mode satisfies never;
  }
};

const nothing = (): void => undefined;

const JSON_EVERY_MS = 1000;

/** One JSON object per line, of type `progress`, `note` or, as the last one, `end`. */
const jsonDisplay = (out: ProgressStream): Display => {
  let state = "";
  let saidAtMs = 0;
  const say = (line: Readonly<Record<string, unknown>>): void => void out.write(`${JSON.stringify(line)}\n`);
  return {
    update(frame, atMs) {
      if (frame.view.state === state && atMs - saidAtMs < JSON_EVERY_MS) return;
      state = frame.view.state;
      saidAtMs = atMs;
      say(progressJson(frame));
    },
    note: (text) => say({ type: "note", text }),
    end: (view) => say({ type: "end", ...jobJson(view) }),
    [Symbol.dispose]: nothing,
  };
};

const progressJson = ({ view, lanes, loaded, processes, perSecond, etaMs }: ProgressFrame) => ({
  type: "progress",
  job: view.spec.id,
  state: view.state,
  processes,
  loaded,
  counts: view.counts,
  perSecond: perSecond === undefined ? undefined : Number(perSecond.toFixed(2)),
  etaMs: etaMs === undefined ? undefined : Math.round(etaMs),
  failures: Object.fromEntries(view.failures.map(({ kind, count }) => [kind, count])),
  attemptFailures: view.attemptFailures,
  slowed: lanes.filter(({ factor, holdMs }) => factor < 1 || holdMs > 0),
  held: view.held.map(({ lane, reason }) => ({ lane, reason })),
});

const LINE_EVERY_MS = 5000;

/** Plain lines for logs and pipes: every few seconds, and whenever the job's phase changes. */
const lineDisplay = (stream: ProgressStream): Display => {
  let phase = "";
  let saidAtMs = 0;
  let said = "";
  return {
    update(frame, atMs) {
      const { view, loaded } = frame;
      const newPhase = `${view.state} ${loaded === undefined} ${view.held.length}`;
      if (newPhase === phase && atMs - saidAtMs < LINE_EVERY_MS) return;
      phase = newPhase;
      saidAtMs = atMs;
      const line = renderProgressLine(frame);
      if (line !== said) stream.write(`${line}\n`);
      said = line;
    },
    note(text) {
      for (const line of text.split("\n")) stream.write(`${plainText(line)}\n`);
    },
    end: (_view, report) => void stream.write(`${report.join("\n")}\n`),
    [Symbol.dispose]: nothing,
  };
};

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const CLEAR_REST_OF_LINE = "\x1b[K";
const CLEAR_BELOW = "\x1b[J";
const upBy = (lines: number): string => (lines > 0 ? `\x1b[${lines}A` : "");

/** Redraws a few lines in place. Each drawing is one write that overwrites the old lines without clearing them, which would flicker. */
class LiveDisplay implements Display {
  readonly #stream: ProgressStream;
  readonly #colors = picocolors.createColors(wantsColors({ isTTY: true }, process.env));
  readonly #restore = (): void => this[Symbol.dispose]();
  #lines: readonly string[] = [];
  /** Number of display lines on the terminal. */
  #drawn = 0;
  #isOpen = false;

  constructor(stream: ProgressStream) {
    this.#stream = stream;
  }

  update(frame: ProgressFrame): void {
    // A terminal of unknown size reports 0 for both.
    const [columns, rows] = [this.#stream.columns || 80, this.#stream.rows || 24];
    // One column and one line stay free: filling the last one scrolls some terminals.
    const width = Math.max(1, columns - 1);
    this.#lines = renderProgress(frame, width, this.#colors).slice(0, Math.max(1, rows - 1));
    this.#draw([]);
  }

  note(text: string): void {
    this.#draw(text.split("\n").map(plainText));
  }

  end(_view: JobView, report: readonly string[]): void {
    this.#lines = [];
    this.#draw([]);
    this[Symbol.dispose]();
    this.#stream.write(`${report.join("\n")}\n`);
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off("exit", this.#restore);
    this.#drawn = 0;
    this.#stream.write(SHOW_CURSOR);
  }

  #draw(notes: readonly string[]): void {
    if (this.#drawn === 0 && notes.length + this.#lines.length === 0) return;
    const hide = this.#isOpen ? "" : HIDE_CURSOR;
    if (!this.#isOpen) process.on("exit", this.#restore);
    this.#isOpen = true;
    const lines = [...notes, ...this.#lines].map((line) => `${line}${CLEAR_REST_OF_LINE}\n`);
    this.#stream.write(`${hide}${upBy(this.#drawn)}\r${lines.join("")}${CLEAR_BELOW}`);
    this.#drawn = this.#lines.length;
  }
}
