import { EVERY_ADDRESS } from "../../model/address-lane.ts";
import { defaultBurst } from "../../model/slots.ts";
import type { Database } from "./database.ts";
import { laneId, laneRow } from "./lane-row.ts";
import type { AddressPace } from "./own-pace.ts";

/** Requests a second that an operator lets each address have; undefined where none was set, as by default. */
const perAddress = (db: Database): number | undefined =>
  db.get<{ operator_per_second: number | null }>(
    "SELECT operator_per_second FROM lanes WHERE name = ?",
    EVERY_ADDRESS,
  )?.operator_per_second ?? undefined;

/** For workers: whether requests need a slot of the address that they go to as well. */
export const pacesAddresses = (db: Database): { readonly pacesAddresses?: true } =>
  perAddress(db) === undefined ? {} : { pacesAddresses: true };

/** The limit of one address, where there is one. An operator may set that of a single one apart, and hold it. */
export const addressPace = (db: Database, name: string | undefined): AddressPace | undefined => {
  const every = name === undefined ? undefined : perAddress(db);
  if (name === undefined || every === undefined) return undefined;
  const lane = laneRow(db, laneId(db, name));
  const perSecond = lane.operator_per_second ?? every;
  return { lane, tat: lane.tat, intervalMs: 1000 / perSecond, burst: defaultBurst(perSecond) };
};

const IDLE_MS = 3_600_000;

/** Addresses come and go: those that nobody has asked for an hour, and no operator has spoken of, are forgotten. */
export const forgetAddresses = (db: Database): void => {
  db.run(
    `DELETE FROM lanes WHERE name GLOB 'address:*[.:]*' AND operator_per_second IS NULL AND operator_held = 0 AND tat < ?
     AND NOT EXISTS (SELECT 1 FROM queues WHERE queues.lane = lanes.id)`,
    db.now() - IDLE_MS,
  );
};
