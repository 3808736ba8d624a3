import assert from "node:assert/strict";
import * as fc from "fast-check";
import { seededRandom } from "../../domain/testing/seeded-random.ts";
import { type BookedSlot, refOf, type SimWorker } from "./sim-worker.ts";
import { keepsPace } from "./slot-watch.ts";
import { keysOf, type LedgerTest, planned, SITE, type Kit } from "./test-kit.ts";

interface Run {
  readonly perSecond: number;
  readonly burst: number;
  readonly seed: number;
  readonly hops: number;
  readonly returns: boolean;
}

/** An item's requests: each needs a slot whose time has come before the next is asked for. */
class Runner {
  readonly worker: SimWorker;
  readonly #kit: Kit;
  readonly #run: Run;
  readonly #random: () => number;
  /** Slots booked and not yet used. */
  #mine: BookedSlot[] = [];
  readonly #requests = new Map<string, number>();
  /** Times at which requests started, as late as they may. */
  readonly starts: number[] = [];
  readonly booked: number[] = [];

  constructor(kit: Kit, worker: SimWorker, run: Run, random: () => number) {
    this.#kit = kit;
    this.worker = worker;
    this.#run = run;
    this.#random = random;
  }

  async turn(): Promise<void> {
    this.#spend();
    await this.#settle();
    const returned = this.#giveBack();
    const wishes = [...this.worker.held.values()]
      .slice(this.#mine.length)
      .map(({ queue }) => ({ lane: SITE, queue, count: 1 }));
    this.#gather(await this.worker.pulse({ wishes, returned }));
    this.#gather(await this.worker.claim(40));
  }

  #gather({
    slots,
  }: {
    readonly slots: readonly { readonly delaysMs: readonly number[]; readonly lateMs: number }[];
  }): void {
    for (const { delaysMs, lateMs } of slots)
      for (const delay of delaysMs) {
        const at = this.#kit.nowMs + delay;
        this.#mine.push({ lane: SITE, at, lateMs });
        this.booked.push(at);
      }
  }

  /** What came due since the last turn was used somewhere in its tolerance. */
  #spend(): void {
    const due = this.#mine.filter((slot) => slot.at <= this.#kit.nowMs);
    this.#mine = this.#mine.filter((slot) => slot.at > this.#kit.nowMs);
    const items = [...this.worker.held.keys()];
    for (const [i, slot] of due.entries()) {
      this.starts.push(slot.at + this.#random() * slot.lateMs);
      const item = items[i];
      if (item !== undefined) this.#requests.set(item, (this.#requests.get(item) ?? 0) + 1);
    }
  }

  async #settle(): Promise<void> {
    const ended = [...this.worker.held.values()].filter(
      (item) => (this.#requests.get(refOf(item)) ?? 0) > this.#run.hops,
    );
    await this.worker.settle(ended);
  }

  #giveBack(): { lane: string; delaysMs: number[] }[] {
    if (!this.#run.returns || this.#random() < 0.7) return [];
    const back = this.#mine.splice(Math.floor(this.#random() * this.#mine.length), 3);
    for (const slot of back) this.booked.splice(this.booked.indexOf(slot.at), 1);
    return [{ lane: SITE, delaysMs: back.map((slot) => slot.at - this.#kit.nowMs) }];
  }
}

/** Several processes that always want work, ask at irregular times, and reopen the ledger half-way. */
const simulate = async (kit: Kit, id: string, run: Run, seconds: number) => {
  const random = seededRandom(run.seed);
  const { perSecond, burst } = run;
  await kit.job(id, [], { pace: { perSecond, burst, concurrency: 10_000 } });
  await kit.ledger.addItems(id, planned(keysOf(Math.ceil(perSecond * (seconds + 3)))), []);
  const runners: Runner[] = [];
  for (let i = 0; i < 3; i++)
    runners.push(
      new Runner(kit, kit.worker(`${id}-${i}`, i === 0 ? kit.ledger : await kit.another()), run, random),
    );
  const startAt = kit.nowMs;
  let isReopened = false;
  while (kit.nowMs < startAt + seconds * 1000) {
    const runner = runners[Math.floor(random() * runners.length)]!;
    await runner.turn();
    if (!isReopened && kit.nowMs > startAt + seconds * 500) {
      isReopened = true;
      await runners[1]!.worker.ledger.close();
      runners[1]!.worker.ledger = await kit.another();
    }
    kit.pass(Math.ceil(random() * 90));
  }
  const endAt = kit.nowMs;
  await kit.ledger.controlJob(id, "cancel");
  for (const { worker } of runners) await kit.ledger.reap({ worker: worker.name });
  kit.pass(60_000);
  const all = (which: "starts" | "booked") => runners.flatMap((runner) => runner[which]);
  return { starts: all("starts"), booked: all("booked"), startAt, endAt };
};

const runs = fc.record({
  perSecond: fc.constantFrom(1, 3, 10, 40),
  burst: fc.constantFrom(1, 2, 5),
  seed: fc.integer({ min: 1, max: 2 ** 30 }),
  hops: fc.constantFrom(0, 2),
  returns: fc.boolean(),
});

export const pace = (test: LedgerTest): void => {
  test("no window sees more than rate × W + burst starts, over processes, hops, returns and a reopening", async (kit) => {
    let job = 0;
    await fc.assert(
      fc.asyncProperty(runs, async (run) => {
        const { starts, booked } = await simulate(kit, `pace-${job++}`, run, 12);
        assert.ok(starts.length >= run.perSecond * 9, `only ${starts.length} starts`);
        keepsPace(booked, run);
        keepsPace(starts, run);
      }),
      { numRuns: kit.trials(8) },
    );
  });

  test("a lane with work and a free worker books every slot of its rate", async (kit) => {
    let job = 0;
    await fc.assert(
      fc.asyncProperty(runs, async (run) => {
        const { booked, startAt, endAt } = await simulate(
          kit,
          `busy-${job++}`,
          { ...run, returns: false },
          12,
        );
        const inside = booked.filter((at) => at >= startAt && at < endAt).length;
        const due = Math.floor(((endAt - startAt) * run.perSecond) / 1000);
        assert.ok(inside >= due, `${inside} of ${due} slots`);
      }),
      { numRuns: kit.trials(8) },
    );
  });
};
