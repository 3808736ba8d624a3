import type { JobView, LaneView } from "../domain/job.ts";
import { plainText } from "./fit-text.ts";
import { FrameMaker, type ProgressExtra } from "./progress-frame.ts";
import type { Progress, ProgressStream } from "./progress.ts";
import { renderProgressLine } from "./render-progress.ts";

const EVERY_MS = 5000;

/** Plain lines for logs and pipes: every few seconds, and whenever the job enters another phase. */
export class LineProgress implements Progress {
  readonly #stream: ProgressStream;
  readonly #now: () => number;
  readonly #frames = new FrameMaker();
  #phase = "";
  #saidAtMs = 0;
  #said = "";

  constructor(stream: ProgressStream, now: () => number) {
    this.#stream = stream;
    this.#now = now;
  }

  update(view: JobView, lanes: readonly LaneView[], extra: ProgressExtra): void {
    const now = this.#now();
    const frame = this.#frames.frame(view, lanes, extra, now);
    const phase = `${view.state} ${extra.loaded === undefined} ${view.held.length}`;
    if (phase === this.#phase && now - this.#saidAtMs < EVERY_MS) return;
    const line = renderProgressLine(frame);
    this.#phase = phase;
    this.#saidAtMs = now;
    if (line === this.#said) return;
    this.#said = line;
    this.#stream.write(`${line}\n`);
  }

  note(text: string): void {
    for (const line of text.split("\n")) this.#stream.write(`${plainText(line)}\n`);
  }

  end(_view: JobView, report: readonly string[]): void {
    this.#stream.write(`${report.join("\n")}\n`);
  }

  close(): void {}

  [Symbol.dispose](): void {}
}
