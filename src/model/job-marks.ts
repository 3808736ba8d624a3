import type { JobView } from "./job.ts";

/** How far a job was at a moment; all of it counted from its beginning. */
export interface JobMark {
  /** Came to an end by being tried: done, absent or failed. */
  readonly ended: number;
  readonly failed: number;
  /** Done, absent, or answered without being tried. */
  readonly good: number;
  /** As in `JobView.fieldCounts`. */
  readonly fieldCounts: readonly number[];
}

/** What is remembered of a job between two looks at it. */
export interface JobMemory {
  /** Oldest first; only as many as a window needs. */
  readonly marks: readonly JobMark[];
  readonly last: JobMark;
  /** When something good was first seen to have happened, or the job was first looked at. */
  readonly goodAt: number;
}

const START: JobMark = { ended: 0, failed: 0, good: 0, fieldCounts: [] };
/** Marks in a window: how exactly its beginning is met. */
const FINENESS = 10;

export const markOf = ({ counts: { states }, fieldCounts }: JobView): JobMark => ({
  ended: states.done + states.absent + states.failed,
  failed: states.failed,
  good: states.done + states.absent + states.skipped,
  fieldCounts,
});

/** A job that is first seen in its midst has no known beginning: its window starts there. */
export const beginMemory = (mark: JobMark, isFromStart: boolean, now: number): JobMemory => ({
  marks: [isFromStart ? START : mark],
  last: mark,
  goodAt: now,
});

export const remember = (memory: JobMemory, mark: JobMark, windowSize: number, now: number): JobMemory => {
  // Retried items go back to where they were: what was counted before cannot be compared any more.
  if (mark.ended < memory.last.ended) return { marks: [mark], last: mark, goodAt: memory.goodAt };
  const marks = [...memory.marks];
  if (mark.ended - (marks.at(-1)?.ended ?? 0) >= windowSize / FINENESS) marks.push(mark);
  while (marks[1] && mark.ended - marks[1].ended >= windowSize) marks.shift();
  return { marks, last: mark, goodAt: mark.good > memory.last.good ? now : memory.goodAt };
};

/** Where the last `size` ended items begin, as near as it is known; undefined when there are not so many. */
export const windowStart = ({ marks, last }: JobMemory, size: number): JobMark | undefined =>
  marks.findLast((mark) => last.ended - mark.ended >= size);
