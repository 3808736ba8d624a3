import type { Role } from "./api-types.ts";

/** Null stands for no limit. */
interface Quotas {
  readonly itemsPerDay: number | null;
  readonly maxRunning: number | null;
  readonly requestsPerMinute: number | null;
  readonly maxOpenJobs: number | null;
  readonly maxStoredBytes: number | null;
}

export interface Client extends Quotas {
  readonly name: string;
  readonly weight: number;
  readonly createdAt: string;
}

export interface CreatedClient extends Client {
  /** Checks the signature of what goes to the webhooks that its jobs name themselves. Shown this once, as a key is. */
  readonly webhookSecret?: string;
}

export interface NewClient extends Partial<Quotas> {
  readonly name: string;
  readonly weight?: number;
}

export interface Key {
  readonly id: string;
  readonly client: string;
  readonly role: Role;
  /** The first characters, to tell keys apart by. */
  readonly prefix: string;
  readonly createdAt: string;
  readonly usedAt?: string;
  readonly revokedAt?: string;
}

export interface CreatedKey extends Key {
  /** Shown this once; absent when the answer had to be asked for a second time. */
  readonly key?: string;
}

export interface Me {
  readonly client: string;
  readonly role: Role;
  /** Id of the key; none on loopback where the server has no keys. */
  readonly key?: string;
  readonly quotas: Quotas & { readonly weight: number };
  readonly itemsLeftToday: number | null;
  readonly version?: string;
}
