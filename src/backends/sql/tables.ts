import { crc32 } from "node:zlib";
import { parseSpec, writeSpec } from "../../domain/job-version.ts";
import type { JobSpec } from "../../domain/job.ts";
import { ENDED, KEYS, type Kind, type Records } from "../../ledger/records.ts";

/** How a value is stored: a `number` is whole. */
export type Type = "number" | "real" | "text" | "flag" | "json" | "list" | "map" | "spec" | "ended";

/** What is stored in a column. */
export type Value = string | number | null;

interface Table<K extends Kind> {
  readonly name: string;
  /** Fields of the record in stored order, which checksums depend on. A whole number unless a type follows the name. */
  readonly columns: string;
  /** SQL of values that are computed when a record is read; `t` is the table. */
  readonly computed?: { readonly [C in keyof Records[K]]?: string };
  /** Rows have a checksum, because neither SQLite nor the disk has one. */
  readonly isSummed?: boolean;
}

const ITEM = "queue seq key:text input:text scraper depth chain parentQueue parentSeq";

const LAST = "failure:json captures:list records:json attempt:json revision";

const RETRY = `state:text dueAt:real attempts throttles hasActed:flag blamed unexplained leaderQueue leaderSeq
  isFree:flag last:json history:list`;

/** A queue whose items limit the lane's rate. */
const IS_GOING = "@open(q) AND (q.is_claimable = 1 OR q.is_probing = 1)";

/** The kinds that are tables, with their columns. Names in SQL are those of the records, in lower case with underscores. */
const TABLES: { readonly [K in Exclude<Kind, "dueItem">]: Table<K> } = {
  service: {
    name: "service",
    columns: "id latestAt:real boot:text aheadMs:real lastQueue lastLane lastJob",
  },
  client: {
    name: "clients",
    columns: "name:text weight:real maxRunning itemsPerDay requestsPerDay bytesPerDay costPerDay:real",
  },
  lane: {
    name: "lanes",
    columns: `id name:text tat:real intervalMs:real spare:list ahead:list speed:json holdUntil:real holdReason:text crawlDelayMs:real
      crawlUntil:real operatorPerSecond:real isHeldByOperator:flag freshRun floor:real ways:map tiers:map spent:map used:real usedAt:real lowestPerSecond:real goingQueues`,
    computed: {
      lowestPerSecond: `(SELECT min(q.per_second) FROM queues q WHERE q.lane = t.id AND ${IS_GOING})`,
      goingQueues: `(SELECT count(*) FROM queues q WHERE q.lane = t.id AND ${IS_GOING})`,
    },
  },
  share: {
    name: "shares",
    columns: "lane client:text had:real readyAt:real accepted:map spent:map",
  },
  queue: {
    name: "queues",
    columns: `id job lane client:text perSecond:real burst concurrency ownPerSecond:real ownConcurrency ownNextAt:real
      ownSlots:map tail cursor open leased waiting isClaimable:flag hasFresh:flag dueAt:real priority servedAt:real
      freshness:json kinds breaker:json isDoubtful:flag held:json heldAt:real probeAt:real isProbing:flag trips
      jobId:text revision`,
    computed: {
      jobId: "(SELECT j.id FROM jobs j WHERE j.number = t.job)",
      revision: "(SELECT j.revision FROM jobs j WHERE j.number = t.job)",
    },
  },
  job: {
    name: "jobs",
    columns: `number id:text client:text spec:spec state:text isSealed:flag createdAt:real endedAt:real deadlineAt:real spentAt:real
      paused:json revision reopenedAt:real keySeed received accepted folded rejected rejects:list capped:json
      done absent failed skipped cancelled partial requests bytes fieldCounts:list failures:map
      changes:map costs:map`,
    isSummed: true,
  },
  failureTimes: { name: "failure_times", columns: "job widthMs buckets:map" },
  worker: {
    name: "workers",
    columns: `name:text until:real isAlone:flag jobs:json info:json registeredAt:real leases:list nextLease running:list
      pulseLease unsettled:list unsettledTiers:list inFlight:map runningIn:map runningBy:map stops:list lastClaim:json
      lastPulse:json`,
  },
  peer: {
    name: "workers",
    columns: `name:text isAlone:flag jobs:json inFlight:map runningIn:map runningBy:map isDraining:flag lanes:json
      kinds:json`,
    computed: {
      isDraining: "CASE WHEN CAST(t.card ->> 'isDraining' AS TEXT) IN ('true', '1') THEN 1 ELSE 0 END",
      lanes: "t.card ->> 'lanes'",
      kinds: "t.card ->> 'kinds'",
    },
  },
  example: {
    name: "",
    columns: "queue seq key:text failure:json captures:list",
    computed: {
      failure: "coalesce(CAST(r.failure AS TEXT), y.last ->> 'failure')",
      captures: "coalesce(CAST(r.captures AS TEXT), y.last ->> 'captures')",
    },
  },
  suspectGroup: {
    name: "",
    columns: "queue job lane kinds count dueAt:real",
  },
  item: { name: "items", columns: ITEM, isSummed: true },
  freshItem: {
    name: "items",
    columns: "queue seq key:text input:text scraper",
  },
  capped: { name: "capped", columns: `${ITEM} cap:text` },
  key: { name: "item_keys", columns: "job hash queue seq" },
  retry: { name: "retries", columns: `queue seq ${RETRY}`, isSummed: true },
  result: {
    name: "results",
    columns: `queue seq state:ended attempts endedAt:real quality:text skipped:json change:text ${LAST}`,
    isSummed: true,
  },
  fresh: {
    name: "fresh",
    columns: `key:text scraper:text owner:text isFailure:flag version:text job:text queue seq fetchedAt:real freshUntil:real
      outcome:text etag:text lastModified:text url:text digest:text`,
  },
  fetch: {
    name: "fetches",
    columns: "queue seq job:text client:text scraper:text version:text key:text",
  },
  baseline: { name: "baselines", columns: "scraper:text lane breaker:json" },
  label: { name: "job_labels", columns: "name:text value:text job" },
  borrowed: { name: "borrowed", columns: "owner:text queue seq" },
  robots: {
    name: "robots",
    columns: "origin:text text:text until:real fetcher:text fetchUntil:real",
  },
  removal: {
    name: "removals",
    columns: "job:text what:text step:text markedAt:real",
    computed: { job: "t.id" },
  },
  answer: { name: "answers", columns: "id:text at:real reply:json" },
  document: {
    name: "documents",
    columns: "kind:text name:text revision changedAt:real body:json",
    isSummed: true,
  },
};

