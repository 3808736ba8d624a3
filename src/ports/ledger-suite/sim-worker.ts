import type { Failure, FailureKind } from "../../domain/failure.ts";
import type { ItemRef, Outcome } from "../../domain/item.ts";
import type {
  ClaimedItem,
  ClaimRequest,
  Grant,
  Ledger,
  OutcomeReport,
  PlannedItem,
  PulseReply,
  PulseReport,
  SettledItem,
  SettleReply,
  SlotGrant,
} from "../ledger.ts";

/** A slot at its time on the ledger's clock. */
export interface BookedSlot {
  readonly lane: string;
  readonly at: number;
  readonly lateMs: number;
}

export const refOf = ({ queue, seq }: ItemRef): string => `${queue}/${seq}`;

export const DONE: Outcome = { state: "done", quality: "complete" };
export const UNCHANGED: Outcome = { state: "skipped", reason: "unchanged", quality: "complete" };
export const RETURNED: Outcome = { state: "returned" };

export const failure = (kind: FailureKind, detail = `a ${kind}`): Failure => ({ kind, detail });
export const failed = (kind: FailureKind): Outcome => ({ state: "failed", failure: failure(kind) });
export const waiting = (delayMs: number, kind: FailureKind = "timeout", countsAttempt = true): Outcome => ({
  state: "waiting",
  delayMs,
  failure: failure(kind),
  countsAttempt,
});

export const settlement = (
  item: ClaimedItem,
  outcome: Outcome,
  own: Partial<SettledItem> = {},
): SettledItem => ({
  queue: item.queue,
  seq: item.seq,
  lease: item.lease,
  outcome,
  attempt: { startedAt: 0, ms: 5, requests: 1, bytes: 100 },
  captures: [],
  records: null,
  fieldCounts: null,
  emitted: [],
  ...own,
});

/** Speaks the port as a worker does, and knows which items it holds. It runs nothing. */
export class SimWorker {
  readonly name: string;
  ledger: Ledger;
  readonly held = new Map<string, ClaimedItem>();
  readonly slots: BookedSlot[] = [];
  readonly #now: () => number;

  constructor(name: string, ledger: Ledger, now: () => number) {
    this.name = name;
    this.ledger = ledger;
    this.#now = now;
  }

  get inFlight(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { lane } of this.held.values()) counts.set(lane, (counts.get(lane) ?? 0) + 1);
    return counts;
  }

  async claim(room = 100, own: Partial<ClaimRequest> = {}): Promise<Grant> {
    const grant = await this.ledger.claim({ worker: this.name, room, inFlight: this.inFlight, ...own });
    for (const item of grant.items) this.held.set(refOf(item), item);
    this.#keep(grant.slots);
    return grant;
  }

  /** Claims, and answers the items alone. */
  async take(room = 100, own: Partial<ClaimRequest> = {}): Promise<readonly ClaimedItem[]> {
    return (await this.claim(room, own)).items;
  }

  async takeKeys(room = 100, own: Partial<ClaimRequest> = {}): Promise<string[]> {
    return (await this.take(room, own)).map((item) => item.key);
  }

  async takeAlone(): Promise<ClaimedItem | undefined> {
    return (await this.take(1, { alone: true }))[0];
  }

  async pulse(own: Partial<PulseReport> = {}): Promise<PulseReply> {
    const reply = await this.ledger.pulse({
      worker: this.name,
      running: [...this.held.values()],
      unsettled: [],
      acting: [],
      inFlight: this.inFlight,
      wishes: [],
      returned: [],
      refunds: [],
      outcomes: [],
      lanes: [],
      crawlDelays: [],
      ...own,
    });
    this.#keep(reply.slots);
    return reply;
  }

  /** Tells outcomes of first attempts. */
  async tell(
    queue: number,
    result: OutcomeReport["result"],
    times = 1,
    missing: readonly string[] = [],
  ): Promise<PulseReply> {
    const outcome: OutcomeReport = { queue, result, attempt: 1, missing };
    return await this.pulse({ outcomes: Array.from({ length: times }, () => outcome) });
  }

  async settle(
    items: readonly ClaimedItem[],
    outcome: Outcome = DONE,
    own: Partial<SettledItem> = {},
  ): Promise<SettleReply> {
    for (const item of items) this.held.delete(refOf(item));
    return await this.ledger.settle(
      this.name,
      items.map((item) => settlement(item, outcome, own)),
    );
  }

  async emit(item: ClaimedItem, emitted: readonly PlannedItem[]): Promise<SettleReply> {
    return await this.settle([item], DONE, { emitted });
  }

  #keep(grants: readonly SlotGrant[]): void {
    for (const { lane, delaysMs, lateMs } of grants)
      for (const delay of delaysMs) this.slots.push({ lane, at: this.#now() + delay, lateMs });
  }
}
