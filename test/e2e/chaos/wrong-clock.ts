import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const LIBRARY = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1")[0];
const STEP_MS = 3000;
const OFFSETS = ["+300s", "-300s", "+299s"];

/** Why no process can have a wrong clock here; undefined if it can. */
export const noFaketime = (): string | undefined =>
  LIBRARY !== undefined ? undefined : "no faketime on this machine. To install it: apt-get install faketime";

/** The clock of a machine that is five minutes off, and set again and again. What counts time since the start is right, as on any machine. */
export class WrongClock {
  steps = 0;
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, "clock");
    writeFileSync(this.#file, OFFSETS[0]!);
    this.env = {
      LD_PRELOAD: LIBRARY!,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    };
  }

  /** Sets it every few seconds. */
  async step(forMs: number, signal: AbortSignal): Promise<void> {
    const endsAt = performance.now() + forMs;
    while (performance.now() < endsAt) {
      await delay(STEP_MS, undefined, { signal });
      writeFileSync(this.#file, OFFSETS[++this.steps % OFFSETS.length]!);
    }
  }
}
