/** Counts bytes that are held in memory; whoever wants to add more waits its turn while there are too many. */
export class InFlight {
  readonly #limit: number;
  #bytes = 0;
  #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get #isFull(): boolean {
    return this.#bytes > this.#limit;
  }

  change(by: number): void {
    this.#bytes += by;
    while (!this.#isFull) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#bytes += next.bytes;
      next.go();
    }
  }

  /** Adds the bytes as soon as the limit is not passed; by then it may be, but only by these. */
  async take(bytes: number): Promise<void> {
    if (!this.#isFull && this.#waiting.length === 0) this.#bytes += bytes;
    else await new Promise<void>((go) => this.#waiting.push({ bytes, go }));
  }
}
