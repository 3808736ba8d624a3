import type { Colors } from "picocolors/types.js";
import type { FailureKind } from "../../domain/failure.ts";
import { endedCount } from "../../domain/item.ts";
import { type JobView, type LaneView, workedCount } from "../../domain/job.ts";
import { RecentRate } from "../../domain/recent-rate.ts";
import { countText, durationText, fitText, plainText, rateText, textWidth } from "../text.ts";

export interface ProgressExtra {
  /** Inputs read so far; undefined once all are read. */
  readonly loaded?: number;
  readonly processes: number;
}

/** The state of a job at one moment, with rates from earlier moments. */
export interface ProgressFrame extends ProgressExtra {
  readonly view: JobView;
  readonly lanes: readonly LaneView[];
  readonly perSecond?: number;
  readonly etaMs?: number;
}

const RATE_WINDOW_MS = 10_000;
/** Longer, so that the remaining time does not jump. */
const ETA_WINDOW_MS = 60_000;

/** Makes one frame after another from job views. */
export class FrameMaker {
  readonly #rate = new RecentRate(RATE_WINDOW_MS);
  readonly #steadyRate = new RecentRate(ETA_WINDOW_MS);

  frame(view: JobView, lanes: readonly LaneView[], extra: ProgressExtra, nowMs: number): ProgressFrame {
    const worked = workedCount(view);
    this.#rate.add(worked, nowMs);
    this.#steadyRate.add(worked, nowMs);
    const perSecond = this.#rate.perSecond;
    const steady = this.#steadyRate.perSecond ?? 0;
    const { queued, leased } = view.counts.states;
    // Waiting items say nothing about when they will end.
    const hasEta = view.isSealed && view.state === "running" && queued + leased > 0 && steady > 0;
    const left = view.counts.accepted - endedCount(view.counts.states);
    return {
      ...extra,
      view,
      lanes,
      ...(perSecond !== undefined && { perSecond }),
      ...(hasEta && { etaMs: (left / steady) * 1000 }),
    };
  }
}

type Paint = (text: string) => string;
type Span = readonly [text: string, paint?: Paint];

const MAX_BAR = 40;
const MAX_LANES = 4;
const LABEL = 9;
const GAP = "  ";

/** The live display: a few lines, at most `width` wide. */
export const renderProgress = (frame: ProgressFrame, width: number, colors: Colors): string[] => {
  const { view } = frame;
  const lines: Span[][] = [
    [
      [view.spec.scraper, colors.bold],
      [`  ${view.spec.id}  ${phaseText(frame)}`, colors.dim],
    ],
    barSpans(frame, width, colors),
    ...wrapped(stateSpans(view, colors), width),
  ];
  const failed = Object.fromEntries(view.failures.map(({ kind, count }) => [kind, count]));
  if (view.failures.length > 0) lines.push([label("failed", colors.red), [kindsText(failed)]]);
  const retried = retriedKinds(view, failed);
  if (retried !== "") lines.push([label("retried", colors.yellow), [retried]]);
  const troubled = laneLines(frame, colors);
  lines.push(...troubled.slice(0, MAX_LANES));
  if (troubled.length > MAX_LANES)
    lines.push([label(""), [`and ${troubled.length - MAX_LANES} more lanes`, colors.dim]]);
  return lines.map((spans) => fitSpans(spans, width));
};

/** The same on one line, for logs. */
export const renderProgressLine = (frame: ProgressFrame): string => {
  const states = stateSpans(frame.view)
    .map(([text]) => text)
    .join(", ");
  const slowed = frame.lanes.filter(({ factor }) => factor < 1).length;
  const lanes = [
    ...(slowed > 0 ? [`lanes slowed: ${slowed}`] : []),
    ...(frame.view.held.length > 0 ? [`held: ${frame.view.held.length}`] : []),
  ];
  return [phaseText(frame), shareText(frame), ...speedTexts(frame), states, ...lanes].join("  ");
};

/** What the job is doing, in a few words. */
const phaseText = ({ view, loaded, processes }: ProgressFrame): string => {
  if (loaded !== undefined) return `loading inputs: ${countText(loaded)} read`;
  if (view.state === "running" && processes > 1) return `running in ${processes} processes`;
  return view.state === "loading" ? "loading inputs" : view.state;
};

const shareText = ({ view: { counts, isSealed, spec } }: ProgressFrame): string => {
  const settled = endedCount(counts.states);
  // Unfinished items may find more.
  const isAll = isSealed && (spec.maxDepth === 0 || settled === counts.accepted);
  return `${countText(settled)} of ${countText(counts.accepted)}${isAll ? "" : "+"}`;
};

