import type { ClaimedItem, Ledger, SettledItem } from "../../ledger.ts";
import { refOf } from "../sim-worker.ts";
import type { Violation } from "./history.ts";

/** A way in which a ledger can be wrong, and the law by which it is found. */
interface Mutant {
  readonly law: Violation["law"];
  /** Called once for each history, whose handles share what the mutant remembers. */
  readonly plant: () => (ledger: Ledger) => Partial<Ledger>;
}

/** A mutant that needs to remember nothing. */
const always = (law: Violation["law"], change: (ledger: Ledger) => Partial<Ledger>): Mutant => ({
  law,
  plant: () => change,
});

const settling =
  (change: (items: readonly SettledItem[]) => readonly SettledItem[]) =>
  (ledger: Ledger): Partial<Ledger> => ({ settle: (worker, items) => ledger.settle(worker, change(items)) });

/** Sees what was granted and not settled, by whom, and what was settled as done. */
const watching = (
  law: Violation["law"],
  more: (seen: {
    readonly held: readonly (readonly [worker: string, item: ClaimedItem])[];
    readonly done: readonly ClaimedItem[];
    readonly worker: string;
  }) => ClaimedItem | undefined,
): Mutant => ({
  law,
  plant: () => {
    const held = new Map<string, readonly [string, ClaimedItem]>();
    const done: ClaimedItem[] = [];
    return (ledger) => ({
      async claim(request) {
        const grant = await ledger.claim(request);
        const extra = more({ held: [...held.values()], done, worker: request.worker });
        for (const item of grant.items) held.set(refOf(item), [request.worker, item]);
        if (!extra || grant.items.length === request.room) return grant;
        return { ...grant, items: [...grant.items, extra], unpaced: [...grant.unpaced, extra.lane] };
      },
      async settle(worker, items) {
        const reply = await ledger.settle(worker, items);
        const refused = new Set(reply.refused.map(refOf));
        for (const item of items.filter((one) => !refused.has(refOf(one)))) {
          if (item.outcome.state === "done") done.push(held.get(refOf(item))![1]);
          held.delete(refOf(item));
        }
        return reply;
      },
    });
  },
});

const OTHER_LEASE = 1_000_000;

