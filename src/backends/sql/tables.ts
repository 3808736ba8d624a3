import { crc32 } from "node:zlib";
import { ENDED, type Kind, KEYS, type Records } from "../../ledger/records.ts";
import { writeSpec } from "../../domain/job-version.ts";
import { readSpec } from "./read-spec.ts";

/** How a value is stored. */
type Type = "number" | "text" | "flag" | "json" | "list" | "map" | "spec" | "ended";

/** What is stored in a column. */
export type Value = string | number | null;

interface Table<K extends Kind> {
  readonly name: string;
  readonly columns: { readonly [C in keyof Records[K]]: Type };
  /** SQL of values that are computed when a record is read; `t` is the table. */
  readonly computed?: { readonly [C in keyof Records[K]]?: string };
  /** Rows have a checksum, for neither SQLite nor a disk keeps one. */
  readonly isSummed?: boolean;
}

const ITEM = {
  queue: "number",
  seq: "number",
  key: "text",
  input: "text",
  scraper: "number",
  depth: "number",
  chain: "number",
  parentQueue: "number",
  parentSeq: "number",
} as const;

const LAST = {
  failure: "json",
  captures: "list",
  records: "json",
  attempt: "json",
  revision: "number",
} as const;

const RETRY = {
  state: "text",
  dueAt: "number",
  attempts: "number",
  throttles: "number",
  hasActed: "flag",
  blamed: "number",
  unexplained: "number",
  leaderQueue: "number",
  leaderSeq: "number",
  isFree: "flag",
  last: "json",
  history: "list",
} as const;

/** A queue whose items bind the lane's rate. */
const IS_GOING = "q.open > 0 AND (q.is_claimable = 1 OR q.is_probing = 1)";

