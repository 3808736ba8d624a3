import type { ClaimedItem } from "../src/ports/ledger.ts";
import { settledPage } from "./settled-page.ts";

/** A result row an item with what Sluice's own has, for programs that know no ledger. */
export const CREATE_RESULTS = `CREATE TABLE results (
  queue bigint NOT NULL, seq bigint NOT NULL, state smallint NOT NULL, attempts bigint NOT NULL, ended_at double precision NOT NULL,
  quality text, captures json, records json, attempt json, PRIMARY KEY (queue, seq))`;

export const INSERT_RESULTS = `INSERT INTO results SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::smallint[], $4::bigint[],
  $5::double precision[], $6::text[], $7::json[], $8::json[], $9::json[])`;

/** What the result is made from. */
export type ResultOf = Pick<ClaimedItem, "queue" | "seq" | "key">;

/** The arguments of `INSERT_RESULTS`. */
export const resultColumns = (items: readonly ResultOf[], worker: string): unknown[][] => {
  const columns: unknown[][] = Array.from({ length: 9 }, () => []);
  for (const item of items) {
    const { captures, records, attempt } = settledPage({ ...item, lease: 1 } as ClaimedItem);
    const { startedAt, ms, requests, bytes } = attempt;
    const row = [
      item.queue,
      item.seq,
      1,
      1,
      startedAt + ms,
      "complete",
      JSON.stringify(captures),
      JSON.stringify(records),
      JSON.stringify([startedAt, ms, requests, bytes, worker, null, 1]),
    ];
    for (const [at, value] of row.entries()) columns[at]!.push(value);
  }
  return columns;
};