const speedTexts = ({ perSecond, etaMs }: ProgressFrame): string[] => [
  ...(perSecond === undefined ? [] : [rateText(perSecond)]),
  ...(etaMs === undefined ? [] : [`ETA ${durationText(etaMs)}`]),
];

const barSpans = (frame: ProgressFrame, width: number, colors: Colors): Span[] => {
  const { counts } = frame.view;
  const share = counts.accepted === 0 ? 0 : endedCount(counts.states) / counts.accepted;
  // Rounded down: 100% means finished.
  const percent = `${Math.floor(share * 100)}%`.padStart(5);
  const text = [percent, shareText(frame), ...speedTexts(frame)].join("  ");
  const length = Math.max(0, Math.min(MAX_BAR, width - textWidth(text) - 1));
  const full = Math.floor(share * length);
  return [["█".repeat(full), colors.green], ["░".repeat(length - full), colors.dim], [text]];
};

const stateSpans = ({ counts: { states, capped }, partial }: JobView, colors?: Colors): Span[] => {
  const shown: readonly (readonly [string, number, Paint | undefined])[] = [
    ["absent", states.absent, undefined],
    ["failed", states.failed, colors?.red],
    ["skipped", states.skipped, undefined],
    ["cancelled", states.cancelled, undefined],
    ["waiting", states.waiting, colors?.yellow],
    ["in flight", states.leased, colors?.cyan],
    ["queued", states.queued, colors?.dim],
    ["capped", capped, colors?.yellow],
  ];
  const done = `done ${countText(states.done)}${partial > 0 ? ` (${countText(partial)} partial)` : ""}`;
  return [
    span(done, colors?.green),
    ...shown
      .filter(([, count]) => count > 0)
      .map(([name, count, paint]) => span(`${name} ${countText(count)}`, paint)),
  ];
};

const retriedKinds = (view: JobView, failed: Readonly<Record<string, number>>): string => {
  const retried = Object.entries(view.attemptFailures).map(
    ([kind, attempts]) => [kind, attempts - (failed[kind] ?? 0)] as const,
  );
  return kindsText(Object.fromEntries(retried.filter(([, count]) => count > 0)));
};

const kindsText = (counts: Readonly<Partial<Record<FailureKind, number>>>): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${kind} ${countText(count)}`)
    .join(", ");

const laneLines = ({ view, lanes }: ProgressFrame, colors: Colors): Span[][] => [
  ...view.held.map(({ lane, reason, probeAt }): Span[] => {
    const until = probeAt === undefined ? "" : ` until ${new Date(probeAt).toISOString().slice(11, 19)}Z`;
    return [label("held", colors.red), [`${plainText(lane)}${until}: ${plainText(reason)}`]];
  }),
  ...lanes
    .filter(({ factor, holdMs }) => factor < 1 || holdMs > 0)
    .toSorted((a, b) => a.factor - b.factor)
    .map(({ lane, factor, perSecond, holdMs, holdReason }): Span[] => {
      const speed = factor < 1 ? [`at ${Math.ceil(factor * 100)}% of its pace (${rateText(perSecond)})`] : [];
      const rest =
        holdMs > 0 ? [`paused for ${durationText(holdMs)}${holdReason ? ` after ${holdReason}` : ""}`] : [];
      return [label("slowed", colors.yellow), [`${plainText(lane)}: ${[...speed, ...rest].join(", ")}`]];
    }),
];

const span = (text: string, paint?: Paint): Span => (paint ? [text, paint] : [text]);

const label = (text: string, paint?: Paint): Span => span(text.padEnd(LABEL), paint);

/** Wrapped, not cut: a truncated number would be misread. */
const wrapped = (spans: readonly Span[], width: number): Span[][] => {
  const lines: Span[][] = [];
  let left = 0;
  for (const each of spans) {
    const needed = GAP.length + textWidth(each[0]);
    const line = lines.at(-1);
    if (line && needed <= left) {
      line.push([GAP], each);
      left -= needed;
    } else {
      lines.push([each]);
      left = width - textWidth(each[0]);
    }
  }
  return lines;
};

/** Cut before colouring, so that no escape sequence is cut. */
const fitSpans = (spans: readonly Span[], width: number): string => {
  let left = width;
  let line = "";
  for (const [text, paint] of spans) {
    const fitted = fitText(text, left);
    line += paint && fitted !== "" ? paint(fitted) : fitted;
    if (fitted !== text) break;
    left -= textWidth(text);
  }
  return line;
};