/** The kinds that are tables, with their columns. Names in SQL are those of the records, in lower case with underscores. */
const TABLES: { readonly [K in Exclude<Kind, "dueItem">]: Table<K> } = {
  service: {
    name: "service",
    columns: {
      id: "number",
      latestAt: "number",
      boot: "text",
      aheadMs: "number",
      lastQueue: "number",
      lastLane: "number",
      lastJob: "number",
    },
  },
  client: {
    name: "clients",
    columns: { name: "text", weight: "number", maxRunning: "number", itemsPerDay: "number" },
  },
  lane: {
    name: "lanes",
    columns: {
      id: "number",
      name: "text",
      tat: "number",
      intervalMs: "number",
      spare: "list",
      ahead: "list",
      speed: "json",
      holdUntil: "number",
      holdReason: "text",
      crawlDelayMs: "number",
      crawlUntil: "number",
      operatorPerSecond: "number",
      isHeldByOperator: "flag",
      freshRun: "number",
      floor: "number",
      lowestPerSecond: "number",
      goingQueues: "number",
    },
    computed: {
      lowestPerSecond: `(SELECT min(q.per_second) FROM queues q WHERE q.lane = t.id AND ${IS_GOING})`,
      goingQueues: `(SELECT count(*) FROM queues q WHERE q.lane = t.id AND ${IS_GOING})`,
    },
  },
  share: {
    name: "shares",
    columns: { lane: "number", client: "text", had: "number", readyAt: "number", accepted: "map" },
  },
  queue: {
    name: "queues",
    columns: {
      id: "number",
      job: "number",
      lane: "number",
      client: "text",
      perSecond: "number",
      burst: "number",
      concurrency: "number",
      ownPerSecond: "number",
      ownConcurrency: "number",
      ownNextAt: "number",
      ownSlots: "map",
      tail: "number",
      cursor: "number",
      open: "number",
      leased: "number",
      waiting: "number",
      isClaimable: "flag",
      hasFresh: "flag",
      dueAt: "number",
      priority: "number",
      servedAt: "number",
      freshness: "json",
      kinds: "number",
      breaker: "json",
      isDoubtful: "flag",
      held: "json",
      heldAt: "number",
      probeAt: "number",
      isProbing: "flag",
      trips: "number",
      jobId: "text",
      revision: "number",
    },
    computed: {
      jobId: "(SELECT j.id FROM jobs j WHERE j.number = t.job)",
      revision: "(SELECT j.revision FROM jobs j WHERE j.number = t.job)",
    },
  },
  job: {
    name: "jobs",
    columns: {
      number: "number",
      id: "text",
      client: "text",
      spec: "spec",
      state: "text",
      isSealed: "flag",
      createdAt: "number",
      endedAt: "number",
      deadlineAt: "number",
      spentAt: "number",
      paused: "json",
      revision: "number",
      reopenedAt: "number",
      keySeed: "number",
      received: "number",
      accepted: "number",
      folded: "number",
      rejected: "number",
      rejects: "list",
      capped: "json",
      done: "number",
      absent: "number",
      failed: "number",
      skipped: "number",
      cancelled: "number",
      partial: "number",
      requests: "number",
      bytes: "number",
      fieldCounts: "list",
      failures: "map",
      changes: "map",
    },
    isSummed: true,
  },
  worker: {
    name: "workers",
    columns: {
      name: "text",
      until: "number",
      isAlone: "flag",
      jobs: "json",
      card: "json",
      registeredAt: "number",
      leases: "list",
      nextLease: "number",
      running: "list",
      pulseLease: "number",
      unsettled: "list",
      inFlight: "map",
      runningIn: "map",
      runningBy: "map",
      stops: "list",
      lastClaim: "json",
      lastPulse: "json",
    },
  },
  peer: {
    name: "workers",
    columns: {
      name: "text",
      isAlone: "flag",
      jobs: "json",
      inFlight: "map",
      runningIn: "map",
      runningBy: "map",
      isDraining: "flag",
      lanes: "json",
      kinds: "json",
    },
    computed: {
      isDraining: "coalesce(t.card ->> 'isDraining', 0)",
      lanes: "t.card ->> 'lanes'",
      kinds: "t.card ->> 'kinds'",
    },
  },
  example: {
    name: "",
    columns: { queue: "number", seq: "number", key: "text", failure: "json", captures: "list" },
    computed: {
      failure: "coalesce(r.failure, y.last ->> 'failure')",
      captures: "coalesce(r.captures, y.last ->> 'captures')",
    },
  },
  suspectGroup: {
    name: "",
    columns: {
      queue: "number",
      job: "number",
      lane: "number",
      kinds: "number",
      count: "number",
      dueAt: "number",
    },
  },
  item: { name: "items", columns: ITEM, isSummed: true },
  freshItem: {
    name: "items",
    columns: { queue: "number", seq: "number", key: "text", input: "text", scraper: "number" },
  },
  capped: { name: "capped", columns: { ...ITEM, cap: "text" } },
  key: { name: "item_keys", columns: { job: "number", hash: "number", queue: "number", seq: "number" } },
  retry: { name: "retries", columns: { queue: "number", seq: "number", ...RETRY }, isSummed: true },
  result: {
    name: "results",
    columns: {
      queue: "number",
      seq: "number",
      state: "ended",
      attempts: "number",
      endedAt: "number",
      quality: "text",
      skipped: "json",
      change: "text",
      ...LAST,
    },
    isSummed: true,
  },
  fresh: {
    name: "fresh",
    columns: {
      key: "text",
      scraper: "text",
      owner: "text",
      isFailure: "flag",
      version: "text",
      job: "text",
      queue: "number",
      seq: "number",
      fetchedAt: "number",
      freshUntil: "number",
      outcome: "text",
      etag: "text",
      lastModified: "text",
      url: "text",
      digest: "text",
    },
  },
  fetch: {
    name: "fetches",
    columns: {
      queue: "number",
      seq: "number",
      job: "text",
      client: "text",
      scraper: "text",
      version: "text",
      key: "text",
    },
  },
  baseline: { name: "baselines", columns: { scraper: "text", lane: "number", breaker: "json" } },
  label: { name: "job_labels", columns: { name: "text", value: "text", job: "number" } },
  borrowed: { name: "borrowed", columns: { owner: "text", queue: "number", seq: "number" } },
  robots: {
    name: "robots",
    columns: { origin: "text", text: "text", until: "number", fetcher: "text", fetchUntil: "number" },
  },
  removal: {
    name: "removals",
    columns: { job: "text", what: "text", step: "text", markedAt: "number" },
    computed: { job: "t.id" },
  },
  answer: { name: "answers", columns: { id: "text", at: "number", reply: "json" } },
};

const sqlName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

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
  /** Columns that are written; the checksum, where there is one, comes last. */
  readonly written: readonly string[];
  /** Those that name a record. */
  readonly key: readonly string[];
  /** What is read, in the order in which `read` takes it. */
  readonly selected: readonly string[];
  readonly isSummed: boolean;
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
    this.#fields = Object.entries(columns) as [string, Type][];
    this.#stored = this.#fields.filter(([field]) => !(field in computed));
    this.written = [...this.#stored.map(([field]) => sqlName(field)), ...(isSummed ? ["sum"] : [])];
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

  /** All columns of a stored row, the checksum last: `read` and `fits` take them. */
  columnsOf(alias: string): string {
    return this.written.map((column) => `${alias}.${column}`).join(", ");
  }

  /** Whether a row is as it was written. */
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
      into.push(type === "number" || type === "text" ? (value as Value) : encode(type, value));
    }
    if (this.isSummed) into.push(rowSum(into, from));
  }
}

/** What a null counts as: no text that Sluice writes begins so. */
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

/** `dueItem` is read from two tables: `i` has the item, `t` its retry. */
export const FORMATS = {
  ...tableFormats,
  dueItem: new RowFormat("dueItem", { name: "", columns: { ...ITEM, ...RETRY } }, (field) =>
    field in ITEM ? "i" : "t",
  ),
} as unknown as { readonly [K in Kind]: RowFormat<K> };
