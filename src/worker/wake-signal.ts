/** Wakes one loop that waits for whichever comes first: a ring or a time. */
export class WakeSignal {
  #ring: (() => void) | undefined;
  #isRung = false;

  ring(): void {
    this.#isRung = true;
    this.#ring?.();
  }

  async wait(ms: number): Promise<void> {
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#ring = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isRung = false;
    this.#ring = undefined;
  }
}
