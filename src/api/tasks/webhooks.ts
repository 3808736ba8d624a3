import type { WebhookSender } from "../../ports/channel.ts";
import { runTask, type TaskTools, wait as realWait } from "../run-task.ts";
import { type DeliveryTools, makeDeliveries } from "../webhooks/make-deliveries.ts";
import { type OnDeliveryEnd, sendDeliveries, type SendTools } from "../webhooks/send-deliveries.ts";

interface WebhookOptions extends TaskTools, DeliveryTools {
  readonly sender: WebhookSender;
  readonly concurrency?: number;
  readonly everyMs?: number;
  readonly random?: () => number;
  readonly onEnd?: OnDeliveryEnd;
}

const AWAIT_MS = 10_000;

/**
 * Notifies clients of events of their jobs. One controller at a time turns events into deliveries; all controllers send the
 * deliveries that they take.
 */
export const runWebhooks = async (options: WebhookOptions, signal: AbortSignal): Promise<void> => {
  const { everyMs = 1000 } = options;
  const making = runTask(
    options,
    { name: "deliveries", everyMs, run: (stop) => keepMaking(options, stop) },
    signal,
  );
  await Promise.all([making, keepSending(options, everyMs, signal)]);
};

/** As soon as events arrive. */
const keepMaking = async (options: WebhookOptions, stop: AbortSignal): Promise<void> => {
  const stopped = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve()));
  while (!stop.aborted) {
    const at = await makeDeliveries(options, stop);
    await Promise.race([options.ledger.events.await(at, AWAIT_MS), stopped]);
  }
};

const keepSending = async (options: WebhookOptions, everyMs: number, signal: AbortSignal): Promise<void> => {
  const { wait = realWait, report } = options;
  const tools: SendTools = {
    ...options,
    wait,
    everyMs,
    concurrency: options.concurrency ?? 16,
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
  };
  while (!signal.aborted) {
    await sendDeliveries(tools, signal).catch((error: unknown) => report("webhooks", error));
    await wait(everyMs, signal);
  }
};
