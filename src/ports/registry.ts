import type { AuditEntry } from "../domain/audit.ts";
import type { CollectorKind } from "../domain/job-version.ts";

/**
 * What a service stores besides its jobs: clients and keys, idempotency keys, task holders and deliveries. A separate port, because none of it
 * changes together with items.
 */
export interface Registry {
  saveClient(client: ClientInfo): Promise<void>;
  readClient(name: string): Promise<ClientInfo | undefined>;
  /** In one step: concurrent changes are not lost. If `change` returns undefined, nothing changes; returns the stored value. */
  changeClient(
    name: string,
    change: (client: ClientInfo | undefined) => ClientInfo | undefined,
  ): Promise<ClientInfo | undefined>;
  listClients(): Promise<readonly ClientInfo[]>;

  /** The key itself is shown once and never stored; only its `hash` is. */
  saveKey(key: KeyInfo): Promise<void>;
  findKey(hash: string): Promise<KeyInfo | undefined>;
  listKeys(client?: string): Promise<readonly KeyInfo[]>;
  revokeKey(id: string, at: number): Promise<boolean>;
  /** At most once a minute for each key. */
  touchKey(id: string, at: number): Promise<void>;

  /**
   * The answer to an earlier request with this key; `begun` for the first one, which must then report how it ended. A different request with the same
   * key is recognised by its fingerprint. A first request without an answer may have created something: the next one gets the id that was drawn for
   * it, and finds it.
   */
  beginOnce(request: OnceRequest): Promise<OnceReply>;
  /** The first answer is kept. */
  endOnce(client: string, key: string, answer: OnceAnswer): Promise<void>;
  /** It has no final answer: the same request may start again at once. */
  leaveOnce(client: string, key: string): Promise<void>;

  /** True for one holder at a time, until the hold expires: no two controllers run a task. */
  holdTask(task: string, holder: string, forMs: number): Promise<boolean>;
  dropTask(task: string, holder: string): Promise<void>;

  /** Folded by event and endpoint: making them twice makes no second delivery. */
  addDeliveries(deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Due deliveries, hidden from others for `forMs`. For each URL of a client only the oldest, and none while another is in flight: this keeps their
   * order, and a slow receiver delays only itself. Clients take turns. A client, or a receiver's host, with deliveries in flight gets another only
   * while `limit` leaves more places than that, so one place is always left for those without any.
   */
  takeDeliveries(limit: number, forMs: number): Promise<readonly Delivery[]>;
  /** How an attempt ended: delivered, to be retried, or parked. A delivered event stays delivered, whatever a late taker reports. */
  endDelivery(id: string, end: DeliveryEnd): Promise<void>;
  /** The newest first. Those at their end are forgotten after a month. */
  listDeliveries(query: DeliveryQuery): Promise<readonly Delivery[]>;
  /** Parked or delivered, it is tried once more, at once. */
  replayDelivery(id: string): Promise<boolean>;

  /** The state of sent alerts, so that none is repeated and each gets an end: a JSON text under a name. */
  readAlert(id: string): Promise<string | undefined>;
  saveAlert(id: string, state: string | null): Promise<void>;

  /** What operators have changed. Kept for 400 days, and at most 200,000 entries. */
  addAudit(entry: AuditEntry): Promise<void>;
  /** The newest first. */
  listAudit(query: AuditQuery): Promise<readonly StoredAudit[]>;

  close(): Promise<void>;
}

/** Each may do what those after it may, but for workers: they have the ledger and the archive, and nothing else. */
export const ROLES = ["admin", "operator", "client", "worker"] as const;
export type Role = (typeof ROLES)[number];

export interface ClientInfo {
  readonly name: string;
  readonly weight: number;
  /** Items that its jobs may accept per day (UTC); default: no limit. */
  readonly itemsPerDay?: number;
  /** What its jobs may spend per day (UTC), see `ClientShares`; default: no limit. */
  readonly requestsPerDay?: number;
  readonly bytesPerDay?: number;
  readonly costPerDay?: number;
  /** Of its items, how many may run at a time. */
  readonly maxRunning?: number;
  /** API requests a minute. */
  readonly requestsPerMinute?: number;
  /** How many of its jobs may be open at a time; default 1,000. */
  readonly maxOpenJobs?: number;
  /** Bytes that its jobs may have fetched and still keep; default: no limit. */
  readonly maxStoredBytes?: number;
  /** Where its events are sent, and the secrets that sign them: the newest first, older ones until they are removed. */
  readonly webhooks: readonly WebhookEndpoint[];
  /** Sign deliveries to webhooks that jobs name, like those of an endpoint. */
  readonly secrets?: readonly string[];
  /** As of an endpoint. */
  readonly rotatedAs?: string;
  /** The id that was drawn for it by the request that created it. */
  readonly madeAs?: string;
  readonly createdAt: number;
}

/** Stands for the webhook that a job names itself: no endpoint has this id. */
export const JOB_ENDPOINT = "job";

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secrets: readonly string[];
  /** The name that was drawn for the newest secret: a request that is made again does not rotate twice. */
  readonly rotatedAs?: string;
  /** Types of events; default: all. */
  readonly events?: readonly string[];
}

