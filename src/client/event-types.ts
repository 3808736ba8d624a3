/** Something that happened to a job, as it happened. */
export interface LiveEvent {
  /** As in webhooks; `reset` where events were missed: ask for the jobs anew. */
  readonly type: string;
  /** To go on after it, as `lastEventId`; none on `job.progress`, which is not kept. */
  readonly id?: string;
  readonly timestamp?: string;
  /** `job`, `client`, `scraper`, `state`, `counts`, and what the type has beside. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface EventQuery {
  readonly job?: string;
  readonly type?: readonly string[];
}

export interface Listening {
  /** The last event that was heard: those after it come first. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
}

/** Where a client's events are sent. */
export interface Webhook {
  /** `job` stands for the webhooks that jobs name themselves. */
  readonly id: string;
  readonly url: string;
  /** All when left out. */
  readonly events?: readonly string[];
  /** How many secrets what is sent is signed with. */
  readonly secrets: number;
}

export interface WebhookWithSecret extends Webhook {
  /** Shown this once; absent when the answer had to be asked for a second time. */
  readonly secret?: string;
}

export interface NewWebhook {
  readonly url: string;
  readonly events?: readonly string[];
}

/** Of another client: for admins. */
export interface Owner {
  readonly client?: string;
}

export type DeliveryState = "due" | "delivered" | "parked";

/** One event for one receiver. */
export interface Delivery {
  /** As in the header `webhook-id`. */
  readonly id: string;
  readonly client: string;
  readonly job?: string;
  readonly webhook: string;
  readonly url: string;
  readonly type: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly createdAt: string;
  /** When it is tried next. */
  readonly dueAt?: string;
  readonly lastStatus?: number;
  readonly lastError?: string;
}

export interface DeliveryQuery {
  readonly job?: string;
  readonly state?: readonly DeliveryState[];
  /** Of another client: for operators. */
  readonly client?: string;
}
