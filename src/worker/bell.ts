import { setTimeout as delay } from "node:timers/promises";

/** Wakes one loop that waits for whichever comes first: a ring or a time. */
export class Bell {
  #ring: (() => void) | undefined;
  #isRung = false;
  /** Whether the last wait ended by a ring. */
  wasRung = false;

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
    this.wasRung = this.#isRung;
    this.#isRung = false;
    this.#ring = undefined;
  }

  /** Lets more rings come, and counts them as one. */
  async gather(ms: number): Promise<void> {
    await delay(ms);
    this.#isRung = false;
  }
}
