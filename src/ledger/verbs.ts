import type { ItemRef } from "../domain/item.ts";
import type { Documents } from "../ports/documents.ts";
import type { EventLog } from "../ports/event-log.ts";
import type {
  AddReply,
  AmendedItem,
  ClaimRequest,
  Grant,
  Ledger,
  PlannedItem,
  ReapReply,
  ReapRequest,
  SettledItem,
} from "../ports/ledger.ts";
import { answerWants, later, once, partOf } from "./answers.ts";
import { ownKeys, putKeys, type ReservedKey, reservePlaces } from "./item-keys.ts";
import { claim, claimWants } from "./claim.ts";
import { cancelJob, controlJob, isQuiet } from "./control-job.ts";
import { askRobots, controlLane, keepRobots, knownRobots, setShare } from "./control-lane.ts";
import { commitDocuments, commitWants } from "./documents.ts";
import { emitItems, emitWants } from "./emit-items.ts";
import { openProbes } from "./hold-queue.ts";
import { insertWants, placeWants } from "./insert-items.ts";
import { addItems, createJob, letIn, openJob, raiseCaps, retryFailed, retryKeys, sealJob } from "./jobs.ts";
import { LIMITS, pulse, type PulseLimits, pulseWants } from "./pulse.ts";
import type { JobFacts } from "./queues.ts";
import { NOBODY, reapWorker } from "./reap.ts";
import { SettleBatch } from "./settle-batch.ts";
import { settle, settleWants } from "./settle.ts";
import { type LedgerStore, type Transaction, want, type Want, type Wants } from "./transaction.ts";
import { amendItems, changeJobVersions, emitAmended, endAmending, pinVersions } from "./versions.ts";
import { registerWorker } from "./workers.ts";

/** Maximum number of rows in one transaction, so that none holds a lock for long. */
const ADD_CHUNK = 2000;
/** Maximum number of jobs whose unchanging facts are cached. */
const MOST_KNOWN = 100;
const ADD_CHARACTERS = 512 * 1024;
const EMIT_CHUNK = 1000;
const AMEND_CHUNK = 200;
const RETRY_CHUNK = 500;
/** An item that emits costs as much as this many emitted items: its job, lanes and queues are looked up. */
const EMIT_COST = 5;

type Verbs = Pick<
  Ledger,
  | (
      | "createJob"
      | "addItems"
      | "sealJob"
      | "controlJob"
      | "retryItems"
      | "raiseCaps"
      | "pinVersions"
      | "changeVersions"
      | "amendItems"
    )
  | (
      | "isQuiet"
      | "readRobots"
      | "keepRobots"
      | "controlLane"
      | "setShare"
      | "claim"
      | "pulse"
      | "settle"
      | "reap"
      | "registerWorker"
    )
> & { readonly events: Pick<EventLog, "write">; readonly documents: Pick<Documents, "commit"> };

/**
 * The verbs that change something or follow a rule. Each is one rule in one transaction, or in several short ones; a crash may
 * happen after any of them.
 */
