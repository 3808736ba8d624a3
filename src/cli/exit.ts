import type { JobView } from "../domain/job.ts";

/** Documented in docs/cli.md; scripts rely on them: a number, once given, keeps its meaning. */
export const EXIT = {
  /** Every item is done or absent. */
  ok: 0,
  /** An error that nobody foresaw. */
  unexpected: 1,
  /** The command line, the inputs, the scraper or the output's name cannot be used. */
  usage: 2,
  /** The job has ended; some items failed, or some inputs were rejected or capped. */
  someFailed: 3,
  /** The job stopped itself: the breaker holds its lanes. */
  held: 4,
  /** Interrupted or cancelled before its end. */
  interrupted: 5,
  /** The data folder or a disk: full, read-only, locked, damaged, or of a newer version. */
  storage: 6,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Of a job that has ended or waits for somebody. */
export const jobExitCode = ({ state, held, counts }: JobView): ExitCode => {
  if (state === "paused" && held.length > 0) return EXIT.held;
  if (state !== "done") return EXIT.interrupted;
  const { states, rejected, capped } = counts;
  return states.failed > 0 || rejected > 0 || capped > 0 ? EXIT.someFailed : EXIT.ok;
};

/** The command line asks for something that cannot be: the message says what, and the way out. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