const fieldsOf = (columns: string): [field: string, type: Type][] =>
  columns.split(/\s+/).map((column) => {
    const [field, type = "number"] = column.split(":");
    return [field!, type as Type];
  });

/** Columns with names that differ from their fields. */
const COLUMNS: Readonly<Record<string, string>> = { info: "card" };

const sqlName = (name: string): string =>
  COLUMNS[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const STATES = Object.fromEntries(Object.entries(ENDED).map(([name, number]) => [number, name]));
const EMPTY_LIST: readonly unknown[] = [];
const EMPTY_MAP = {};

const isEmpty = (value: object): boolean => {
  for (const _ in value) return false;
  return true;
};

const encode = (type: Type, value: unknown): Value => {
  switch (type) {
    case "number":
    case "real":
    case "text":
      return value as Value;
    case "flag":
      return value === true ? 1 : 0;
    case "list":
      return (value as readonly unknown[]).length === 0 ? null : JSON.stringify(value);
    case "map":
      return isEmpty(value as object) ? null : JSON.stringify(value);
    case "json":
      return value === null ? null : JSON.stringify(value);
    case "spec":
      return writeSpec(value as Records["job"]["spec"]);
    case "ended":
      return ENDED[value as keyof typeof ENDED];
  }
};

const decode = (type: Type, value: Value): unknown => {
  switch (type) {
    case "number":
    case "real":
    case "text":
      return value;
    case "flag":
      return value === 1;
    case "list":
      return value === null ? EMPTY_LIST : JSON.parse(value as string);
    case "map":
      return value === null ? EMPTY_MAP : JSON.parse(value as string);
    case "json":
      return value === null ? null : JSON.parse(value as string);
    case "spec":
      return readSpec(value as string);
    case "ended":
      return STATES[value as number];
  }
};

/** A kind of record as SQL sees it. */
export class RowFormat<K extends Kind> {
  readonly table: string;
  /** Columns that are written; the checksum, if there is one, comes last. */
  readonly written: readonly string[];
  /** The columns that identify a record. */
  readonly key: readonly string[];
  /** The columns that are read, in the order that `read` expects. */
  readonly selected: readonly string[];
  readonly isSummed: boolean;
  /** For selected columns, and for written ones. */
  readonly types: readonly Type[];
  readonly storedTypes: readonly Type[];
  readonly #fields: readonly (readonly [name: string, type: Type])[];
  readonly #stored: readonly (readonly [name: string, type: Type])[];

  constructor(
    kind: K,
    { name, columns, computed = {}, isSummed = false }: Table<K>,
    alias: (field: string) => string,
  ) {
    this.table = name;
    this.isSummed = isSummed;
    this.key = (KEYS[kind] as readonly string[]).map(sqlName);
    this.#fields = fieldsOf(columns);
    this.#stored = this.#fields.filter(([field]) => !(field in computed));
    this.written = [...this.#stored.map(([field]) => sqlName(field)), ...(isSummed ? ["sum"] : [])];
    this.types = this.#fields.map(([, type]) => type);
    this.storedTypes = [...this.#stored.map(([, type]) => type), ...(isSummed ? (["number"] as const) : [])];
    this.selected = this.#fields.map(
      ([field]) => (computed as Record<string, string>)[field] ?? `${alias(field)}.${sqlName(field)}`,
    );
  }

  /** `from`: where the row begins in `values`. */
  read(values: readonly Value[], from = 0): Records[K] {
    const record: Record<string, unknown> = {};
    for (let i = 0; i < this.#fields.length; i++) {
      const [name, type] = this.#fields[i]!;
      record[name] = decode(type, values[from + i]!);
    }
    return record as unknown as Records[K];
  }

  /** All columns of a stored row, the checksum last, as input of `read` and `fits`. */
  columnsOf(alias: string): string {
    return this.written.map((column) => `${alias}.${column}`).join(", ");
  }

  /** Whether a row is unchanged since it was written. */
  fits(values: readonly Value[], from = 0): boolean {
    const at = from + this.written.length - 1;
    return !this.isSummed || values[at] === rowSum(values, from, at);
  }

  /** Adds the values of a row to `into`. */
  write(record: Records[K], into: Value[]): void {
    const from = into.length;
    for (let i = 0; i < this.#stored.length; i++) {
      const [name, type] = this.#stored[i]!;
      const value = record[name as keyof Records[K]];
      into.push(
        type === "number" || type === "real" || type === "text" ? (value as Value) : encode(type, value),
      );
    }
    if (this.isSummed) into.push(rowSum(into, from));
  }

  /** The written values of many records, by column. */
  columns(records: readonly Records[K][]): Value[][] {
    const columns = this.#stored.map(([name, type]) => {
      const own: Value[] = [];
      for (const record of records) own.push(encode(type, record[name as keyof Records[K]]));
      return own;
    });
    if (this.isSummed)
      columns.push(
        records.map((_, row) => {
          let text = "";
          for (const column of columns) text += `${column[row] ?? NULL}\u0000`;
          return crc32(text);
        }),
      );
    return columns;
  }
}

