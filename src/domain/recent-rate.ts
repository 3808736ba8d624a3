interface Sample {
  readonly atMs: number;
  readonly count: number;
}

/** How fast a count has grown lately. One sample a second is kept: an hour of updates costs no more than a minute's. */
export class RecentRate {
  readonly #windowMs: number;
  #samples: Sample[] = [];
  #newest: Sample | undefined;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  add(count: number, atMs: number): void {
    const last = this.#samples.at(-1);
    // Retried items make the count fall: earlier samples say nothing about the rate from now on.
    if (this.#newest && count < this.#newest.count) this.#samples = [];
    this.#newest = { atMs, count };
    if (!last || this.#samples.length === 0 || atMs - last.atMs >= 1000) this.#samples.push(this.#newest);
    // The oldest kept sample is at the start of the window or just before it.
    while (this.#samples.length > 2 && atMs - this.#samples[1]!.atMs >= this.#windowMs) this.#samples.shift();
  }

  /** Undefined until there are two moments to compare. */
  get perSecond(): number | undefined {
    const oldest = this.#samples[0];
    if (!oldest || !this.#newest || this.#newest.atMs <= oldest.atMs) return undefined;
    return ((this.#newest.count - oldest.count) * 1000) / (this.#newest.atMs - oldest.atMs);
  }
}
