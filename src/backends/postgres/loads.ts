import { type LoadName, MOST_QUEUES } from "../../ledger/loads.ts";
import type { Want } from "../../ledger/transaction.ts";
import { LOADS } from "../sql/loads.ts";

/** The lanes of a client that are ready first. The index has seconds, so that a share that was just served keeps its position in it. */
const READY = `SELECT s.lane FROM shares s WHERE s.client = @t0 AND @ready(s)
  AND (@t3 IS NULL OR EXISTS (SELECT 1 FROM @N3 mine JOIN queues q ON q.job = mine.value AND q.lane = s.lane
    WHERE q.client = s.client AND q.has_work = 1))
  AND (@t4 IS NULL OR s.lane IN @N4)
  AND (@n5 IS NULL OR EXISTS (SELECT 1 FROM queues q WHERE q.lane = s.lane AND q.client = s.client AND q.has_work = 1 AND (q.kinds & ~@n5) = 0))`;
const IN_ORDER = "ORDER BY s.ready_s, s.ready_at, s.lane LIMIT @n1";
const READY_NOW = `${READY} AND s.ready_s <= floor(@r2 / 1000) AND s.ready_at <= @r2 ${IN_ORDER}`;

/**
 * Loads for which SQLite's form would make PostgreSQL read complete tables: it does not use a limited subquery as the first table
 * of a join.
 */
const OWN: { readonly [N in LoadName]?: string } = {
  readyShares: `w JOIN LATERAL (${READY} ${IN_ORDER}) x ON true JOIN shares t ON t.lane = x.lane AND t.client = @t0`,
  readyLanes: `w JOIN LATERAL (${READY_NOW}) x ON true JOIN lanes t ON t.id = x.lane`,
  readyNeighbours: `w JOIN LATERAL (${READY_NOW}) x ON true JOIN shares t ON t.lane = x.lane AND t.ready_at <= @r2`,
  readyQueues: `w JOIN LATERAL (${READY_NOW}) x ON true JOIN shares n ON n.lane = x.lane AND n.ready_at <= @r2 JOIN LATERAL (
    SELECT q.* FROM queues q WHERE q.lane = n.lane AND q.client = n.client AND q.has_work = 1
    ORDER BY ((@t3 IS NULL OR q.job IN @N3) AND (@n5 IS NULL OR (q.kinds & ~@n5) = 0)) DESC,
      ((q.has_fresh = 1 OR q.due_at <= @r2) AND q.own_next_at <= @r2) DESC, q.priority DESC, q.served_at LIMIT ${MOST_QUEUES + 1}) t ON true`,
  openQueuesIn: "w JOIN queues t ON t.lane = @n0 AND t.has_work = 1",
  troubledQueues: "w JOIN queues t ON t.job = @n0 AND (t.held IS NOT NULL OR t.is_doubtful = 1)",
  freshItems: `w JOIN LATERAL (SELECT i.* FROM items i WHERE i.queue = @n0 AND i.seq > @n1 ORDER BY i.seq LIMIT @n2) t ON true`,
  dueItems: `w JOIN LATERAL (SELECT r.* FROM retries r WHERE r.queue = @n0 AND r.due_at IS NOT NULL AND r.state <> 'suspect'
      ORDER BY r.due_at LIMIT @n1) t ON true JOIN items i ON i.queue = t.queue AND i.seq = t.seq`,
  failedAfter: `w JOIN LATERAL (SELECT r.* FROM queues q JOIN results r ON r.queue = q.id AND r.seq > CASE q.id WHEN @n2 THEN @n3 ELSE 0 END
    WHERE q.job = @n0 AND q.id >= @n2 AND r.state > 3 AND r.state = 5 AND (@t1 IS NULL OR r.failure ->> 'kind' IN @T1)
    ORDER BY q.id, r.seq LIMIT @n4) t ON true`,
  cappedAfter: `w JOIN LATERAL (SELECT c.* FROM queues q JOIN capped c ON c.queue = q.id AND c.seq > CASE q.id WHEN @n1 THEN @n2 ELSE 0 END
    WHERE q.job = @n0 AND q.id >= @n1 ORDER BY q.id, c.seq LIMIT @n3) t ON true`,
  keys: "w JOIN LATERAL @N1 h ON true JOIN item_keys t ON t.job = @n0 AND t.hash = h.value",
  examples: `w JOIN LATERAL (SELECT e.seq FROM (
      (SELECT e.seq, e.captures IS NULL AS bare FROM results e WHERE e.queue = @n0 AND e.state > 3
        AND e.state = CASE @t1 WHEN 'absent' THEN 4 WHEN 'failures' THEN 5 END ORDER BY e.seq DESC LIMIT 50)
      UNION ALL (SELECT e.seq, e.last -> 'captures' IS NULL FROM retries e WHERE e.queue = @n0 AND @t1 = 'failures'
        AND e.due_at IS NOT NULL AND e.state = 'waiting' ORDER BY e.due_at DESC LIMIT 50)
      UNION ALL (SELECT l.seq, l.captures IS NULL FROM (SELECT * FROM results r WHERE r.queue = @n0 ORDER BY r.seq DESC LIMIT 500) l
        WHERE l.quality = 'partial' AND @t1 NOT IN ('absent', 'failures') LIMIT 50)) e
      ORDER BY e.bare, e.seq DESC LIMIT 3) x ON true JOIN items t ON t.queue = @n0 AND t.seq = x.seq
    LEFT JOIN results r ON r.queue = t.queue AND r.seq = t.seq LEFT JOIN retries y ON y.queue = t.queue AND y.seq = t.seq`,
};

