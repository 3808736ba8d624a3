import type { QueueChange, Want } from "../../ledger/transaction.ts";
import { SETS, type LoadName } from "../../ledger/loads.ts";
import { LOADS, ONLY, ORDERED } from "./loads.ts";
import { FORMATS, type RowFormat } from "./tables.ts";
import type { Kind } from "../../ledger/records.ts";

/** A load of many records by keys with the same first part: their rows need no number of the argument list. */
export type LoadForm = LoadName | `${ByKey} of one`;
type ByKey = "key" | "item" | "retry" | "result" | "capped" | "fetch";
const BY_KEY: ReadonlySet<string> = new Set<ByKey>(["key", "item", "retry", "result", "capped", "fetch"]);

export const formOf = (name: LoadName, wants: readonly Want[]): LoadForm =>
  wants.length > 1 && BY_KEY.has(name) && wants.every(({ args }) => args[0] === wants[0]!.args[0])
    ? `${name as ByKey} of one`
    : name;

export const nameOf = (form: LoadForm): LoadName => form.replace(" of one", "") as LoadName;

const texts = new Map<string, string>();

/** The text of a statement is built once. */
const remembered = (id: string, make: () => string): string => {
  let text = texts.get(id);
  if (text === undefined) texts.set(id, (text = make()));
  return text;
};

/**
 * One query for sets of several kinds: each row has the number of its load, the number of its argument list, and its values as a
 * JSON list.
 */
export const unionOf = (forms: readonly LoadForm[]): string =>
  remembered(`union ${forms.join()}`, () =>
    forms
      .map((form, n) => {
        const { at, from } = rowsOf(form, n + 1);
        const columns = columnsOf(nameOf(form));
        return `SELECT ${n} AS load, ${at} AS at, json_array(${columns}) AS row FROM ${from}`;
      })
      .join(" UNION ALL "),
  );

/** The same for one load, with plain values: the number of the argument list, then the columns. */
export const selectOf = (form: LoadForm): string =>
  remembered(`select ${form}`, () => {
    const { at, from } = rowsOf(form, 1);
    return `SELECT ${at}, ${columnsOf(nameOf(form))} FROM ${from}`;
  });

/** One argument list of a load that may return many rows, each argument bound separately: the rows come in order. */
export const selectOnly = (name: LoadName): string | undefined => {
  const from = ONLY[name];
  return from && remembered(`only ${name}`, () => `SELECT ${columnsOf(name)} FROM ${from}`);
};

const columnsOf = (name: LoadName): string => inSqlite(FORMATS[SETS[name].kind].selected.join(", "));

/** The common form for all engines, see `loads.ts`. */
const inSqlite = (text: string): string =>
  text
    .replace(/@[nrt](\d)/g, "(w.value ->> $1)")
    .replace(/@[NT](\d)/g, "(SELECT value FROM json_each(w.value ->> $1))")
    .replace(/@most(\d)/g, "(SELECT max(m.value ->> $1) FROM json_each(@args) m)")
    .replace(/@open\((\w)\)/g, "$1.open > 0")
    .replace(/@ready\((\w)\)/g, "$1.ready_at IS NOT NULL");

/** `n`: the number of the statement's parameter with the argument lists. */
const rowsOf = (form: LoadForm, n: number): { readonly at: string; readonly from: string } => {
  const name = nameOf(form);
  if (form === name)
    return { at: "w.key", from: `json_each(?${n}) ${inSqlite(LOADS[name]).replaceAll("@args", `?${n}`)}` };
  const { table, key } = FORMATS[SETS[name].kind];
  return {
    at: "-1",
    from: `${table} t WHERE t.${key[0]} = (?${n} ->> 0) AND t.${key[1]} IN (SELECT value FROM json_each(?${n}, '$[1]'))`,
  };
};

/** Sorts a list. */
export const inOrder = <R extends object>({ name, args }: Want, records: R[]): R[] => {
  const order = ORDERED[name];
  if (!order) return records;
  const valueOf = (record: R, column: string) => record[column as keyof R] as number;
  records.sort((a, b) => {
    const column = order.by.find((one) => valueOf(a, one) !== valueOf(b, one));
    return column === undefined ? 0 : valueOf(a, column) - valueOf(b, column);
  });
  return order.limit === undefined ? records : records.slice(0, Number(args[order.limit]));
};

/** Argument lists by load, in the order of the wants. */
export const groupWants = (wants: readonly Want[]): Map<LoadName, Want[]> =>
  Map.groupBy(wants, ({ name }) => name);

export const argsOf = (form: LoadForm, wants: readonly Want[]): string =>
  JSON.stringify(
    form === wants[0]!.name
      ? wants.map(({ args }) => args)
      : [wants[0]!.args[0], wants.map(({ args }) => args[1])],
  );

