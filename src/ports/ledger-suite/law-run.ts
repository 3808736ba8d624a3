import assert from "node:assert/strict";
import type { Outcome } from "../../domain/item.ts";
import type { Pace } from "../../domain/job-version.ts";
import type { ClaimedItem, Ledger } from "../ledger.ts";
import { compareLedger } from "./compare-ledger.ts";
import { controlJob, outcomeOf, raiseCaps, retryItems, sealJob, type Step } from "./law-steps.ts";
import { LedgerModel, MAX_CHAIN, MAX_DEPTH, type ModelJob, type ModelWorker } from "./ledger-model.ts";
import { DONE, refOf, settlement, type SimWorker } from "./sim-worker.ts";
import { SlotWatch } from "./slot-watch.ts";
import { code, jobSpec, type Kit, LEASE_MS, planned } from "./test-kit.ts";

const PACE: Pace = { perSecond: 20, burst: 3, concurrency: 4 };
const JOBS = [
  { id: "capped", maxItems: 12 },
  { id: "open", maxItems: Infinity },
];
const LANES = ["a.test", "b.test"];
/** Some of what it holds: those whose bit is set. */
const namedBy = (sim: SimWorker, bits: number): ClaimedItem[] =>
  [...sim.held.values()].filter((_, i) => (bits >> (i % 8)) & 1);

/** Runs one random history on a real ledger and on the model, and compares them after every step. */
export class LawRun {
  readonly #kit: Kit;
  readonly #handles: Ledger[];
  readonly #prefix: string;
  readonly #model = new LedgerModel();
  readonly #sims: SimWorker[] = [];
  /** Every claim there ever was, for settles that come too late. */
  readonly #claims: { readonly item: ClaimedItem; readonly worker: string }[] = [];
  readonly #slots: SlotWatch;
  #names = 0;

  private constructor(kit: Kit, handles: Ledger[], prefix: string) {
    this.#kit = kit;
    this.#handles = handles;
    this.#prefix = prefix;
    this.#slots = new SlotWatch(() => kit.nowMs);
  }

  static async start(kit: Kit, handles: Ledger[], prefix: string): Promise<LawRun> {
    const run = new LawRun(kit, handles, prefix);
    for (const { id, maxItems } of JOBS) {
      const job = `${prefix}${id}`;
      const [root] = jobSpec(job, { pace: PACE }).scrapers;
      const scrapers = ["county", "detail"].map((name) => ({ ...root!, name, maxChain: MAX_CHAIN }));
      await kit.ledger.createJob(
        jobSpec(job, { client: id, pace: PACE, maxItems, scrapers, maxDepth: MAX_DEPTH }),
      );
      run.#model.addJob(job, maxItems);
    }
    for (let i = 0; i < 5; i++) run.#sims.push(run.#newWorker(i));
    return run;
  }