export interface KeyInfo {
  readonly id: string;
  readonly client: string;
  readonly role: Role;
  /** sha256, hex. */
  readonly hash: string;
  /** The first characters, to recognise the key. */
  readonly prefix: string;
  readonly createdAt: number;
  readonly revokedAt?: number;
  readonly usedAt?: number;
}

export interface OnceRequest {
  readonly client: string;
  readonly key: string;
  /** Hash of method, path and body. */
  readonly fingerprint: string;
  /** How long the answer is kept. */
  readonly keepMs: number;
  /** Drawn for the thing that it will create. */
  readonly name: string;
}

export interface OnceAnswer {
  readonly status: number;
  readonly body: string;
}

export type OnceReply =
  /** `name` differs from the given one if this is not the first attempt: the thing with that name may already exist. */
  | { readonly begun: true; readonly name: string }
  /** The first one has not ended; after a minute without an end it may be repeated. */
  | { readonly begun: false; readonly isUnderWay: true }
  | { readonly begun: false; readonly answer: OnceAnswer }
  | { readonly begun: false; readonly isOther: true };

export interface NewDelivery {
  /** As in the header `webhook-id`: the same for every try. */
  readonly id: string;
  readonly event: number;
  readonly client: string;
  readonly job?: string;
  readonly endpoint: string;
  readonly url: string;
  readonly type: string;
  /** The body, as it will be signed. */
  readonly body: string;
}

export interface Delivery extends NewDelivery {
  readonly state: "due" | "delivered" | "parked";
  /** Tries whose end is known. */
  readonly attempts: number;
  readonly createdAt: number;
  readonly dueAt: number;
  readonly lastStatus?: number;
  readonly lastError?: string;
}

export type DeliveryEnd =
  | { readonly state: "delivered"; readonly status: number }
  | { readonly state: "due"; readonly delayMs: number; readonly status?: number; readonly error: string }
  | { readonly state: "parked"; readonly status?: number; readonly error: string };

export interface DeliveryQuery {
  readonly id?: string;
  readonly client?: string;
  readonly job?: string;
  readonly states?: readonly Delivery["state"][];
  /** Id of the last one of the page before. */
  readonly after?: string;
  readonly limit: number;
}

export interface StoredAudit extends AuditEntry {
  readonly id: number;
}

export interface AuditQuery {
  readonly actor?: string;
  readonly action?: string;
  readonly sinceAt?: number;
  /** Id of the last one of the page before. */
  readonly before?: number;
  readonly limit: number;
}

/** A worker's identity and what it takes. */
export interface WorkerInfo {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** Identifies the namespace of its `pid`: the boot of the machine, and the container. Omitted if the system does not report it. */
  readonly space?: string;
  readonly version: string;
  readonly concurrency: number;
  /** How many items that need a browser it can run at once; none if it takes only jobs without a browser. */
  readonly browserConcurrency?: number;
  /** Its part of the machine. */
  readonly cores?: number;
  readonly memoryMb?: number;
  readonly lanes?: readonly string[];
  readonly kinds?: readonly CollectorKind[];
  /** Finishes its leased items and takes no more. */
  readonly isDraining: boolean;
}

export interface WorkerView extends Partial<WorkerInfo> {
  readonly name: string;
  readonly isAlone: boolean;
  /** Claimed and not settled. */
  readonly items: number;
  readonly holds: readonly { readonly job: string; readonly lane: string; readonly items: number }[];
  /** Until its leases end, should it stay silent. */
  readonly leaseMs: number;
}
