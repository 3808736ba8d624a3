/** Rounds that a job is left out at most. */
const MOST_ROUNDS = 255;

/**
 * Lets a task go through jobs one by one: what fails for one of them is reported, and stops neither the others nor the task. A job that fails again
 * and again is left out of more and more rounds.
 */
export class JobBackoff {
  readonly #report: (error: unknown) => void;
  readonly #failing = new Map<string, { failures: number; skips: number }>();

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** False where it failed, or is left out of this round. */
  async try(job: string, run: () => Promise<void>): Promise<boolean> {
    const failing = this.#failing.get(job) ?? { failures: 0, skips: 0 };
    if (failing.skips-- > 0) return false;
    try {
      await run();
      this.#failing.delete(job);
      return true;
    } catch (error) {
      failing.failures++;
      failing.skips = Math.min(2 ** (failing.failures - 1) - 1, MOST_ROUNDS);
      this.#failing.set(job, failing);
      const reason = error instanceof Error ? error.message : String(error);
      this.#report(new Error(`job ${job}: ${reason}`, { cause: error }));
      return false;
    }
  }
}