export const MUTANTS: Readonly<Record<string, Mutant>> = {
  "gives an item to a second worker": watching("one holder", ({ held, worker }) => {
    const other = held.find(([holder]) => holder !== worker)?.[1];
    return other && { ...other, lease: other.lease + OTHER_LEASE };
  }),
  "answers a claim with what it answered before": watching(
    "one holder",
    ({ held, worker }) => held.find(([holder]) => holder === worker)?.[1],
  ),
  "revives an item that is done": watching("final state", ({ done }) => {
    const [item] = done;
    return item && { ...item, lease: item.lease + OTHER_LEASE, attempt: item.attempt + 1 };
  }),
  "accepts settles under leases that were lost": always("one holder", (ledger) => ({
    async settle(worker, items) {
      await ledger.settle(worker, items);
      return { refused: [] };
    },
  })),
  "refuses a settle that it has taken": always("one end", (ledger) => ({
    async settle(worker, items) {
      await ledger.settle(worker, items);
      return { refused: items };
    },
  })),
  "loses an item of a settle": always(
    "final state",
    settling((items) => items.slice(1)),
  ),
  "ends an item otherwise than it was told": always(
    "final state",
    settling((items) =>
      items.map((item) =>
        item.outcome.state === "done" ? { ...item, outcome: { state: "absent", detail: "" } } : item,
      ),
    ),
  ),
  "does not count attempts": always(
    "attempts",
    settling((items) =>
      items.map((item) =>
        item.outcome.state === "waiting"
          ? { ...item, outcome: { ...item.outcome, countsAttempt: false } }
          : item,
      ),
    ),
  ),
  "charges what an item has cost twice": always(
    "conservation",
    settling((items) =>
      items.map((item) => ({ ...item, attempt: { ...item.attempt, requests: 2 * item.attempt.requests } })),
    ),
  ),
  "gives up workers that are alive": {
    law: "one holder",
    plant: () => {
      let claims = 0;
      let last = "";
      return (ledger) => ({
        async claim(request) {
          if (++claims % 5 === 0 && last !== request.worker) await ledger.reap({ worker: last });
          last = request.worker;
          return await ledger.claim(request);
        },
      });
    },
  },
  "does not give up a worker that is known to be dead": always("one holder", (ledger) => ({
    reap: async (request) =>
      request.worker === undefined ? await ledger.reap(request) : { workers: 1, suspects: 0, returned: 0 },
  })),
  "keeps the items of a claim whose answer was lost": always("conservation", (ledger) => ({
    async claim(request) {
      await ledger.claim({ ...request, room: 1 });
      return await ledger.claim(request);
    },
  })),
  "books slots too close to each other": always("pace", (ledger) => ({
    async claim(request) {
      const grant = await ledger.claim(request);
      return { ...grant, slots: grant.slots.map((one) => ({ ...one, delaysMs: one.delaysMs.map(() => 0) })) };
    },
  })),
  "books a returned slot twice": always("pace", (ledger) => ({
    pulse: (report) =>
      ledger.pulse({
        ...report,
        returned: report.returned.map((one) => ({ ...one, delaysMs: [...one.delaysMs, ...one.delaysMs] })),
      }),
  })),
  "does not wait as long as a site has asked for": always("pace", (ledger) => ({
    pulse: (report) =>
      ledger.pulse({
        ...report,
        lanes: report.lanes.map(({ lane, kind, count }) => ({ lane, kind, count })),
      }),
  })),
  "gives items without slots": always("pace", (ledger) => ({
    async claim(request) {
      const grant = await ledger.claim(request);
      return { ...grant, slots: grant.slots.slice(1) };
    },
  })),
  "loses an input": always("conservation", (ledger) => ({
    async addItems(job, items, rejected) {
      const reply = await ledger.addItems(job, items.slice(1), rejected);
      return { ...reply, accepted: reply.accepted + items.slice(0, 1).length };
    },
  })),
  "counts an item as done that is not": always("conservation", (ledger) => ({
    async readJob(job) {
      const view = await ledger.readJob(job);
      if (!view || view.counts.states.queued === 0) return view;
      const { queued, done, ...states } = view.counts.states;
      const counts = { ...view.counts, states: { ...states, queued: queued - 1, done: done + 1 } };
      return { ...view, counts };
    },
  })),
  "counts an input that it never had": always("conservation", (ledger) => ({
    async readJob(job) {
      const view = await ledger.readJob(job);
      return view && { ...view, counts: { ...view.counts, received: view.counts.received + 1 } };
    },
  })),
  "reads what was true before": {
    law: "conservation",
    plant: () => {
      const known = new Map<string, Awaited<ReturnType<Ledger["readJob"]>>>();
      return (ledger) => ({
        async readJob(job) {
          const before = known.get(job);
          known.set(job, await ledger.readJob(job));
          return before ?? known.get(job);
        },
      });
    },
  },
  "lists an item that is done as queued": always("final state", (ledger) => ({
    async listItems(job, query) {
      const page = await ledger.listItems(job, query);
      const items = page.items.map((item) =>
        item.state === "done" ? { ...item, state: "queued" as const } : item,
      );
      return { ...page, items };
    },
  })),
  "gives items of a job that was paused": always("stop means stop", (ledger) => ({
    controlJob: async (job, to) => (to === "pause" ? undefined : await ledger.controlJob(job, to)),
  })),
  "books slots for requests of a job that was stopped": always("stop means stop", (ledger) => ({
    async pulse(report) {
      const reply = await ledger.pulse(report);
      const slots = report.wishes.map(({ lane, queue }) => ({ lane, queue, delaysMs: [900], lateMs: 0 }));
      return reply.stopped.length > 0 ? { ...reply, slots } : reply;
    },
  })),
};