  async step(step: Step): Promise<void> {
    await this.#take(step);
    this.#model.endJobs();
    await compareLedger(this.#kit, this.#model);
  }

  async #take(step: Step): Promise<void> {
    switch (step.do) {
      case "add":
        return await this.#add(this.#job(step.job), step);
      case "claim":
        return await this.#claim(step.worker % 3, step.room, step.names);
      case "claim-alone":
        return await this.#claim(3 + (step.worker % 2), 1, undefined);
      case "pulse":
        return await this.#pulse(this.#sim(step.worker), step);
      case "throttle":
        return await this.#throttle(this.#sim(step.worker), this.#lane(step.lane), step.retryAfterMs);
      case "settle":
        return await this.#settle(this.#sim(step.worker), step);
      case "settle-late": {
        const late = this.#claims[step.item % Math.max(1, this.#claims.length)];
        if (!late) return;
        const name = step.worker % 3 === 0 ? this.#sim(step.worker).name : late.worker;
        return await this.#settleAll(this.#kit.worker(name), [late.item], () => DONE, planned(["late"]));
      }
      case "die":
        this.#sims[step.worker % 5] = this.#newWorker(step.worker % 5);
        return;
      case "reap":
        return await this.#reapExpired();
      case "reap-one":
        return await this.#reapOne(this.#sim(step.worker), step.blamed);
      case "pass":
        this.#kit.pass(step.ms);
        return;
      case "control":
        return await controlJob(this.#kit, this.#model, this.#job(step.job), step.to);
      case "seal":
        return await sealJob(this.#kit, this.#job(step.job));
      case "retry":
        return await retryItems(this.#kit, this.#model, this.#job(step.job), step.kinds);
      case "raise":
        return await raiseCaps(this.#kit, this.#model, this.#job(step.job), step);
      case "reopen": {
        const at = step.handle % this.#handles.length;
        const old = this.#handles[at]!;
        const fresh = await this.#kit.another();
        this.#handles[at] = fresh;
        for (const sim of this.#sims) if (sim.ledger === old) sim.ledger = fresh;
        return await old.close();
      }
      default:
        step satisfies never;
    }
  }

  async #add(job: ModelJob, { keys, lane, rejected }: Extract<Step, { do: "add" }>): Promise<void> {
    const items = planned(
      keys.map((key) => `k${key}`),
      this.#lane(lane),
    );
    const bad = Array.from({ length: rejected }, (_, i) => ({ line: i + 1, problem: "bad" }));
    const add = () => this.#handles[0]!.addItems(job.id, items, bad);
    if (job.state === "done" || job.state === "cancelled")
      return await assert.rejects(add, code("job-ended"));
    assert.deepEqual(await add(), this.#model.add(job, items));
    job.rejected += rejected;
  }

  async #claim(worker: number, room: number, names: number | undefined): Promise<void> {
    const now = this.#kit.nowMs;
    await this.#reapExpired();
    const sim = this.#sims[worker]!;
    const alone = worker >= 3;
    const running = names === undefined ? undefined : namedBy(sim, names);
    let model = this.#model.workers.get(sim.name);
    const isGivenUp = !model && sim.held.size > 0;
    const jobs = this.#model.jobs.map(({ id }) => id);
    const grant = await sim.claim(room, { jobs, alone, ...(running && { running }) });
    assert.ok(grant.items.length <= room);
    this.#slots.granted(grant.slots);
    if (isGivenUp) return assert.deepEqual(grant.items, []);
    if (!model) {
      model = { name: sim.name, isAlone: alone, until: 0, named: new Set(), sincePulse: new Set() };
      this.#model.workers.set(sim.name, model);
    }
    model.until = now + LEASE_MS;
    if (running) this.#heard(model, running, []);
    for (const item of grant.items) this.#model.claimed(item, model, now);
    this.#claims.push(...grant.items.map((item) => ({ item, worker: sim.name })));
    const slots = grant.slots.reduce((sum, { delaysMs }) => sum + delaysMs.length, 0);
    assert.equal(slots, grant.items.length, "every item comes with its first slot");
    for (const lane of LANES)
      assert.ok(this.#inFlight(lane) <= PACE.concurrency, `${this.#inFlight(lane)} in flight`);
  }

  #inFlight(lane: string): number {
    const living = this.#sims.filter(({ name }) => this.#model.workers.has(name));
    return living.reduce((sum, sim) => sum + (sim.inFlight.get(`${this.#prefix}${lane}`) ?? 0), 0);
  }

  async #pulse(sim: SimWorker, step: Extract<Step, { do: "pulse" }>): Promise<void> {
    const held = [...sim.held.values()];
    const running = namedBy(sim, step.names);
    const acting = step.acts ? running.slice(0, 1) : [];
    const wishes = held.slice(0, step.wishes).map(({ lane, queue }) => ({ lane, queue, count: 2 }));
    const returned = step.returns ? this.#slots.giveBack(sim) : [];
    const reply = await sim.pulse({ running, acting, wishes, returned });
    this.#slots.granted(reply.slots);
    const model = this.#model.workers.get(sim.name);
    assert.equal(reply.isAlive, model !== undefined);
    if (model) this.#heard(model, running, acting);
    else {
      assert.deepEqual([reply.slots, reply.unpaced], [[], []]);
      sim.held.clear();
    }
    for (const { job, queue } of [...running, ...held.slice(0, step.wishes)])
      assert.equal(reply.stopped.includes(queue), this.#isStopped(job), `${job} is stopped, or goes on`);
    const going = wishes.filter(({ queue }) => !reply.stopped.includes(queue)).map(({ lane }) => lane);
    for (const { lane } of reply.slots)
      assert.ok(going.includes(lane), `a slot in ${lane} for a stopped queue`);
  }

  #heard(model: ModelWorker, running: readonly ClaimedItem[], acting: readonly ClaimedItem[]): void {
    model.until = this.#kit.nowMs + LEASE_MS;
    model.named = new Set(running.map(refOf));
    model.sincePulse.clear();
    for (const claim of acting) {
      const item = this.#model.places.get(refOf(claim));
      if (item?.lease?.id === claim.lease && item.lease.worker === model) item.hasActed = true;
    }
  }

  #isStopped(job: string): boolean {
    const { state } = this.#model.jobs.find(({ id }) => id === job)!;
    return state === "paused" || state === "cancelled";
  }

  async #throttle(sim: SimWorker, lane: string, retryAfterMs: number): Promise<void> {
    const model = this.#model.workers.get(sim.name);
    if (!model) return;
    await sim.pulse({ lanes: [{ lane, kind: "rate-limited", count: 1, retryAfterMs }] });
    this.#heard(model, [...sim.held.values()], []);
    this.#slots.hold(lane, retryAfterMs);
  }

  async #settle(sim: SimWorker, { count, how, emits }: Extract<Step, { do: "settle" }>): Promise<void> {
    const held = [...sim.held.values()].slice(0, count);
    const lane = this.#lane(emits.length);
    const emitted = emits.flatMap((n) =>
      planned([`k${n}`], lane).map((item) => ({ ...item, scraper: n % 2 })),
    );
    await this.#settleAll(
      sim,
      held,
      (item) => outcomeOf(item, how, this.#model.hasActed(item)),
      how === "returned" ? [] : emitted,
    );
    for (const item of held) sim.held.delete(refOf(item));
  }