export const ledgerVerbs = (store: LedgerStore, own: Partial<PulseLimits> = {}): Verbs => {
  const limits: PulseLimits = { ...LIMITS, ...own };
  const { transact } = store;
  /** Takes effect once for its id, however often it is sent. */
  const act: Act = (id, work, { wants = [], isDurable = true, appends } = {}) =>
    transact(
      (now) => [...answerWants(id), ...(typeof wants === "function" ? wants(now) : wants)],
      (tx) => once(tx, id, () => work(tx)),
      isDurable,
      appends,
    );
  const upkeep = async ({ worker }: ClaimRequest): Promise<void> => {
    // A claim also counts as a sign of life.
    await reapSilent(act, { except: worker });
    await transact((now) => [want("dueProbes", now)], openProbes, false);
  };
  /** Clients that had work at the last claim: probably the same ones have work at the next. */
  let clients: readonly string[] = [];
  const claimOnce = async (request: ClaimRequest): Promise<Grant | "upkeep"> => {
    let at = 0;
    const answer = await transact(
      (now) => claimWants(request, now, clients),
      (tx) => {
        at = tx.now;
        clients = tx.list("clientsWithWork").map(({ name }) => name);
        return claim(tx, request, limits.leaseMs);
      },
      false,
    );
    return answer === "upkeep" ? answer : { ...answer, slots: later(answer.slots, store.now() - at) };
  };
  /** The facts of a job that never change, so that its inputs can be added with one round of loads. */
  const jobs = new Map<string, JobFacts>();
  const jobWants = (job: string, items: readonly PlannedItem[], wantsOf: typeof insertWants): Want[] => {
    const facts = jobs.get(job);
    return [want("jobNamed", job), want("removal", job), ...(facts ? wantsOf(facts, items) : [])];
  };
  const loadJob = (
    tx: Transaction,
    job: string,
    items: readonly PlannedItem[],
    wantsOf: typeof insertWants,
  ): void => {
    const known = tx.one("jobNamed", job);
    if (!known) return;
    tx.need(...wantsOf(known, items));
    if (jobs.size >= MOST_KNOWN) jobs.clear();
    jobs.set(job, known);
  };
  /** Of a large batch, see `reservePlaces`. */
  const reserveKeys = async (job: string, chunks: readonly (readonly PlannedItem[])[]): Promise<void> => {
    const reserved: ReservedKey[] = [];
    for (const some of chunks) {
      const reserve = (tx: Transaction): ReservedKey[] => {
        loadJob(tx, job, some, placeWants);
        return reservePlaces(tx, openJob(tx, job), some);
      };
      reserved.push(...(await transact(jobWants(job, some, placeWants), reserve, false)));
    }
    reserved.sort((a, b) => a.hash - b.hash);
    for (let from = 0; from < reserved.length; from += ADD_CHUNK) {
      const some = reserved.slice(from, from + ADD_CHUNK);
      const wants = [want("jobNamed", job), want("removal", job)];
      let stored: readonly ReservedKey[] | undefined;
      const put = (tx: Transaction): number => {
        putKeys(tx, some, () => (stored = some));
        return openJob(tx, job).number;
      };
      const number = await transact(wants, put, false);
      stored ??= await store.read([], (tx) => ownKeys(tx, number, some));
      for (const key of stored) key.batch.reserve(key);
    }
  };
  return {
    createJob: (spec) => transact([], (tx) => createJob(tx, spec)),
    addItems: async (job, items, rejected, id) => {
      const total = { accepted: 0, folded: 0, capped: 0 };
      const chunks = [...addChunks(items)];
      if (chunks.length > 1)
        await reserveKeys(
          job,
          chunks.map(([, some]) => some),
        );
      for (const [from, some] of chunks) {
        const add = (tx: Transaction): AddReply => {
          loadJob(tx, job, some, insertWants);
          return addItems(tx, job, some, from === 0 ? rejected : []);
        };
        // The last one waits for the disk, which also syncs everything written before.
        const isDurable = from === chunks.at(-1)![0];
        const wants = jobWants(job, some, insertWants);
        const reply = await act(partOf(id, from), add, { wants, isDurable });
        for (const name of Object.keys(total) as (keyof AddReply)[]) total[name] += reply[name];
      }
      return total;
    },
    sealJob: (job) => transact([], (tx) => sealJob(tx, job)),
    controlJob: (job, to, why, id) => act(id, (tx) => controlJob(tx, job, to, why)),
    isQuiet: (job) =>
      store.read([want("jobNamed", job), want("removal", job), want("workers")], (tx) => isQuiet(tx, job)),
    retryItems: async (job, { kinds, keys, isAbsentToo = false }, id) => {
      let total = 0;
      if (keys) {
        for (let from = 0; from === 0 || from < keys.length; from += RETRY_CHUNK) {
          const some = keys.slice(from, from + RETRY_CHUNK);
          total += await act(partOf(id, from), (tx) => retryKeys(tx, job, some, { kinds, isAbsentToo }));
        }
        return total;
      }
      for (let part = 0, after: ItemRef | undefined = START; after; part++) {
        const from: ItemRef = after;
        const { count, last } = await act(partOf(id, part), (tx) =>
          retryFailed(tx, job, kinds, from, RETRY_CHUNK),
        );
        total += count;
        after = last;
      }
      return total;
    },
    raiseCaps: async (job, caps, id) => {
      await act(id, (tx) => raiseCaps(tx, job, caps));
      let total = 0;
      for (let part = 0, after: ItemRef | undefined = START; after; part++) {
        const from: ItemRef = after;
        const { accepted, last } = await act(partOf(id, part), (tx) => letIn(tx, job, from, RETRY_CHUNK));
        total += accepted;
        after = last;
      }
      return total;
    },
    pinVersions: (job, pins, id) => act(id, (tx) => pinVersions(tx, job, pins)),
    changeVersions: (job, change, id) => act(id, (tx) => changeJobVersions(tx, job, change)),
    amendItems: async (job, revision, items, isLast = false) => {
      for (const some of inTransactions(items, AMEND_CHUNK)) {
        const ready: AmendedItem[] = [];
        for (const item of some) {
          const { ahead, rest } = split(item);
          for (const emitted of ahead)
            await transact([], (tx) => emitAmended(tx, job, revision, { ...item, emitted }));
          ready.push({ ...item, emitted: rest });
        }
        await transact([], (tx) => amendItems(tx, job, revision, ready));
      }
      if (isLast) await transact([], (tx) => endAmending(tx, job, revision));
    },
    controlLane: (lane, to) => transact([], (tx) => controlLane(tx, lane, to)),
    setShare: (client, share) => transact([], (tx) => setShare(tx, client, share)),
    claim: async (request) => {
      for (;;) {
        const answer = await claimOnce(request);
        if (answer !== "upkeep") return answer;
        await upkeep(request);
      }
    },
    pulse: async (report) => {
      let at = 0;
      const sentAt = store.now();
      const reply = await transact(
        pulseWants(report),
        (tx) => {
          at = tx.now;
          return pulse(tx, report, sentAt, limits);
        },
        // Changes only lanes and leases, never results: losing it in a power cut does no harm, except for acts.
        report.acting.length > 0,
      );
      return { ...reply, slots: later(reply.slots, store.now() - at) };
    },
    settle: async (worker, items, id) => {
      const refused: ItemRef[] = [];
      let part = 0;
      const nextPart = (): string | undefined => partOf(id, part++);
      for (const some of inTransactions(items, Infinity)) {
        const ready: SettledItem[] = [];
        for (const item of some)
          ready.push(item.emitted.length > EMIT_CHUNK ? await emitAhead(act, nextPart, worker, item) : item);
        const reply = await act(nextPart(), (tx) => settle(tx, worker, ready), {
          wants: settleWants(worker, ready),
          appends: ready.length,
        });
        refused.push(...reply.refused);
      }
      return { refused };
    },
    reap: async ({ worker, cause, id }: ReapRequest) => {
      if (worker !== undefined)
        return await act(id, (tx) => reapWorker(tx, worker, cause), { wants: [want("worker", worker)] });
      const reply = await reapSilent(act, { id });
      while (await transact((now) => [want("overdueJob", now)], cancelOverdue));
      return reply;
    },
    registerWorker: (info, sums = {}, id) =>
      act(
        id,
        (tx) => {
          registerWorker(tx, info);
          for (const [name, value] of Object.entries(sums)) tx.count(name as keyof typeof sums, value ?? 0);
        },
        { wants: [want("worker", info.name)], isDurable: false },
      ),
    readRobots: async (origin, worker) =>
      (await store.read([want("robots", origin)], (tx) => knownRobots(tx, origin))) ??
      (await transact([want("robots", origin)], (tx) => askRobots(tx, origin, worker), false)),
    keepRobots: (origin, answer) => transact([], (tx) => keepRobots(tx, origin, answer), false),
    events: { write: (events, id) => act(id, (tx) => void tx.events.push(...events)) },
    documents: {
      commit: (commit, id) => act(id, (tx) => commitDocuments(tx, commit), { wants: commitWants(commit) }),
    },
  };
};

