import type { Grant, PulseReply } from "../ports/ledger.ts";
import { type Transaction, type Want, want } from "./transaction.ts";
import { eachPlace } from "./workers.ts";
import type { Worker } from "./records.ts";
import { claimed } from "./take-items.ts";

/**
 * Between machines, a response can be lost after its call took effect, and a call can arrive twice, the second time after later
 * calls. A call with an id takes effect once, and always gets the same response. Claims and pulses, which are frequent, have
 * increasing numbers instead: the worker's record has the response to the last one. A call with a lower number is too late:
 * nobody waits for its response.
 */
export const answerWants = (id: string | undefined): Want[] => (id === undefined ? [] : [want("answer", id)]);

/** A part of a call. Each part has its own transaction. */
export const partOf = (id: string | undefined, part: number): string | undefined =>
  id === undefined ? undefined : `${id}/${part}`;

export const once = <T>(tx: Transaction, id: string | undefined, work: () => T): T => {
  if (id === undefined) return work();
  const known = tx.one("answer", id);
  if (known) return (known.reply ?? undefined) as T;
  const reply = work();
  tx.put("answer", { id, at: tx.now, reply: reply ?? null });
  return reply;
};

const LATE_CLAIM: Grant = { items: [], slots: [], unpaced: [], suspects: 0 };

/** Undefined if the claim is new. */
export const repeatedClaim = (
  tx: Transaction,
  worker: Worker,
  number: number | undefined,
  until: number,
): Grant | undefined => {
  const { lastClaim } = worker;
  if (number === undefined || !lastClaim || number > lastClaim.number) return undefined;
  if (number < lastClaim.number) return LATE_CLAIM;
  const leases = worker.leases.filter(({ id }) => lastClaim.leases.includes(id));
  const places = leases.flatMap((lease) =>
    [...eachPlace(lease.open)].map((seq) => ({ lease, queue: lease.queue, seq })),
  );
  tx.need(
    ...leases.map(({ queue }) => want("queue", queue)),
    ...places.flatMap(({ queue, seq }) => [want("item", queue, seq), want("retry", queue, seq)]),
  );
  tx.need(...leases.map(({ queue }) => want("lane", tx.one("queue", queue)!.lane)));
  tx.patch("worker", worker, { until });
  const items = places.map(({ lease, queue: id, seq }) => {
    const queue = tx.one("queue", id)!;
    const item = { ...tx.one("retry", id, seq), ...tx.one("item", id, seq)! };
    return claimed(queue, tx.one("lane", queue.lane)!, lease.id, item);
  });
  return { ...lastClaim.grant, items, slots: later(lastClaim.grant.slots, tx.now - lastClaim.at) };
};

/** Undefined if the pulse is new. The response also says what has stopped since. */
export const repeatedPulse = (
  tx: Transaction,
  worker: Worker,
  number: number | undefined,
): PulseReply | undefined => {
  const { lastPulse } = worker;
  if (number === undefined || !lastPulse || number > lastPulse.number) return undefined;
  const reply = number === lastPulse.number ? lastPulse.reply : null;
  const stopped = worker.stops.map(({ queue }) => queue);
  if (!reply) return { isAlive: true, slots: [], unpaced: [], stopped, againInMs: 0 };
  return {
    ...reply,
    stopped: [...new Set([...reply.stopped, ...stopped])],
    slots: later(reply.slots, tx.now - lastPulse.at),
  };
};

/** The same slots, later by this time. */
export const later = <S extends { readonly delaysMs: readonly number[] }>(
  slots: readonly S[],
  passedMs: number,
): S[] => slots.map((grant) => ({ ...grant, delaysMs: grant.delaysMs.map((delay) => delay - passedMs) }));