  async #settleAll(
    sim: SimWorker,
    items: readonly ClaimedItem[],
    how: (item: ClaimedItem) => Outcome,
    emitted: ReturnType<typeof planned>,
  ): Promise<void> {
    const settled = items.map((item) => settlement(item, how(item), { emitted }));
    const { refused } = await sim.ledger.settle(sim.name, settled);
    const expected = items.filter((item, i) => {
      const { outcome } = settled[i]!;
      return !this.#model.settle(item, sim.name, outcome, emitted, this.#kit.nowMs);
    });
    assert.deepEqual(refused.map(refOf), expected.map(refOf));
  }

  async #reapExpired(): Promise<void> {
    const dead = [...this.#model.workers.values()].filter(({ until }) => until < this.#kit.nowMs);
    const reply = await this.#handles.at(-1)!.reap({});
    assert.equal(reply.workers, dead.length);
    await this.#reaped(dead, reply);
  }

  async #reapOne(sim: SimWorker, blamed: boolean): Promise<void> {
    const model = this.#model.workers.get(sim.name);
    const cause = { blame: blamed ? "scraper" : "unknown", detail: "gone" } as const;
    const reply = await sim.ledger.reap({ worker: sim.name, cause });
    assert.equal(reply.workers, model ? 1 : 0);
    await this.#reaped(model ? [model] : [], reply);
  }

  async #reaped(
    dead: readonly ModelWorker[],
    reply: { readonly suspects: number; readonly returned: number },
  ): Promise<void> {
    const seen = dead.map((worker) => this.#model.reap(worker));
    const sum = (of: "suspects" | "returned") => seen.reduce((total, one) => total + one[of], 0);
    assert.deepEqual([reply.suspects, reply.returned], [sum("suspects"), sum("returned")]);
    for (const item of seen.flatMap(({ alone }) => alone)) {
      const { state } = await this.#kit.item(item.job.id, item.key);
      this.#model.diedAlone(item, state === "failed");
    }
  }

  /** Nothing is stuck: with living workers and time, every item ends. Then the pace is checked. */
  async finish(): Promise<void> {
    for (const job of this.#model.jobs) {
      await this.step({ do: "control", job: this.#model.jobs.indexOf(job), to: "resume" });
      await this.step({ do: "seal", job: this.#model.jobs.indexOf(job) });
    }
    for (let worker = 0; worker < 5; worker++) await this.step({ do: "die", worker });
    for (let i = 0; this.#model.jobs.some(({ state }) => state !== "done" && state !== "cancelled"); i++) {
      assert.ok(i < 400, "some items never come to their end");
      await this.step({ do: "pass", ms: 3000 });
      for (const worker of [0, 1, 2, 3, 4]) {
        await this.step(
          worker < 3 ? { do: "claim", worker, room: 6 } : { do: "claim-alone", worker: worker - 3 },
        );
        await this.step({ do: "settle", worker, count: 5, how: "done", emits: [] });
        await this.step({ do: "pulse", worker, names: 255, acts: false, wishes: 0, returns: false });
      }
    }
    this.#slots.keepPace(PACE);
  }

  #newWorker(place: number): SimWorker {
    const ledger = this.#handles[place % this.#handles.length]!;
    return this.#kit.worker(`${this.#prefix}w${place}-${this.#names++}`, ledger);
  }

  #sim(number: number): SimWorker {
    return this.#sims[number % this.#sims.length]!;
  }

  #job(number: number): ModelJob {
    return this.#model.jobs[number % this.#model.jobs.length]!;
  }

  #lane(number: number): string {
    return `${this.#prefix}${LANES[number % LANES.length]!}`;
  }
}
