import type { Delivery, DeliveryEnd } from "../../ports/registry.ts";
import type { Wait } from "../wait.ts";
import { type DeliveryTools, tryDelivery } from "./try-delivery.ts";

/** Hears how a try ended. */
export type OnDeliveryEnd = (delivery: Delivery, end: DeliveryEnd) => void;

export interface SendTools extends DeliveryTools {
  readonly wait: Wait;
  /** Requests under way at a time. */
  readonly concurrency: number;
  /** How often it is looked whether more is due, while some are under way. */
  readonly everyMs: number;
  readonly report: (task: string, error: unknown) => void;
  readonly onEnd?: OnDeliveryEnd | undefined;
}

/** Longer than a try may take: after that, its taker is taken for dead. Until then a dead one's receiver hears nothing. */
const TAKE_MS = 20_000;

/**
 * Sends what is due until nothing is, neither due nor under way. A place that gets free is filled at once: one slow receiver holds a place, not
 * the round.
 */
export const sendDeliveries = async (tools: SendTools, signal: AbortSignal): Promise<void> => {
  const { registry, concurrency, everyMs, wait } = tools;
  const underWay = new Set<Promise<void>>();
  try {
    while (!signal.aborted) {
      const free = concurrency - underWay.size;
      const taken = free > 0 ? await registry.takeDeliveries(free, TAKE_MS) : [];
      for (const delivery of taken) {
        const sending: Promise<void> = sendOne(tools, delivery, signal).finally(() =>
          underWay.delete(sending),
        );
        underWay.add(sending);
      }
      if (underWay.size === 0) return;
      await untilOneEnds(underWay, everyMs, wait, signal);
    }
  } finally {
    await Promise.all(underWay);
  }
};

const untilOneEnds = async (
  underWay: ReadonlySet<Promise<void>>,
  everyMs: number,
  wait: Wait,
  signal: AbortSignal,
): Promise<void> => {
  const stop = new AbortController();
  await Promise.race([...underWay, wait(everyMs, AbortSignal.any([signal, stop.signal]))]);
  stop.abort();
};

/** What cannot be sent or written down is given again when its time is over. */
const sendOne = async (tools: SendTools, delivery: Delivery, signal: AbortSignal): Promise<void> => {
  try {
    const end = await tryDelivery(tools, delivery, signal);
    await tools.registry.endDelivery(delivery.id, end);
    tools.onEnd?.(delivery, end);
  } catch (error) {
    tools.report("webhooks", error);
  }
};
