import { ACCEPTED_DAYS, ANSWER_MS, FORGET_ADDRESS_MS, FORGET_WORKER_MS } from "../../ledger/upkeep.ts";
import { usefulUntil } from "../../domain/freshness.ts";
import { tidyEvents } from "./event-log.ts";
import type { Connection } from "./rows.ts";
import { FORMATS, type Value } from "./tables.ts";

const DAY_MS = 24 * 3_600_000;

/** Forgets days beyond any quota, workers that only registered, addresses that nobody asks, calls that nobody sends again, old events, and some answers past their use. */
export const tidyRecords = async (db: Connection): Promise<void> => {
  await db.write(() => {
    const firstDay = Math.floor(db.now() / DAY_MS) - ACCEPTED_DAYS;
    db.run(
      `UPDATE shares SET accepted = (SELECT json_group_object(d.key, d.value) FROM json_each(accepted) d WHERE CAST(d.key AS INTEGER) >= ?1)
       WHERE lane = 0 AND EXISTS (SELECT 1 FROM json_each(accepted) d WHERE CAST(d.key AS INTEGER) < ?1)`,
      firstDay,
    );
    db.run("DELETE FROM workers WHERE until IS NULL AND registered_at < ?", db.now() - FORGET_WORKER_MS);
    db.run("DELETE FROM answers WHERE at < ?", db.now() - ANSWER_MS);
    db.run(
      `DELETE FROM lanes WHERE name > 'address:' AND name < 'address;' AND (name LIKE 'address:%.%' OR name LIKE 'address:%:%')
         AND operator_per_second IS NULL AND is_held_by_operator = 0 AND tat < ? AND NOT EXISTS (SELECT 1 FROM shares s WHERE s.lane = lanes.id)`,
      db.now() - FORGET_ADDRESS_MS,
    );
    tidyEvents(db);
  }, false);
  await tidyFresh(db);
};

type Place = readonly [key: string, scraper: string, owner: string, isFailure: number];

/** Looked at each time; a second apart, a round over ten million entries takes six hours. */
const PAGE = 500;
const START: Place = ["", "", "", -1];
const KEY = FORMATS.fresh.key.join(", ");

/** How far this process has come in its round. An index by age would cost every settle more than this look. */
const places = new WeakMap<Connection, Place>();

/** A page of entries at a time, in the order of their keys and then from the beginning again. */
const tidyFresh = async (db: Connection): Promise<void> => {
  const rows = await db.read(() =>
    db.arrays<Value[]>(
      `SELECT ${FORMATS.fresh.columnsOf("t")} FROM fresh t WHERE (${KEY}) > (?, ?, ?, ?) ORDER BY ${KEY} LIMIT ${PAGE}`,
      ...(places.get(db) ?? START),
    ),
  );
  const answers = rows.map((row) => FORMATS.fresh.read(row));
  const last = rows.length < PAGE ? undefined : answers.at(-1);
  if (last) places.set(db, [last.key, last.scraper, last.owner, Number(last.isFailure)]);
  else places.delete(db);
  const old = answers.filter(
    (answer) => db.now() >= usefulUntil({ ...answer, isShared: answer.owner === "" }),
  );
  if (old.length === 0) return;
  // By its time too: it may have been fetched again since it was looked at.
  const gone = old.map(({ key, scraper, owner, isFailure, fetchedAt }) => [
    key,
    scraper,
    owner,
    Number(isFailure),
    fetchedAt,
  ]);
  await db.write(
    () =>
      db.run(
        `DELETE FROM fresh WHERE (${KEY}, fetched_at) IN
           (SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?))`,
        JSON.stringify(gone),
      ),
    false,
  );
};
