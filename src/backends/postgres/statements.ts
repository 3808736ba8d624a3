import { SETS, type LoadName } from "../../ledger/loads.ts";
import type { Kind } from "../../ledger/records.ts";
import type { QueueChange, Want } from "../../ledger/transaction.ts";
import { formOf, nameOf, type LoadForm, type OnConflict } from "../sql/statements.ts";
import { FORMATS, type RowFormat, type Type, type Value } from "../sql/tables.ts";
import { arrayOf } from "./connection.ts";
import { inPostgres, loadOf } from "./loads.ts";

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

const texts = new Map<string, string>();

const remembered = (id: string, make: () => string): string => {
  let text = texts.get(id);
  if (text === undefined) texts.set(id, (text = make()));
  return text;
};

const COLUMN_TYPES: Readonly<Record<Type, string>> = {
  number: "bigint",
  real: "double precision",
  text: "text",
  flag: "smallint",
  ended: "smallint",
  json: "json",
  list: "json",
  map: "json",
  spec: "json",
};

/** Argument lists of one load. */
export interface LoadGroup {
  readonly form: LoadForm;
  readonly wants: readonly Want[];
}

export const groupOf = (name: LoadName, wants: readonly Want[]): LoadGroup => ({
  form: formOf(name, wants),
  wants,
});

/** The rows of one load: the number of the argument list, from 1, or 0 if rows are distinguished by their keys; then the columns. */
export const selectLoad = (group: LoadGroup): Statement => ({
  text: remembered(`select ${idOf(group)}`, () => {
    const { at, from } = rowsOf(group, 1);
    return `SELECT ${at}, ${columnsOf(group.form).join(", ")} FROM ${from}`;
  }),
  values: valuesOf(group),
});

/** Rows of several loads in one view: each has the number of its load, the number of its argument list, and its values as a JSON list. */
export const unionLoads = (groups: readonly LoadGroup[]): Statement => ({
  text: remembered(`union ${groups.map(idOf).join()}`, () => {
    let next = 1;
    return groups
      .map((group, n) => {
        const { form } = group;
        const { at, from, parameters } = rowsOf(group, next);
        next += parameters;
        const columns = columnsOf(form).map((column, i) =>
          typesOf(form)[i] === "json" ? `(${column})::text` : column,
        );
        return `SELECT ${n} AS load, ${at} AS at, json_build_array(${columns.join(", ")}) AS row FROM ${from}`;
      })
      .join(" UNION ALL ");
  }),
  values: groups.flatMap(valuesOf),
});

const formatOf = (form: LoadForm): RowFormat<Kind> => FORMATS[SETS[nameOf(form)].kind];
const columnsOf = (form: LoadForm): string[] => formatOf(form).selected.map(inPostgres);
const typesOf = (form: LoadForm): string[] => formatOf(form).types.map((type) => COLUMN_TYPES[type]);

/** The arguments, if there is only one list. */
const onlyOf = ({ wants }: LoadGroup): Want["args"] | undefined =>
  wants.length === 1 ? wants[0]!.args : undefined;

const idOf = (group: LoadGroup): string =>
  `${group.form} ${JSON.stringify(onlyOf(group)?.map((arg) => arg === null))}`;

const rowsOf = (
  group: LoadGroup,
  first: number,
): { readonly at: string; readonly from: string; readonly parameters: number } => {
  const { form } = group;
  const name = nameOf(form);
  if (form === name) {
    const { from, bound } = loadOf(name);
    return { at: "w.at", from: from(first, onlyOf(group)), parameters: bound.length };
  }
  const { table, key } = formatOf(form);
  const from = `${table} t WHERE t.${key[0]} = $${first}::bigint AND t.${key[1]} = ANY ($${first + 1}::bigint[])`;
  return { at: "0", from, parameters: 2 };
};

const valuesOf = (group: LoadGroup): unknown[] => {
  const { form, wants } = group;
  const name = nameOf(form);
  if (form !== name) return [wants[0]!.args[0], arrayOf(wants.map(({ args }) => args[1]!))];
  const only = onlyOf(group);
  return loadOf(name).bound.map((at) =>
    only ? (only[at] ?? null) : arrayOf(wants.map(({ args }) => args[at] ?? null)),
  );
};

/** Minimum number of rows in a statement for sending values only once if they are the same in all rows. */
const MANY = 16;
/** A statement is planned for each set of such columns: the first few sets are the usual ones. */
const MOST_SHARED = 8;
const sharedSets = new Map<string, Set<string>>();

/** What happens to a row whose key exists. `fail`: the key cannot exist, so nothing is looked up. */
export type OnTaken = OnConflict | "fail";

/** Maximum number of rows whose values are separate parameters: arrays take longer to parse than such rows to write. */
const FEW = 4;

