import type { Delivery } from "../../../ports/registry.ts";

export interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly event: number;
  readonly client: string;
  readonly job: string | null;
  readonly endpoint: string;
  readonly url: string;
  readonly type: string;
  readonly body: string;
  readonly state: Delivery["state"];
  readonly attempts: number;
  readonly created_at: number;
  readonly due_at: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

export const readDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  event: row.event,
  client: row.client,
  ...(row.job === null ? {} : { job: row.job }),
  endpoint: row.endpoint,
  url: row.url,
  type: row.type,
  body: row.body,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  dueAt: row.due_at,
  ...(row.last_status === null ? {} : { lastStatus: row.last_status }),
  ...(row.last_error === null ? {} : { lastError: row.last_error }),
});