/**
 * Numbers of rows for which statements are made, including those of full batches: missing rows are filled with nulls, which are
 * ignored.
 */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 384, 500, 768, 1000, 1536, 2000] as const;
/** The maximum that SQLite accepts in one statement. */
const MOST_VALUES = 32_766;

/** Maximum number of rows that one statement writes. */
export const mostRows = ({ written }: RowFormat<Kind>): number =>
  SIZES.findLast((size) => size * written.length <= MOST_VALUES)!;

export const sizeFor = (rows: number): number => SIZES.find((size) => size >= rows)!;

/** What happens to a row whose key exists. */
export type OnConflict = "update" | "nothing";

/**
 * How rows are written: their number; with `isFull` none of them is a filler. Columns with the same value in all rows (`shared`)
 * are bound once.
 */
interface Insert {
  readonly rows: number;
  readonly isFull: boolean;
  readonly onConflict: OnConflict;
  readonly shared: readonly number[];
}

export const insertOf = (format: RowFormat<Kind>, insert: Insert): string => {
  const { rows, isFull, onConflict, shared } = insert;
  return remembered(`insert ${rows} ${isFull} ${onConflict} ${format.table} ${shared.join()}`, () =>
    insertText(format, insert),
  );
};

const insertText = (
  { table, written, key }: RowFormat<Kind>,
  { rows, isFull, onConflict, shared }: Insert,
): string => {
  const others = written.filter((column) => !key.includes(column));
  const isUpdate = onConflict === "update" && others.length > 0;
  const change = isUpdate ? `UPDATE SET ${others.map((c) => `${c} = excluded.${c}`).join(", ")}` : "NOTHING";
  const columns = [...shared.map((n) => written[n]!), ...written.filter((_, n) => !shared.includes(n))];
  const row = columns.map((_, n) => (n < shared.length ? `?${n + 1}` : "?")).join(", ");
  const values = `VALUES ${Array.from({ length: rows }, () => `(${row})`).join(", ")}`;
  // Keys come first: the first column that differs is part of the key, and null only in a filler.
  const kept = isFull ? values : `SELECT * FROM (${values}) WHERE column${shared.length + 1} IS NOT NULL`;
  return `INSERT INTO ${table} (${columns.join(", ")}) ${kept} ON CONFLICT (${key.join(", ")}) DO ${change}`;
};

/** Deletes the rows with these keys, given as a JSON list of lists. */
export const deleteOf = ({ table, key }: RowFormat<Kind>): string =>
  `DELETE FROM ${table} WHERE (${key.join(", ")}) IN (SELECT ${key.map((_, n) => `value ->> ${n}`).join(", ")} FROM json_each(?))`;

export const INSERT_EVENTS = `INSERT INTO events (at, type, job, facts)
  SELECT ?1, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?2)`;
export const ADD_SUMS = `INSERT INTO work_sums (name, value) SELECT value ->> 0, value ->> 1 FROM json_each(?) WHERE true
  ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`;
export const CHANGE_QUEUES: Readonly<Record<QueueChange, string>> = {
  open: "UPDATE queues SET is_claimable = 1 WHERE job = ? AND is_claimable = 0",
  stop: "UPDATE queues SET is_claimable = 0, is_probing = 0 WHERE job = ? AND (is_claimable = 1 OR is_probing = 1)",
  end: `UPDATE queues SET is_claimable = 0, is_probing = 0, probe_at = NULL, has_fresh = 0, due_at = NULL, open = leased, waiting = 0
    WHERE job = ?`,
};
/** Claims no longer consider lanes in which the client has nothing left to give out. */
export const REST_JOB = `UPDATE shares SET ready_at = NULL WHERE ready_at IS NOT NULL
  AND (lane, client) IN (SELECT lane, client FROM queues WHERE job = ?)
  AND NOT EXISTS (SELECT 1 FROM queues q WHERE q.lane = shares.lane AND q.client = shares.client AND q.is_claimable = 1
    AND (q.has_fresh = 1 OR q.due_at IS NOT NULL))`;
/** Lanes of a job in which something may be ready, and lanes that others share with it: its rate limits them again, or no longer. */
export const WAKE_JOB = `UPDATE shares SET ready_at = ?1 WHERE (ready_at IS NULL OR ready_at > ?1) AND lane IN (SELECT lane FROM queues WHERE job = ?2)
  AND EXISTS (SELECT 1 FROM queues q WHERE q.lane = shares.lane AND q.client = shares.client AND q.is_claimable = 1
    AND (q.has_fresh = 1 OR q.due_at IS NOT NULL))`;
