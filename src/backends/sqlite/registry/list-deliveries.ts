import type { Delivery, DeliveryQuery } from "../../../ports/registry.ts";
import type { Database } from "../database.ts";
import { type DeliveryRow, readDelivery } from "./delivery-row.ts";

/** One text for each set of filters, so that each finds its index. */
export const listDeliveries = async (db: Database, query: DeliveryQuery): Promise<Delivery[]> => {
  const filters: string[] = [];
  const values: (string | number)[] = [];
  const where = (filter: string, ...filtered: readonly string[]): void => {
    filters.push(filter);
    values.push(...filtered);
  };
  if (query.id !== undefined) where("id = ?", query.id);
  if (query.client !== undefined) where("client = ?", query.client);
  if (query.job !== undefined) where("job = ?", query.job);
  if (query.states) where(`state IN (${query.states.map(() => "?").join(", ")})`, ...query.states);
  if (query.after !== undefined) where("seq < (SELECT seq FROM deliveries WHERE id = ?)", query.after);
  const condition = filters.length === 0 ? "" : `WHERE ${filters.join(" AND ")}`;
  const text = `SELECT * FROM deliveries ${condition} ORDER BY seq DESC LIMIT ?`;
  return await db.read(() => db.all<DeliveryRow>(text, ...values, query.limit).map(readDelivery));
};
