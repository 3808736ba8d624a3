import { deliveryDelayMs } from "../../domain/retry.ts";
import type { WebhookAnswer, WebhookSender } from "../../ports/channel.ts";
import {
  type ClientInfo,
  type Delivery,
  type DeliveryEnd,
  JOB_ENDPOINT,
  type Registry,
} from "../../ports/registry.ts";

export interface DeliveryTools {
  readonly registry: Registry;
  readonly sender: WebhookSender;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** One try: where to and with which secrets is looked up now, so that a changed endpoint holds for what still waits. */
export const tryDelivery = async (
  { registry, sender, now, random }: DeliveryTools,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryEnd> => {
  const receiver = receiverOf(delivery, await registry.readClient(delivery.client));
  if ("problem" in receiver) return { state: "parked", error: receiver.problem };
  const answer = await sender.send({ id: delivery.id, body: delivery.body, ...receiver }, signal);
  // Stopped half-way it is unknown whether it arrived: whoever takes it next sends it again.
  if (signal.aborted && answer.result === "failed") return { state: "due", delayMs: 0, error: answer.error };
  return endOf(answer, delivery, now(), random());
};

type Receiver = { readonly url: string; readonly secrets: readonly string[] } | { readonly problem: string };

const receiverOf = ({ endpoint, url }: Delivery, client: ClientInfo | undefined): Receiver => {
  const found = client?.webhooks.find(({ id }) => id === endpoint);
  if (!found && endpoint !== JOB_ENDPOINT)
    return { problem: `the client has no endpoint ${endpoint} any more` };
  const secrets = found?.secrets ?? client?.secrets ?? client?.webhooks[0]?.secrets ?? [];
  if (secrets.length === 0)
    return {
      problem:
        "there is no secret to sign with: POST /v1/webhooks/job/rotate gives the client one, then replay",
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
