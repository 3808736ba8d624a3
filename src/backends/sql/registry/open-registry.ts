import type { Registry } from "../../../ports/registry.ts";
import type { StepEngine } from "../steps.ts";
import {
  changeClient,
  findKey,
  listClients,
  listKeys,
  readClient,
  revokeKey,
  saveClient,
  saveKey,
  touchKey,
} from "./accounts.ts";
import { addAudit, listAudit } from "./audit.ts";
import { addDeliveries, endDelivery, listDeliveries, replayDelivery, takeDeliveries } from "./deliveries.ts";
import { beginOnce, endOnce, leaveOnce } from "./idempotency.ts";
import { dropTask, holdTask, readAlert, saveAlert } from "./tasks.ts";

/** The registry on an engine that runs steps. */
export const registryOn = (db: StepEngine): Omit<Registry, "close"> => ({
  saveClient: (client) => saveClient(db, client),
  readClient: (name) => readClient(db, name),
  changeClient: (name, change) => changeClient(db, name, change),
  listClients: () => listClients(db),
  saveKey: (key) => saveKey(db, key),
  findKey: (hash) => findKey(db, hash),
  listKeys: (client) => listKeys(db, client),
  revokeKey: (id, at) => revokeKey(db, id, at),
  touchKey: (id, at) => touchKey(db, id, at),
  beginOnce: (request) => beginOnce(db, request),
  endOnce: (client, key, answer) => endOnce(db, client, key, answer),
  leaveOnce: (client, key) => leaveOnce(db, client, key),
  holdTask: (task, holder, forMs) => holdTask(db, task, holder, forMs),
  dropTask: (task, holder) => dropTask(db, task, holder),
  addDeliveries: (deliveries) => addDeliveries(db, deliveries),
  takeDeliveries: (limit, forMs) => takeDeliveries(db, limit, forMs),
  endDelivery: (id, end) => endDelivery(db, id, end),
  listDeliveries: (query) => listDeliveries(db, query),
  replayDelivery: (id) => replayDelivery(db, id),
  readAlert: (id) => readAlert(db, id),
  saveAlert: (id, state) => saveAlert(db, id, state),
  addAudit: (entry) => addAudit(db, entry),
  listAudit: (query) => listAudit(db, query),
});
