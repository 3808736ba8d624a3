/** Where people are notified that something is wrong, and that it is right again. */
export interface Channel {
  readonly name: string;
  /** Resolves once the other side has accepted the message; throws a `ChannelError` otherwise. */
  notify(message: ChannelMessage, signal: AbortSignal): Promise<void>;
}

export interface ChannelMessage {
  /** One line. */
  readonly title: string;
  /** One line for each problem, or for each problem that is over. */
  readonly lines: readonly string[];
}

/** The configuration of each kind of channel. Secrets are named by their environment variable, never written down. */
interface ChannelConfigs {
  readonly slack: {
    /** The variable with the URL of an incoming webhook. */
    readonly urlFrom: string;
  };
  readonly email: {
    /** The variable with `smtp://user:password@host:587` or `smtps://…`. */
    readonly smtpFrom: string;
    readonly from: string;
    readonly to: readonly string[];
  };
}

export type ChannelKind = keyof ChannelConfigs;
export type ChannelConfigOf<Kind extends ChannelKind> = ChannelConfigs[Kind] & {
  readonly kind: Kind;
  /** The kind unless given. */
  readonly name?: string;
};
export type ChannelConfig = { [Kind in ChannelKind]: ChannelConfigOf<Kind> }[ChannelKind];

/** The options of each kind, and what they must be. All but `name` are required. */
export const CHANNEL_OPTIONS: {
  readonly [Kind in ChannelKind]: {
    readonly [Option in keyof ChannelConfigs[Kind]]: "text" | "texts" | "variable";
  };
} = {
  slack: { urlFrom: "variable" },
  email: { smtpFrom: "variable", from: "text", to: "texts" },
};

/** Sends signed events to the webhooks of clients. */
export interface WebhookSender {
  /** Tries once. Any response is an answer, not an error. */
  send(post: WebhookPost, signal: AbortSignal): Promise<WebhookAnswer>;
}

interface WebhookPost {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** Each of them signs, so that a receiver needs to know only one. */
  readonly secrets: readonly string[];
}

export type WebhookAnswer =
  | { readonly result: "delivered"; readonly status: number }
  /** A later attempt may succeed. */
  | {
      readonly result: "failed";
      readonly status?: number;
      readonly error: string;
      readonly retryAfterMs?: number;
    }
  /** Another attempt would fail too. */
  | { readonly result: "hopeless"; readonly status?: number; readonly error: string };

type ChannelErrorCode =
  | "bad-config"
  | "bad-secret"
  | "refused"
  | "timeout"
  | "unreachable"
  | "forbidden-target"
  | "stopped";

/** The message never contains a URL or a secret: the URLs of channels are secrets. */
export class ChannelError extends Error {
  readonly code: ChannelErrorCode;
  constructor(code: ChannelErrorCode, message: string) {
    super(message);
    this.name = "ChannelError";
    this.code = code;
  }
}
