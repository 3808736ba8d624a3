import { type ArchiveOptions, type JobArchive, openArchive } from "../archive/segment-writer.ts";

/** A worker may see any number of jobs: this many archives stay open, the most recently used. */
const KEPT = 256;

/** A job without items in flight may be waiting for its own settles to release others: older pages are sealed. */
const IDLE_MS = 1000;

/** The archives of the jobs that a worker writes for. */
export class JobArchives implements AsyncDisposable {
  readonly #options: Omit<ArchiveOptions, "job">;
  readonly #open = new Map<string, JobArchive>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: Omit<ArchiveOptions, "job">) {
    this.#options = options;
  }

  of(job: string): JobArchive {
    const archive = this.#open.get(job) ?? openArchive({ ...this.#options, job });
    this.#open.delete(job);
    this.#open.set(job, archive);
    if (this.#open.size > KEPT) this.#closeOldest();
    return archive;
  }

  /** With nothing in flight, waiting gains nothing. */
  seal(): void {
    for (const archive of this.#open.values()) void archive.seal();
  }

  /** For jobs without items in flight. */
  sealIdle(inFlight: ReadonlySet<string>): void {
    for (const [job, archive] of this.#open) if (!inFlight.has(job)) archive.sealOlder(IDLE_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#closing, ...[...this.#open.values()].map((archive) => archive.seal())]);
  }

  /** If an item still writes to it, the group is sealed by age. */
  #closeOldest(): void {
    const [job, archive] = this.#open.entries().next().value!;
    this.#open.delete(job);
    const closing = archive.seal().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
