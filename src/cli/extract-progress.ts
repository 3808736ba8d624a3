import { durationText } from "./duration-text.ts";
import { fitText, plainText } from "./fit-text.ts";
import { countText, percentText, rateText } from "./number-text.ts";
import { type ProgressMode, type ProgressStream } from "./progress.ts";
import { RecentRate } from "../domain/recent-rate.ts";

/** Tells how far an extraction is: one line redrawn on a terminal, a line now and then elsewhere, JSON for programs. */
interface ExtractProgress extends Disposable {
  update(items: number): void;
  /** A line that stays. */
  note(text: string): void;
}

interface ExtractProgressOptions {
  readonly mode: ProgressMode;
  readonly job: string;
  /** Items to be extracted, as far as is known. */
  readonly total: number;
  /** For people. */
  readonly stream: ProgressStream;
  /** For programs. */
  readonly out: ProgressStream;
  /** Monotonic, in ms. */
  readonly now?: () => number;
}

const EVERY_MS: Readonly<Record<ProgressMode, number>> = {
  live: 100,
  lines: 5_000,
  json: 1_000,
  quiet: Infinity,
};
const WINDOW_MS = 10_000;
const CLEAR_LINE = "\r\x1b[K";

export const openExtractProgress = (options: ExtractProgressOptions): ExtractProgress => {
  const { mode, job, total, stream, out, now = () => performance.now() } = options;
  // The extraction goes on when nobody listens any more.
  for (const each of [stream, out]) each.on?.("error", () => undefined);
  const rate = new RecentRate(WINDOW_MS);
  let saidAtMs = now();
  let line = "";
  rate.add(0, saidAtMs);

  const clear = (): void => {
    if (line !== "") stream.write(CLEAR_LINE);
    line = "";
  };

  return {
    update(items) {
      const at = now();
      rate.add(items, at);
      if (at - saidAtMs < EVERY_MS[mode]) return;
      saidAtMs = at;
      const { perSecond } = rate;
      const etaMs = perSecond ? (Math.max(0, total - items) / perSecond) * 1_000 : undefined;
      const text = progressText({ job, items, total, perSecond, etaMs });
      if (mode === "live") {
        line = fitText(text, Math.max(1, (stream.columns || 80) - 1));
        stream.write(CLEAR_LINE + line);
      } else if (mode === "lines") stream.write(`${text}\n`);
      else if (mode === "json")
        out.write(`${JSON.stringify({ type: "progress", job, items, total, perSecond, etaMs })}\n`);
    },
    note(text) {
      if (mode === "quiet") return;
      if (mode === "json") return void out.write(`${JSON.stringify({ type: "note", job, text })}\n`);
      const shown = line;
      clear();
      for (const each of text.split("\n")) stream.write(`${plainText(each)}\n`);
      if (mode === "live" && shown !== "") stream.write((line = shown));
    },
    [Symbol.dispose]: clear,
  };
};

interface Frame {
  readonly job: string;
  readonly items: number;
  readonly total: number;
  readonly perSecond: number | undefined;
  readonly etaMs: number | undefined;
}

const progressText = ({ job, items, total, perSecond, etaMs }: Frame): string =>
  [
    `${job}: ${countText(items)} of ${countText(total)} items extracted`,
    percentText(items, total),
    ...(perSecond === undefined ? [] : [rateText(perSecond)]),
    ...(etaMs === undefined ? [] : [`${durationText(etaMs)} left`]),
  ].join(", ");
