import { ACCEPTED_DAYS, ANSWER_MS, FORGET_ADDRESS_MS, FORGET_WORKER_MS } from "../../ledger/upkeep.ts";
import type { FreshAnswer } from "../../ledger/records.ts";
import { usefulUntil } from "../../domain/freshness.ts";
import { tidyEvents } from "./event-log.ts";
import { all, arrays, run, type StepEngine, type Steps } from "./steps.ts";
import { FORMATS, type Value } from "./tables.ts";

const DAY_MS = 24 * 3_600_000;

/**
 * Deletes days beyond any quota, workers that only registered, unused addresses, ids of old calls, old events, and some expired
 * responses.
 */
export const tidyRecords = async (db: StepEngine): Promise<void> => {
  await db.write("records", tidyTables, false);
  await db.write("events", tidyEvents, false);
  await tidyFresh(db);
};

function* tidyTables(now: number): Steps<void> {
  yield* forgetDays(Math.floor(now / DAY_MS) - ACCEPTED_DAYS);
  yield* run("DELETE FROM workers WHERE until IS NULL AND registered_at < ?", now - FORGET_WORKER_MS);
  yield* run("DELETE FROM answers WHERE at < ?", now - ANSWER_MS);
  yield* run(
    `DELETE FROM lanes WHERE name > 'address:' AND name < 'address;' AND (name LIKE 'address:%.%' OR name LIKE 'address:%:%')
       AND operator_per_second IS NULL AND is_held_by_operator = 0 AND tat < ? AND NOT EXISTS (SELECT 1 FROM shares s WHERE s.lane = lanes.id)`,
    now - FORGET_ADDRESS_MS,
  );
}

function* forgetDays(firstDay: number): Steps<void> {
  const shares = yield* all<{ client: string; accepted: string }>(
    `SELECT s.client, s.accepted FROM shares s WHERE s.lane = 0
       AND EXISTS (SELECT 1 FROM @entries(s.accepted) d WHERE CAST(d.key AS BIGINT) < ?) ORDER BY s.client @lock`,
    firstDay,
  );
  for (const { client, accepted } of shares) {
    const days = Object.entries(JSON.parse(accepted) as Record<string, number>);
    const kept = days.filter(([day]) => Number(day) >= firstDay);
    yield* run(
      "UPDATE shares SET accepted = ? WHERE lane = 0 AND client = ?",
      kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept)),
      client,
    );
  }
}

type Place = readonly [key: string, scraper: string, owner: string, isFailure: number];

/** Number of entries per run; at one run per second, a round over ten million entries takes six hours. */
const PAGE = 500;
const START: Place = ["", "", "", -1];
const KEY = FORMATS.fresh.key.join(", ");

/** Position of this process in its round. An index by age would cost every settle more than this scan. */
const places = new WeakMap<StepEngine, Place>();

/** One page of entries at a time, in the order of their keys, then again from the beginning. */
const tidyFresh = async (db: StepEngine): Promise<void> => {
  const place = places.get(db) ?? START;
  const { answers, old } = await db.read((now) => oldAnswers(now, place));
  const last = answers.length < PAGE ? undefined : answers.at(-1);
  if (last) places.set(db, [last.key, last.scraper, last.owner, Number(last.isFailure)]);
  else places.delete(db);
  if (old.length > 0) await db.write("records", () => dropAnswers(old), false);
};

function* oldAnswers(now: number, place: Place): Steps<Record<"answers" | "old", FreshAnswer[]>> {
  const rows = yield* arrays<Value[]>(
    `SELECT ${FORMATS.fresh.columnsOf("t")} FROM fresh t WHERE (${KEY}) > (?, ?, ?, ?) ORDER BY ${KEY} LIMIT ${PAGE}`,
    ...place,
  );
  const answers = rows.map((row) => FORMATS.fresh.read(row));
  const isOld = (answer: FreshAnswer) => now >= usefulUntil({ ...answer, isShared: answer.owner === "" });
  return { answers, old: answers.filter(isOld) };
}

const ROW =
  "(CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS DOUBLE PRECISION))";
/** Number of rows in one statement. If there are fewer, the last is repeated, so that there is one text. */
const CHUNK = 50;
const DROP = `DELETE FROM fresh WHERE (${KEY}, fetched_at) IN (VALUES ${Array(CHUNK).fill(ROW).join(", ")})`;

/** Also by their time: an entry may have been renewed since it was read. */
function* dropAnswers(old: readonly FreshAnswer[]): Steps<void> {
  for (let from = 0; from < old.length; from += CHUNK) {
    const some = old.slice(from, from + CHUNK);
    const last = some.at(-1)!;
    while (some.length < CHUNK) some.push(last);
    const keys = some.map((one) => [one.key, one.scraper, one.owner, Number(one.isFailure), one.fetchedAt]);
    yield* run(DROP, ...keys.flat());
  }
}