/** The value that represents null: no text that Sluice writes begins like this. */
const NULL = "\u0001";

export const rowSum = (values: readonly Value[], from = 0, end = values.length): number => {
  let text = "";
  for (let i = from; i < end; i++) text += `${values[i] ?? NULL}\u0000`;
  return crc32(text);
};

const tableFormats = Object.fromEntries(
  Object.entries(TABLES).map(([kind, table]) => [
    kind,
    new RowFormat(kind as "lane", table as Table<"lane">, () => "t"),
  ]),
);

const itemFields = new Set(fieldsOf(ITEM).map(([field]) => field));

/** `dueItem` is read from two tables: `i` has the item, `t` its retry. */
export const FORMATS = {
  ...tableFormats,
  dueItem: new RowFormat("dueItem", { name: "", columns: `${ITEM} ${RETRY}` }, (field) =>
    itemFields.has(field) ? "i" : "t",
  ),
} as unknown as { readonly [K in Kind]: RowFormat<K> };

/** A job's text rarely changes, and a few jobs are requested again and again. */
const parsed = new Map<string, JobSpec>();
const MOST_PARSED = 200;

export const readSpec = (text: string): JobSpec => {
  const known = parsed.get(text);
  if (known) return known;
  const spec = parseSpec(text);
  if (parsed.size >= MOST_PARSED) parsed.delete(parsed.keys().next().value!);
  parsed.set(text, spec);
  return spec;
};
