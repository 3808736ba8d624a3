import type { Dispatcher } from "undici";
import { retryAfterMs } from "../../domain/retry.ts";
import { ChannelError, type WebhookAnswer, type WebhookSender } from "../../ports/channel.ts";
import { post } from "../post.ts";
import { signWebhook } from "./sign-webhook.ts";

export interface WebhookSenderOptions {
  /** Opens the sockets. Clients choose the URLs, so it refuses private addresses. */
  readonly dispatcher?: Dispatcher;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

const GONE = 410;
const ASKS_TO_WAIT = new Set([429, 503]);

export const webhookSender = (options: WebhookSenderOptions = {}): WebhookSender => {
  const { dispatcher, timeoutMs = 15_000, now = Date.now } = options;
  return {
    async send({ id, url, body, secrets }, signal) {
      try {
        const timestampS = Math.floor(now() / 1000);
        const headers = {
          "webhook-id": id,
          "webhook-timestamp": String(timestampS),
          "webhook-signature": signWebhook(secrets, id, timestampS, body),
        };
        const { status, retryAfter } = await post({ url, headers, body, timeoutMs, signal, dispatcher });
        return answerOf(status, ASKS_TO_WAIT.has(status) ? retryAfterMs(retryAfter, now()) : undefined);
      } catch (error) {
        if (error instanceof ChannelError) return problemOf(error);
        throw error;
      }
    },
  };
};

const answerOf = (status: number, waitMs: number | undefined): WebhookAnswer => {
  if (status >= 200 && status < 300) return { result: "delivered", status };
  if (status === GONE)
    return { result: "hopeless", status, error: "it answered 410: the receiver wants no more deliveries" };
  const redirect = status >= 300 && status < 400 ? ": redirects are not followed" : "";
  return {
    result: "failed",
    status,
    error: `it answered ${status}${redirect}`,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
};

const problemOf = ({ code, message }: ChannelError): WebhookAnswer => {
  switch (code) {
    case "bad-config":
    case "bad-secret":
    case "forbidden-target":
      return { result: "hopeless", error: message };
    case "refused":
    case "timeout":
    case "unreachable":
    case "stopped":
      return { result: "failed", error: message };
  }
};
