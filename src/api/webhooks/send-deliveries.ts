import { deliveryDelayMs } from "../../domain/retry.ts";
import type { WebhookAnswer, WebhookSender } from "../../ports/channel.ts";
import {
  type ClientInfo,
  type Delivery,
  type DeliveryEnd,
  JOB_ENDPOINT,
  type Registry,
} from "../../ports/registry.ts";
import type { Wait } from "../run-task.ts";

/** Called with the end of each attempt. */
export type OnDeliveryEnd = (delivery: Delivery, end: DeliveryEnd) => void;

export interface SendTools extends DeliveryTools {
  readonly wait: Wait;
  /** Concurrent requests. */
  readonly concurrency: number;
  /** How often to check for more due deliveries while some are being sent. */
  readonly everyMs: number;
  readonly report: (task: string, error: unknown) => void;
  readonly onEnd?: OnDeliveryEnd | undefined;
}

/** Longer than an attempt may take: after that, its controller is considered dead. Until then its receiver waits. */
const TAKE_MS = 20_000;

/**
 * Sends due deliveries until none is due or in progress. A free place is filled at once: a slow receiver occupies one place and does not delay the round.
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

/** If sending or recording fails, the delivery is handed out again after its time. */
const sendOne = async (tools: SendTools, delivery: Delivery, signal: AbortSignal): Promise<void> => {
  try {
    const end = await tryDelivery(tools, delivery, signal);
    await tools.registry.endDelivery(delivery.id, end);
    tools.onEnd?.(delivery, end);
  } catch (error) {
    tools.report("webhooks", error);
  }
};

interface DeliveryTools {
  readonly registry: Registry;
  readonly sender: WebhookSender;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** One attempt. The URL and the secrets are read now, so that changes apply to waiting deliveries. */
const tryDelivery = async (
  { registry, sender, now, random }: DeliveryTools,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryEnd> => {
  const receiver = receiverOf(delivery, await registry.readClient(delivery.client));
  if ("problem" in receiver) return { state: "parked", error: receiver.problem };
  const answer = await sender.send({ id: delivery.id, body: delivery.body, ...receiver }, signal);
  // If it was stopped half-way, it may have arrived or not: it is sent again.
  if (signal.aborted && answer.result === "failed") return { state: "due", delayMs: 0, error: answer.error };
  return endOf(answer, delivery, now(), random());
};

type Receiver = { readonly url: string; readonly secrets: readonly string[] } | { readonly problem: string };

const receiverOf = ({ endpoint, url }: Delivery, client: ClientInfo | undefined): Receiver => {
  const found = client?.webhooks.find(({ id }) => id === endpoint);
  if (!found && endpoint !== JOB_ENDPOINT) return { problem: `the client no longer has webhook ${endpoint}` };
  const secrets = found?.secrets ?? client?.secrets ?? client?.webhooks[0]?.secrets ?? [];
  if (secrets.length === 0)
    return {
      problem: "there is no secret to sign with: create one with POST /v1/webhooks/job/rotate, then replay",
    };
  return { url: found?.url ?? url, secrets };
};

const endOf = (answer: WebhookAnswer, delivery: Delivery, now: number, random: number): DeliveryEnd => {
  switch (answer.result) {
    case "delivered":
      return { state: "delivered", status: answer.status };
    case "hopeless": {
      const { result: _, ...facts } = answer;
      return { state: "parked", ...facts };
    }
    case "failed": {
      const { result: _, retryAfterMs, ...facts } = answer;
      const ageMs = now - delivery.createdAt;
      const delayMs = deliveryDelayMs({ attempts: delivery.attempts + 1, ageMs, retryAfterMs, random });
      return delayMs === undefined ? { state: "parked", ...facts } : { state: "due", delayMs, ...facts };
    }
    default:
      return answer satisfies never;
  }
};
