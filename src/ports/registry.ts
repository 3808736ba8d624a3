import type { AuditEntry } from "../domain/audit.ts";
import type { CollectorKind } from "../domain/job-version.ts";

/**
 * What a service knows beside its jobs: who may do what, what was asked before, whose turn a task is, and what is still to be delivered. In
 * its own port, because none of it changes together with items.
 */
export interface Registry {
  saveClient(client: ClientInfo): Promise<void>;
  readClient(name: string): Promise<ClientInfo | undefined>;
  /** In one step: what others save meanwhile is not lost. Undefined from `change` leaves it as it is; answers what is there then. */
  changeClient(
    name: string,
    change: (client: ClientInfo | undefined) => ClientInfo | undefined,
  ): Promise<ClientInfo | undefined>;
  listClients(): Promise<readonly ClientInfo[]>;

  /** The key itself is shown once and never stored: `hash` is what is kept of it. */
  saveKey(key: KeyInfo): Promise<void>;
  findKey(hash: string): Promise<KeyInfo | undefined>;
  listKeys(client?: string): Promise<readonly KeyInfo[]>;
  revokeKey(id: string, at: number): Promise<boolean>;
  /** At most once a minute for each key. */
  touchKey(id: string, at: number): Promise<void>;

  /**
   * The answer to a request that was made before with this key; `begun` for the first, which then has to say how it ended. Another request under the
   * same key is told by its fingerprint. A first one that came to no answer may have made something all the same: the next gets the name that
   * was drawn for it, and finds it there.
   */
  beginOnce(request: OnceRequest): Promise<OnceReply>;
  /** The first answer stands. */
  endOnce(client: string, key: string, answer: OnceAnswer): Promise<void>;
  /** It came to no answer that stands: the same request may begin again at once. */
  leaveOnce(client: string, key: string): Promise<void>;

  /** True for one holder at a time, until the time is over: several controllers do no task twice. */
  holdTask(task: string, holder: string, forMs: number): Promise<boolean>;
  dropTask(task: string, holder: string): Promise<void>;

  /** Folded by event and endpoint: making them twice makes no second delivery. */
  addDeliveries(deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Those that are due, hidden from others for `forMs`. Of one client's URL, the oldest, and none while another of it is in flight:
   * so their order is kept and a slow receiver holds up only itself. Clients take turns. A client, or a receiver's host, with some in flight gets another
   * only while `limit` leaves more places than that: one is always left for those that have none in flight.
   */
  takeDeliveries(limit: number, forMs: number): Promise<readonly Delivery[]>;
  /** How a try ended: delivered, again after a while, or parked. What has been delivered stays so, whatever a late taker says. */
  endDelivery(id: string, end: DeliveryEnd): Promise<void>;
  /** The newest first. Those at their end are forgotten after a month. */
  listDeliveries(query: DeliveryQuery): Promise<readonly Delivery[]>;
  /** Parked or delivered, it is tried once more, at once. */
  replayDelivery(id: string): Promise<boolean>;

  /** What alerts have said, so that none is repeated and each is taken back: a JSON text under a name. */
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
  /** Items that its jobs may accept in a day (UTC); no limit when left out. */
  readonly itemsPerDay?: number;
  /** What its jobs may spend in a day (UTC), see `ClientShares`; no limit when left out. */
  readonly requestsPerDay?: number;
  readonly bytesPerDay?: number;
  readonly costPerDay?: number;
  /** Of its items, how many may run at a time. */
  readonly maxRunning?: number;
  /** API requests a minute. */
  readonly requestsPerMinute?: number;
  /** Of its jobs, how many may be open at a time; 1,000 when left out. */
  readonly maxOpenJobs?: number;
  /** Bytes that its jobs may have fetched and still keep; no limit when left out. */
  readonly maxStoredBytes?: number;
  /** Where its events go, and with which secrets they are signed: the newest first, older ones until they are taken away. */
  readonly webhooks: readonly WebhookEndpoint[];
  /** Sign what goes to the webhook that a job names itself: as those of an endpoint. */
  readonly secrets?: readonly string[];
  /** As of an endpoint. */
  readonly rotatedAs?: string;
  /** The name that was drawn for it by the request that made it. */
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
  /** Types of events; all when left out. */
  readonly events?: readonly string[];
}

export interface KeyInfo {
  readonly id: string;
  readonly client: string;
  readonly role: Role;
  /** sha256, hex. */
  readonly hash: string;
  /** The first characters, to tell keys apart by. */
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
  /** Drawn for what it will make. */
  readonly name: string;
}

export interface OnceAnswer {
  readonly status: number;
  readonly body: string;
}

export type OnceReply =
  /** `name` is another than the one given where this is not the first try: what bears it may be there already. */
  | { readonly begun: true; readonly name: string }
  /** The first one is not at its end; after a minute without one it may be made again. */
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

/** Who a worker is and what it takes. */
export interface WorkerInfo {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  /** Names what its `pid` counts in: the machine since it was started, and the container. Left out where the system does not tell. */
  readonly space?: string;
  readonly version: string;
  readonly concurrency: number;
  /** Items at once that need a browser; none where it takes only jobs without. */
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
