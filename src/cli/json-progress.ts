import type { JobView, LaneView } from "../domain/job.ts";
import { jobJson } from "./job-json.ts";
import { FrameMaker, type ProgressExtra, type ProgressFrame } from "./progress-frame.ts";
import type { Progress, ProgressStream } from "./progress.ts";

const EVERY_MS = 1000;

/** One JSON object a line, told apart by `type`: `progress`, `note`, and at last `end`. */
export class JsonProgress implements Progress {
  readonly #out: ProgressStream;
  readonly #now: () => number;
  readonly #frames = new FrameMaker();
  #state = "";
  #saidAtMs = 0;

  constructor(out: ProgressStream, now: () => number) {
    this.#out = out;
    this.#now = now;
  }

  update(view: JobView, lanes: readonly LaneView[], extra: ProgressExtra): void {
    const now = this.#now();
    const frame = this.#frames.frame(view, lanes, extra, now);
    if (view.state === this.#state && now - this.#saidAtMs < EVERY_MS) return;
    this.#state = view.state;
    this.#saidAtMs = now;
    this.#say(progressJson(frame));
  }

  note(text: string): void {
    this.#say({ type: "note", text });
  }

  end(view: JobView): void {
    this.#say({ type: "end", ...jobJson(view) });
  }

  close(): void {}

  [Symbol.dispose](): void {}

  #say(line: Readonly<Record<string, unknown>>): void {
    this.#out.write(`${JSON.stringify(line)}\n`);
  }
}

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
