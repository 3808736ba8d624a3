import { randomInt } from "node:crypto";

/** Repeatable random numbers: the same seed gives the same sequence. Far faster than an arbitrary per choice. */
export class Dice {
  readonly seed: number;
  #state: number;

  /** Default: the seed of the environment (`SLUICE_SEED`, to repeat a failure) or a new one. */
  constructor(seed = Number(process.env["SLUICE_SEED"] ?? randomInt(2 ** 31))) {
    this.seed = seed;
    this.#state = seed | 0;
  }

  /** From 0 up to, not including, `below`. */
  number(below: number): number {
    // xorshift32 over a Weyl sequence, so that a seed of 0 is as good as any.
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32) * below);
  }

  chance(percent: number): boolean {
    return this.number(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.number(from.length)];
    if (picked === undefined) throw new RangeError("nothing to pick from");
    return picked;
  }
}