/** Writes records: replacing those with the same key, only if there is none, or knowing that there is none. */
export const insertRows = (kind: Kind, records: readonly object[], onTaken: OnTaken): Statement => {
  const format: RowFormat<Kind> = FORMATS[kind];
  const { table, written, key, storedTypes: types } = format;
  const columns = format.columns(records as never);
  const insert = (rows: string): string => {
    const others = written.filter((column) => !key.includes(column));
    const change =
      onTaken === "update" && others.length > 0
        ? `UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(", ")}`
        : "NOTHING";
    return `INSERT INTO ${table} (${written.join(", ")}) ${rows}${onTaken === "fail" ? "" : ` ON CONFLICT (${key.join(", ")}) DO ${change}`}`;
  };
  if (records.length <= FEW)
    return {
      text: remembered(`insert ${onTaken} ${kind} ${records.length}`, () => {
        const rows = records.map(
          (_, row) =>
            `(${types.map((type, i) => `$${row * types.length + i + 1}::${COLUMN_TYPES[type]}`).join(", ")})`,
        );
        return insert(`VALUES ${rows.join(", ")}`);
      }),
      values: records.flatMap((_, row) => columns.map((own) => own[row])),
    };
  const isJoined = !columns.some((own, i) => types[i] === "text" && own.some(hasSeparator));
  const id = `${onTaken} ${kind} ${isJoined}`;
  const shared = records.length < MANY ? NOTHING_SHARED : sharedOf(id, columns);
  return {
    text: remembered(`insert ${id} ${shared}`, () => {
      const own = written.filter((_, i) => shared[i] !== "1");
      const selected = written.map((column, i) =>
        shared[i] === "1" ? `$${i + 1}::${COLUMN_TYPES[types[i]!]}` : `r.${column}`,
      );
      const arrays = written.flatMap((_, i) => {
        if (shared[i] === "1") return [];
        const type = COLUMN_TYPES[types[i]!];
        return isJoined && isText(types[i]!)
          ? `string_to_array($${i + 1}, E'${SEPARATOR}', E'${NULL}')::${type}[]`
          : `$${i + 1}::${type}[]`;
      });
      return insert(
        `SELECT ${selected.join(", ")} FROM unnest(${arrays.join(", ")}) AS r(${own.join(", ")})`,
      );
    }),
    values: columns.map((own, i) => {
      if (shared[i] === "1") return own[0];
      return isJoined && isText(types[i]!) ? joined(own) : arrayOf(own);
    }),
  };
};

const NOTHING_SHARED = "";

/** A `1` for each column with one value in all rows, unless there are too many such sets. */
const sharedOf = (id: string, columns: readonly (readonly Value[])[]): string => {
  const set = columns.map((own) => (own.every((value) => value === own[0]) ? "1" : "0")).join("");
  let known = sharedSets.get(id);
  if (!known) sharedSets.set(id, (known = new Set()));
  if (known.size < MOST_SHARED && set.includes("0")) known.add(set);
  return known.has(set) ? set : NOTHING_SHARED;
};

/** Separator between texts, and a placeholder for null: quoting each text would take longer than everything else. JSON contains neither. */
const SEPARATOR = "\u0002";
const NULL = "\u0003";
const hasSeparator = (value: Value): boolean =>
  typeof value === "string" && (value.includes(SEPARATOR) || value.includes(NULL));
const isText = (type: Type): boolean => COLUMN_TYPES[type] === "text" || COLUMN_TYPES[type] === "json";

const joined = (values: readonly Value[]): string => values.map((value) => value ?? NULL).join(SEPARATOR);

export const deleteRows = (kind: Kind, keys: readonly (readonly string[])[]): Statement => {
  const format: RowFormat<Kind> = FORMATS[kind];
  return {
    text: remembered(`delete ${kind}`, () => {
      const { table, key, written, storedTypes } = format;
      const arrays = key.map(
        (column, i) => `$${i + 1}::${COLUMN_TYPES[storedTypes[written.indexOf(column)]!]}[]`,
      );
      return `DELETE FROM ${table} WHERE (${key.join(", ")}) IN (SELECT * FROM unnest(${arrays.join(", ")}))`;
    }),
    values: format.key.map((_, i) => arrayOf(keys.map((key) => key[i]!))),
  };
};

export const INSERT_EVENTS = `WITH last AS (UPDATE locks SET value = value + $5::bigint WHERE name = 'events' RETURNING value)
  INSERT INTO events (id, at, type, job, facts) SELECT last.value - $5::bigint + e.n, $1::double precision, e.type, e.job, e.facts
  FROM last, unnest($2::text[], $3::text[], $4::json[]) WITH ORDINALITY AS e(type, job, facts, n)`;

export const ADD_SUMS = `INSERT INTO work_sums AS w (name, value) SELECT * FROM unnest($1::text[], $2::double precision[]) s(name, value) ORDER BY name
  ON CONFLICT (name) DO UPDATE SET value = w.value + excluded.value`;

export const CHANGE_QUEUES: Readonly<Record<QueueChange, string>> = {
  open: "UPDATE queues SET is_claimable = 1 WHERE job = $1::bigint AND is_claimable = 0",
  stop: "UPDATE queues SET is_claimable = 0, is_probing = 0 WHERE job = $1::bigint AND (is_claimable = 1 OR is_probing = 1)",
  end: `UPDATE queues SET is_claimable = 0, is_probing = 0, probe_at = NULL, has_fresh = 0, due_at = NULL, open = leased, waiting = 0
    WHERE job = $1::bigint`,
};

/** See `sql/statements.ts`. */
export const REST_JOB = `UPDATE shares SET ready_at = NULL WHERE ready_at IS NOT NULL
  AND (lane, client) IN (SELECT lane, client FROM queues WHERE job = $1::bigint)
  AND NOT EXISTS (SELECT 1 FROM queues q WHERE q.lane = shares.lane AND q.client = shares.client AND q.has_work = 1)`;
export const WAKE_JOB = `UPDATE shares SET ready_at = $1::double precision WHERE (ready_at IS NULL OR ready_at > $1::double precision)
  AND lane IN (SELECT lane FROM queues WHERE job = $2::bigint)
  AND EXISTS (SELECT 1 FROM queues q WHERE q.lane = shares.lane AND q.client = shares.client AND q.has_work = 1)`;
