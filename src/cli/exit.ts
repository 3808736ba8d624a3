import type { JobView } from "../domain/job.ts";

/** Documented in docs/cli.md. Scripts rely on them, so a number never changes its meaning. */
export const EXIT = {
  /** Every item is done or absent. */
  ok: 0,
  /** An error that the program does not expect. */
  unexpected: 1,
  /** The command line, the inputs, the scraper or the output name is wrong. */
  usage: 2,
  /** The job ended; some items failed, or some inputs were rejected or capped. */
  someFailed: 3,
  /** The job stopped by itself: the breaker holds its lanes. Or a release is held by its audit, or by findings about its runs. */
  held: 4,
  /** Interrupted or cancelled before it ended. */
  interrupted: 5,
  /** A disk or the data folder is full, read-only, locked, damaged, or of a newer version. */
  storage: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For a job that has ended or needs attention. */
export const jobExitCode = ({ state, held, counts }: JobView): ExitCode => {
  if (state === "paused" && held.length > 0) return EXIT.held;
  if (state !== "done") return EXIT.interrupted;
  const { states, rejected, capped } = counts;
  return states.failed > 0 || rejected > 0 || capped > 0 ? EXIT.someFailed : EXIT.ok;
};

/** The command line is wrong: the message says what, and how to fix it. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