type Act = <T>(
  id: string | undefined,
  work: (tx: Transaction) => T,
  options?: {
    readonly wants?: Wants;
    readonly isDurable?: boolean;
    readonly appends?: number;
  },
) => Promise<T>;

const START: ItemRef = { queue: 0, seq: 0 };

const reapSilent = async (
  act: Act,
  { id, except }: { readonly id?: string | undefined; readonly except?: string },
): Promise<ReapReply> => {
  let total = NOBODY;
  for (let part = 0; ; part++) {
    const reply = await act(
      partOf(id, part),
      (tx) => {
        const silent = tx.list("silentWorkers", tx.now).find(({ name }) => name !== except);
        if (!silent) return undefined;
        tx.need(want("worker", silent.name));
        return reapWorker(tx, silent.name, SILENT);
      },
      { wants: (now) => [want("silentWorkers", now)] },
    );
    if (!reply) return total;
    total = {
      workers: total.workers + reply.workers,
      suspects: total.suspects + reply.suspects,
      returned: total.returned + reply.returned,
    };
  }
};

const SILENT = { blame: "unknown", detail: "the worker fell silent" } as const;

/** Ends one job whose deadline has passed. False if there was none. */
const cancelOverdue = (tx: Transaction): boolean => {
  const job = tx.one("overdueJob", tx.now);
  if (!job) return false;
  tx.need(want("workers"));
  cancelJob(tx, job, { cause: "asked", reason: "deadline" });
  return true;
};