/**
 * Arguments that are the time of the transaction, which is unknown when the loads are sent: null represents it. Who asks for the
 * time notes it in this setting, because each load would take longer to read it from a table.
 */
export const NOW_SETTING = "sluice.now";
const NOW_STORED = `current_setting('${NOW_SETTING}')::double precision`;

const ARGUMENT_TYPES = { n: "bigint", r: "double precision", t: "text" } as const;

/** A load in PostgreSQL's form. */
export interface PgLoad {
  /**
   * The text after `SELECT columns FROM`; `$n` counts from 1 for the first argument of this load. Each argument is an array of
   * its values in all argument lists, or the value itself if there is only one list, which is given as `only`: such a statement
   * starts much faster.
   */
  readonly from: (firstParameter: number, only: Want["args"] | undefined) => string;
  /** Which of the arguments are bound. */
  readonly bound: readonly number[];
}

const known = new Map<LoadName, PgLoad>();

export const loadOf = (name: LoadName): PgLoad => {
  let load = known.get(name);
  if (!load) known.set(name, (load = compile(OWN[name] ?? LOADS[name])));
  return load;
};

const compile = (text: string): PgLoad => {
  const types = new Map<number, string>();
  for (const [, type, at] of text.matchAll(/@([nrtNT])(\d)/g))
    types.set(Number(at), ARGUMENT_TYPES[type!.replace(/[NT]/, "t") as "n"]);
  for (const [, at] of text.matchAll(/@most(\d)/g)) types.set(Number(at), ARGUMENT_TYPES.n);
  const bound = [...types.keys()].toSorted((a, b) => a - b);
  return {
    bound,
    from: (first, only) => {
      const body = inPostgres(only ? withoutNulls(text, only) : text);
      const values = bound.map((at, i) => `$${first + i}::${types.get(at)!}`);
      const names = bound.map((at) => `a${at}`);
      const row = [...values.map((value, i) => `${value} AS ${names[i]!}`), "1::bigint AS at"].join(", ");
      const arrays = values.map((value) => `${value}[]`).join(", ");
      const rows =
        only || bound.length === 0
          ? `(SELECT ${row}) w`
          : `unnest(${arrays}) WITH ORDINALITY AS w(${[...names, "at"].join(", ")})`;
      const mostOf = (value: string): string => (only ? value : `(SELECT max(m) FROM unnest(${value}[]) m)`);
      return `${rows}${body.replace(/^w\b/, "")}`.replace(/@most(\d)/g, (_, at: string) =>
        mostOf(values[bound.indexOf(Number(at))]!),
      );
    },
  };
};

/** Leaves out conditions on arguments that are null: even if they are never checked, their plans are started each time. */
const withoutNulls = (text: string, args: Want["args"]): string => {
  let left = text;
  for (const { index, 1: at } of [...text.matchAll(/\(@[nt](\d) IS NULL OR /g)].toReversed()) {
    if (args[Number(at)] !== null) continue;
    let end = index;
    for (let depth = 0; end === index || depth > 0; end++)
      depth += left[end] === "(" ? 1 : left[end] === ")" ? -1 : 0;
    left = `${left.slice(0, index)}true${left.slice(end)}`;
  }
  return left;
};

/** The common form for all engines, see `sql/loads.ts`, without limits. */
export const inPostgres = (text: string): string =>
  text
    .replace(/@[nt](\d)/g, "w.a$1")
    .replace(/@r(\d)/g, `coalesce(w.a$1, ${NOW_STORED})`)
    .replace(/@N(\d)/g, "(SELECT x::bigint AS value FROM json_array_elements_text(w.a$1::json) x)")
    .replace(/@T(\d)/g, "(SELECT x AS value FROM json_array_elements_text(w.a$1::json) x)")
    .replace(/@open\((\w)\)/g, "$1.is_open = 1")
    .replace(/@ready\((\w)\)/g, "$1.ready_s IS NOT NULL")
    .replace(/CROSS JOIN (\w+ \w+) ON/g, "JOIN $1 ON");
