/** Where people are told that something is wrong, and that it is right again. */
export interface Channel {
  readonly name: string;
  /** Resolves once the other side has taken the message; a `ChannelError` otherwise. */
  tell(message: ChannelMessage, signal: AbortSignal): Promise<void>;
}

export interface ChannelMessage {
  /** One line. */
  readonly title: string;
  /** One for each thing that is wrong, or right again. */
  readonly lines: readonly string[];
}

/** How a channel is configured. What opens doors is named by its environment variable, never written down. */
export type ChannelConfig =
  | {
      readonly kind: "slack";
      readonly name?: string;
      /** Holds the URL of an incoming webhook. */
      readonly urlFrom: string;
    }
  | {
      readonly kind: "email";
      readonly name?: string;
      /** Holds `smtp://user:password@host:587` or `smtps://…`. */
      readonly smtpFrom: string;
      readonly from: string;
      readonly to: readonly string[];
    };

/** Sends events to where clients want them, signed. */
export interface WebhookSender {
  /** Tries once. What the other side says is an answer, whatever it is. */
  send(post: WebhookPost, signal: AbortSignal): Promise<WebhookAnswer>;
}

interface WebhookPost {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** Every one of them signs, so that a receiver may know any. */
  readonly secrets: readonly string[];
}

export type WebhookAnswer =
  | { readonly result: "delivered"; readonly status: number }
  /** It may go better later. */
  | {
      readonly result: "failed";
      readonly status?: number;
      readonly error: string;
      readonly retryAfterMs?: number;
    }
  /** Trying again is of no use. */
  | { readonly result: "hopeless"; readonly status?: number; readonly error: string };

type ChannelErrorCode =
  | "bad-config"
  | "bad-secret"
  | "refused"
  | "timeout"
  | "unreachable"
  | "forbidden-target"
  | "stopped";

/** Its message never holds a URL or a secret: the URLs of channels open doors. */
export class ChannelError extends Error {
  readonly code: ChannelErrorCode;
  constructor(code: ChannelErrorCode, message: string) {
    super(message);
    this.name = "ChannelError";
    this.code = code;
  }
}
