import { setTimeout as delay } from "node:timers/promises";
import type { Ledger } from "../ports/ledger.ts";
import type { Registry } from "../ports/registry.ts";

/** Why the service is not ready, by a code that programs can rely on. Anybody may read it, so it has no paths and no numbers. */
export const UNREADY = {
  "disk-full":
    "The disk of the data folder has too little free space. Free some space, or use a larger disk.",
  "ledger-unreadable": "The ledger does not respond.",
  "ledger-unwritable":
    "The ledger cannot be written: its disk is read-only, or another process has locked it.",
  "no-workers":
    "There is work, but no worker has reported for 30 seconds. Start one with `sluice worker`, or `sluice serve --workers N`.",
} as const;

type UnreadyCode = keyof typeof UNREADY;
export const UNREADY_CODES = Object.keys(UNREADY) as [UnreadyCode, ...UnreadyCode[]];

interface ReadinessTools {
  readonly ledger: Pick<Ledger, "readJob" | "listWorkers" | "sumOpenJobs">;
  readonly registry: Pick<Registry, "holdTask">;
  /** Whether the disk of the data folder has too little free space; not checked by default. */
  readonly isDiskFull?: () => Promise<boolean>;
  readonly now: () => number;
}

/** Anybody may ask, and as often as they like. */
const KEPT_MS = 1000;
/** A ledger that takes longer is not ready. A write waits up to 30 seconds for a lock. */
const PATIENCE_MS = 5000;
const SILENCE_MS = 30_000;
const DUTY = "readiness";

/** Checks what the service needs, at most once a second. */
export class Readiness {
  readonly #tools: ReadinessTools;
  #heardAt: number;
  #kept: { readonly at: number; readonly codes: Promise<readonly UnreadyCode[]> } | undefined;

  constructor(tools: ReadinessTools) {
    this.#tools = tools;
    this.#heardAt = tools.now();
  }

  /** Empty if the service is ready. */
  async look(): Promise<readonly UnreadyCode[]> {
    const at = this.#tools.now();
    if (!this.#kept || at - this.#kept.at >= KEPT_MS || at < this.#kept.at)
      this.#kept = { at, codes: this.#look() };
    return await this.#kept.codes;
  }

  async #look(): Promise<readonly UnreadyCode[]> {
    const { ledger, registry, isDiskFull } = this.#tools;
    const isFull = (await isDiskFull?.()) ?? false;
    if (await fails(ledger.readJob("-")))
      return [...(isFull ? (["disk-full"] as const) : []), "ledger-unreadable"];
    // Rewrites a row that exists already.
    const written = await fails(registry.holdTask(DUTY, DUTY, 1));
    return [
      ...(isFull || written === "no-space" ? (["disk-full"] as const) : []),
      ...(written ? (["ledger-unwritable"] as const) : []),
      ...((await this.#isDeserted()) ? (["no-workers"] as const) : []),
    ];
  }

  async #isDeserted(): Promise<boolean> {
    const { ledger, now } = this.#tools;
    if ((await ledger.listWorkers()).some(({ isDraining }) => isDraining !== true)) this.#heardAt = now();
    if (now() - this.#heardAt < SILENCE_MS) return false;
    const { sums } = await ledger.sumOpenJobs();
    return sums.some(
      ({ state, counts: { states } }) =>
        state !== "paused" && states.queued + states.waiting + states.leased > 0,
    );
  }
}

/** The code if it fails or takes too long. */
const fails = async (work: Promise<unknown>): Promise<string | undefined> => {
  const over = new AbortController();
  const late = delay(PATIENCE_MS, "late", { signal: over.signal, ref: false });
  late.catch(() => undefined);
  try {
    return await Promise.race([work.then(() => undefined), late]);
  } catch (error) {
    return (error as { readonly code?: string }).code ?? "failed";
  } finally {
    over.abort();
  }
};
