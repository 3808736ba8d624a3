import { setTimeout as delay } from "node:timers/promises";
import type { SluiceProcess } from "../sluice-process.ts";
import type { Victim } from "./victims.ts";

export interface Killing {
  readonly victims: readonly Victim[];
  readonly forMs: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** The killed processes, in order. */
  readonly kills: string[];
  readonly signal: AbortSignal;
}

const SHORTEST_MS = 1000;
const LONGEST_MS = 3000;

/** Kills one of them with all its children every few seconds, and restarts it at once. */
export const killAtRandom = async (killing: Killing): Promise<void> => {
  const { victims, forMs, random, kills, signal } = killing;
  const endsAt = performance.now() + forMs;
  for (;;) {
    const pauseMs = SHORTEST_MS + (LONGEST_MS - SHORTEST_MS) * random();
    const chosen = random();
    if (performance.now() + pauseMs > endsAt) return;
    await delay(pauseMs, undefined, { signal });
    const mortal = victims.filter(({ isSpared }) => !isSpared);
    const victim = mortal[Math.floor(chosen * mortal.length)]!;
    await kill(victim);
    kills.push(victim.name);
    victim.start();
  }
};

const kill = async ({ name, process: victim }: Victim): Promise<void> => {
  assertAlive(name, victim);
  // The parent first: it must neither see its children die nor start others.
  for (const pid of victim.family()) sigkill(pid);
  await victim.ended;
};

/** Only the killer ends them: a process that ended by itself is an error. */
export const assertAlive = (name: string, { child, stderr }: SluiceProcess): void => {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`the ${name} ended by itself with ${child.exitCode ?? child.signalCode}: ${stderr}`);
};

export const sigkill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // the child has just ended
  }
};
