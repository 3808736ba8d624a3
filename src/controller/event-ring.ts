/** An event of a job as listeners get it. */
export interface LiveEvent {
  /** Of this process: the ids of another say nothing here. */
  readonly id: string;
  readonly type: LiveType;
  readonly at: number;
  readonly client: string;
  readonly job: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const LIVE_TYPES = [
  "job.started",
  "job.progress",
  "job.paused",
  "job.resumed",
  "job.completed",
  "job.cancelled",
  "lane.held",
  "lane.released",
] as const;
export type LiveType = (typeof LIVE_TYPES)[number];

const KEPT = 2000;

/** The last events, for listeners that come back, and those that listen now. */
export class EventRing {
  readonly #boot: string;
  readonly #kept: LiveEvent[] = [];
  readonly #listeners = new Set<(event: LiveEvent) => void>();
  #count = 0;

  constructor(startedAt: number) {
    this.#boot = startedAt.toString(36);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  add(event: Omit<LiveEvent, "id">): void {
    const full = { ...event, id: `${this.#boot}-${++this.#count}` };
    this.#kept.push(full);
    if (this.#kept.length > KEPT) this.#kept.shift();
    for (const listener of this.#listeners) listener(full);
  }

  /** Undefined where that event is not known here, or what came after it is not kept any more. */
  since(id: string): readonly LiveEvent[] | undefined {
    const [boot, number] = id.split("-");
    const after = Number(number);
    const oldest = this.#count - this.#kept.length;
    if (boot !== this.#boot || !(after >= oldest && after <= this.#count)) return undefined;
    return this.#kept.slice(after - oldest);
  }

  listen(listener: (event: LiveEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
