import type { Ledger, WorkerInfo } from "../ports/ledger.ts";
import type { WorkTally } from "./work-tally.ts";

interface RegistrationOptions {
  readonly ledger: Pick<Ledger, "registerWorker">;
  /** As it is now. */
  readonly card: () => WorkerInfo;
  readonly tally: WorkTally;
  readonly onError: (error: unknown) => void;
}

/** So old are a worker's sums at most. */
const BEAT_MS = 5000;

/** Says what the worker is, when it changes and now and then, and with it what the worker has counted. */
export class Registration {
  readonly #options: RegistrationOptions;
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(options: RegistrationOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.tell(), BEAT_MS);
  }

  /** One after the other: an older card does not overtake a newer one. */
  async tell(): Promise<void> {
    const { ledger, card, tally, onError } = this.#options;
    this.#telling = this.#telling
      .then(() => tally.tell((sums) => ledger.registerWorker(card(), sums)))
      .catch(onError);
    await this.#telling;
  }

  /** With a last word. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.tell();
  }
}
