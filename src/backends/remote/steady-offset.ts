import { CLOCK_HEADER } from "../../ports/ledger-wire.ts";

/** The clocks of two machines drift apart by some 50 ms in a quarter of an hour: older answers say nothing. */
const WINDOW_MS = 5 * 60_000;

interface Best {
  readonly ms: number;
  readonly at: number;
}

/**
 * How far this machine's steady clock is ahead of the controller's, by the answer that was on its way for the shortest time: slots are counted from when
 * they were booked, not from when somebody at last heard of them. It is too large by what the fastest answer took, so a slot is never used too early.
 */
export class SteadyOffset {
  readonly #now: () => number;
  #process = "";
  #best: Best | undefined;
  #before: Best | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** An answer has arrived, with the name of the process and its clock. */
  note(header: string | string[] | undefined): void {
    const [process = "", clock] = String(header ?? "").split(" ");
    if (process === "" || !Number.isFinite(Number(clock))) return;
    const now = this.#now();
    const ms = now - Number(clock);
    if (process !== this.#process)
      [this.#process, this.#best, this.#before] = [process, undefined, undefined];
    if (this.#best && now - this.#best.at > WINDOW_MS) [this.#before, this.#best] = [this.#best, undefined];
    if (!this.#best || ms < this.#best.ms) this.#best = { ms, at: this.#best?.at ?? now };
    if (this.#before && now - this.#before.at > 2 * WINDOW_MS) this.#before = undefined;
  }

  /** How much longer than the fastest an answer was on its way that is read now. */
  lateMs(header: string | string[] | undefined): number {
    const [process, clock] = String(header ?? "").split(" ");
    return process === this.#process && this.#best ? this.#now() - Number(clock) - this.#ms : 0;
  }

  /** What a request says of when it was sent. */
  headers(): Readonly<Record<string, string>> {
    return this.#best ? { [CLOCK_HEADER]: `${this.#process} ${this.#now() - this.#ms}` } : {};
  }

  get #ms(): number {
    return Math.min(this.#best?.ms ?? Infinity, this.#before?.ms ?? Infinity);
  }
}
