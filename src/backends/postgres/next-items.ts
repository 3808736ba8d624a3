import { type Changes, type Loaded, type Want, want } from "../../ledger/transaction.ts";
import { FORMATS, type Value } from "../sql/tables.ts";
import { arrayOf, type PgConnection } from "./connection.ts";

const { freshItem } = FORMATS;

/** The items after the cursors of some queues. */
const SELECT = `SELECT w.at, q.cursor, ${freshItem.selected.join(", ")} FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w(queue, most, at)
  JOIN queues q ON q.id = w.queue JOIN LATERAL (SELECT i.* FROM items i WHERE i.queue = q.id AND i.seq > q.cursor ORDER BY i.seq LIMIT w.most) t ON true`;

/** More are not worth a guess. */
const MOST_QUEUES = 4;

/** A queue, and the number of its items that were requested. */
type Asked = readonly [queue: number, most: number];

/**
 * A claim knows which items it takes only after its first loads. If the last two claims requested the same number of the same
 * queues, the next one probably will, too: these items are loaded at once, which saves a round trip while the lock is held.
 */
export class NextItems {
  #last: readonly Asked[] = [];
  #likely: readonly Asked[] = [];

  /** Requests them, if there are any; call `keep` with the response. */
  load(connection: PgConnection): LikelyItems | undefined {
    const asked = this.#likely;
    if (asked.length === 0) return undefined;
    const answer = connection.query(SELECT, [
      arrayOf(asked.map(([queue]) => queue)),
      arrayOf(asked.map(([, most]) => most)),
    ]);
    return {
      asked,
      keep: async (into) => {
        for (const [at, rows] of Map.groupBy((await answer).rows, (row) => row[0] as number)) {
          const [queue, most] = asked[at - 1]!;
          const items = rows
            .map((row) => freshItem.read(row as Value[], 2))
            .toSorted((a, b) => a.seq - b.seq);
          into.setReadOnly(want("freshItems", queue, rows[0]![1] as number, most), items);
        }
      },
    };
  }

  /** `missed`: what a rule had to request in addition to its first loads. */
  note(likely: LikelyItems | undefined, missed: readonly Want[], { records }: Changes): void {
    const asked = missed.flatMap(({ name, args }): Asked[] =>
      name === "freshItems" ? [[args[0] as number, args[2] as number]] : [],
    );
    const isUsed = likely?.asked.every(([queue]) => records.get("queue")?.has(String(queue))) ?? true;
    if (asked.length === 0 && isUsed) return;
    const isSame = asked.length <= MOST_QUEUES && String(asked) === String(this.#last);
    this.#likely = isSame ? asked : [];
    this.#last = asked;
  }
}

export interface LikelyItems {
  readonly asked: readonly Asked[];
  readonly keep: (into: Loaded) => Promise<void>;
}
