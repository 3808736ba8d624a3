import picocolors from "picocolors";
import type { JobView, LaneView } from "../domain/job.ts";
import { wantsColors } from "./colors.ts";
import { plainText } from "./fit-text.ts";
import { FrameMaker, type ProgressExtra } from "./progress-frame.ts";
import type { Progress, ProgressStream } from "./progress.ts";
import { renderProgress } from "./render-progress.ts";

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const CLEAR_REST_OF_LINE = "\x1b[K";
const CLEAR_BELOW = "\x1b[J";
const upBy = (lines: number): string => (lines > 0 ? `\x1b[${lines}A` : "");

/**
 * Redraws a few lines in place. Each drawing is one write that overwrites the old lines and never clears them first, so that
 * nothing flickers.
 */
export class LiveProgress implements Progress {
  readonly #stream: ProgressStream;
  readonly #now: () => number;
  readonly #colors = picocolors.createColors(wantsColors({ isTTY: true }, process.env));
  readonly #frames = new FrameMaker();
  readonly #restore = (): void => this.close();
  #lines: readonly string[] = [];
  /** Lines of the display that are on the terminal now. */
  #drawn = 0;
  #isOpen = false;

  constructor(stream: ProgressStream, now: () => number) {
    this.#stream = stream;
    this.#now = now;
  }

  update(view: JobView, lanes: readonly LaneView[], extra: ProgressExtra): void {
    // A terminal that was not told its size has 0 of each.
    const [columns, rows] = [this.#stream.columns || 80, this.#stream.rows || 24];
    // One column and one line are left free: filling the last one would scroll some terminals.
    const width = Math.max(1, columns - 1);
    const frame = this.#frames.frame(view, lanes, extra, this.#now());
    this.#lines = renderProgress(frame, width, this.#colors).slice(0, Math.max(1, rows - 1));
    this.#draw([]);
  }

  note(text: string): void {
    this.#draw(text.split("\n").map(plainText));
  }

  end(_view: JobView, report: readonly string[]): void {
    this.#lines = [];
    this.#draw([]);
    this.close();
    this.#stream.write(`${report.join("\n")}\n`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off("exit", this.#restore);
    this.#drawn = 0;
    this.#stream.write(SHOW_CURSOR);
  }

  [Symbol.dispose](): void {
    this.close();
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