/** Short transactions, even if inputs are long. At least one, which may be empty. */
function* addChunks(
  items: readonly PlannedItem[],
): Generator<readonly [from: number, items: readonly PlannedItem[]]> {
  let from = 0;
  let characters = 0;
  for (const [at, { key, input }] of items.entries()) {
    characters += key.length + input.length;
    if (at + 1 - from < ADD_CHUNK && characters < ADD_CHARACTERS) continue;
    yield [from, items.slice(from, at + 1)];
    [from, characters] = [at + 1, 0];
  }
  if (from === 0 || from < items.length) yield [from, items.slice(from)];
}

type Emitting = { readonly emitted: readonly PlannedItem[] };

/** As many per transaction as their emitted items allow. */
function* inTransactions<T extends Emitting>(items: readonly T[], most: number): Generator<readonly T[]> {
  let some: T[] = [];
  let emitted = 0;
  for (const item of items) {
    const count = item.emitted.length === 0 ? 0 : Math.min(item.emitted.length + EMIT_COST, EMIT_CHUNK);
    if (some.length >= most || (some.length > 0 && emitted + count > EMIT_CHUNK)) {
      yield some;
      [some, emitted] = [[], 0];
    }
    some.push(item);
    emitted += count;
  }
  if (some.length > 0) yield some;
}

/** A page may emit more inputs than one short transaction can take. */
const split = ({
  emitted,
}: Emitting): { readonly ahead: readonly PlannedItem[][]; readonly rest: readonly PlannedItem[] } => {
  const ahead: PlannedItem[][] = [];
  let from = 0;
  for (; emitted.length - from > EMIT_CHUNK; from += EMIT_CHUNK)
    ahead.push(emitted.slice(from, from + EMIT_CHUNK));
  return { ahead, rest: from === 0 ? emitted : emitted.slice(from) };
};

/**
 * All but the last inputs that an item found are stored before it is settled, each chunk checked against its lease. If the worker
 * is lost in between, they stay; the item is tried again, and its inputs are folded. Returns what is left to settle.
 */
const emitAhead = async (
  act: Act,
  nextPart: () => string | undefined,
  worker: string,
  item: SettledItem,
): Promise<SettledItem> => {
  if (item.outcome.state === "returned") return item;
  const { ahead, rest } = split(item);
  for (const emitted of ahead) {
    // Not synced: the settle that follows is, and with it everything before.
    const isHeld = await act(
      nextPart(),
      (tx) => {
        if (!new SettleBatch(tx, worker).leaseOf(item)) return false;
        const { job } = tx.one("queue", item.queue)!;
        const some = { ...item, emitted, rejected: [] };
        tx.need(...emitWants(tx, job, some));
        emitItems(tx, job, some);
        return true;
      },
      {
        wants: [want("worker", worker), want("queue", item.queue), want("jobOfQueue", item.queue)],
        isDurable: false,
      },
    );
    // The settle itself is refused for the same reason.
    if (!isHeld) return { ...item, emitted: [] };
  }
  return { ...item, emitted: rest };
};
