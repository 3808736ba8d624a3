import type { Documents } from "./documents.ts";
import type { EventLog } from "./event-log.ts";
import type { Ledger } from "./ledger.ts";
import type { Removals } from "./removals.ts";

/**
 * The ledger between machines: one POST for each call, `/v1/ledger/VERB`, whose body is the list of arguments and whose answer is a list of one value.
 * A change to the arguments or the answer of a verb raises the number.
 */
export const PROTOCOL = 4;
export const PROTOCOL_HEADER = "sluice-protocol";
/** The program and its version, for people to read. */
export const VERSION_HEADER = "sluice-version";

/** The answer of `GET /v1/ledger`, besides the headers. */
export interface Greeting {
  /** Of the blob store, see `Blobs`. */
  readonly gatherMs: number;
}

/**
 * Each answer has the name of its process and the time on its monotonic clock: this shows how much longer an answer took than others. A request says
 * how late it probably is by the same clock.
 */
export const CLOCK_HEADER = "sluice-clock";

/** `awaitWork` and `events.await` are answered within this time, and asked again. */
export const LONGEST_WAIT_MS = 2000;
/** Of the body of a call. */
export const MOST_CALL_BYTES = 32 * 1024 * 1024;
/** Bytes of one answer with a part of an object; a longer part takes several requests. */
export const MOST_RANGE_BYTES = 4 * 1024 * 1024;
export const MOST_OBJECT_BYTES = 16 * 1024 ** 3;
/** With an object that is sent: its SHA-256, in hex. */
export const DIGEST_HEADER = "sluice-sha256";

export type WireVerb =
  | Exclude<keyof Ledger, "close" | "events" | "removals" | "documents">
  | `events.${keyof EventLog}`
  | `removals.${keyof Removals}`
  | `documents.${keyof Documents}`;

/** Who may call it: workers or, for what workers do not need, only admins. */
export const WIRE_VERBS: Readonly<Record<WireVerb, "worker" | "admin">> = {
  claim: "worker",
  awaitWork: "worker",
  pulse: "worker",
  settle: "worker",
  reap: "worker",
  registerWorker: "worker",
  readJob: "worker",
  listItems: "worker",
  readFresh: "worker",
  readSpending: "worker",
  readBacklog: "worker",
  readRobots: "worker",
  keepRobots: "worker",
  /** A worker may only pause. */
  controlJob: "worker",
  createJob: "admin",
  addItems: "admin",
  sealJob: "admin",
  isQuiet: "admin",
  retryItems: "admin",
  raiseCaps: "admin",
  pinVersions: "admin",
  changeVersions: "admin",
  amendItems: "admin",
  listJobs: "admin",
  readFailures: "admin",
  sumOpenJobs: "admin",
  listLanes: "admin",
  listJobLanes: "admin",
  controlLane: "admin",
  setShare: "admin",
  countAccepted: "admin",
  countOpenJobs: "admin",
  countKeptBytes: "admin",
  listWorkers: "admin",
  readWorkSums: "admin",
  tidy: "admin",
  "events.read": "admin",
  "events.move": "admin",
  "events.forget": "admin",
  "events.last": "admin",
  "events.await": "admin",
  "events.write": "admin",
  "removals.mark": "admin",
  "removals.read": "admin",
  "removals.list": "admin",
  "removals.open": "admin",
  "removals.advance": "admin",
  "removals.release": "admin",
  "removals.endBytes": "admin",
  "removals.due": "admin",
  "removals.freed": "admin",
  "removals.forget": "admin",
  "removals.endSweep": "admin",
  "documents.read": "admin",
  "documents.list": "admin",
  "documents.commit": "admin",
};

/** JSON, and beside it maps, undefined in lists, and numbers that are not finite: objects with one member whose name begins with `$`. */
export const encode = (value: unknown): string => JSON.stringify(toWire(value));

export const decode = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  return text.includes('"$') ? fromWire(value) : value;
};

const toWire = (value: unknown): unknown => {
  if (typeof value === "number") return Number.isFinite(value) ? value : { $number: String(value) };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return value.map((each) => (each === undefined ? { $nothing: true } : toWire(each)));
  if (value instanceof Map) return { $map: [...value].map(toWire) };
  const members: Record<string, unknown> = {};
  // Also values that are computed when they are read.
  for (const [name, each] of Object.entries(value))
    setOwn(members, name.startsWith("$") ? `$${name}` : name, toWire(each));
  return members;
};

const fromWire = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(fromWire);
  const { $number, $map, $nothing } = value as { $number?: string; $map?: unknown[]; $nothing?: true };
  if ($number !== undefined) return Number($number);
  if ($nothing) return undefined;
  if (Array.isArray($map)) return new Map($map.map((entry) => fromWire(entry) as [unknown, unknown]));
  const members: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(value))
    setOwn(members, name.startsWith("$$") ? name.slice(1) : name, fromWire(each));
  return members;
};

/** Also a member named `__proto__`. */
const setOwn = (members: Record<string, unknown>, name: string, value: unknown): void => {
  if (name === "__proto__")
    Object.defineProperty(members, name, { value, enumerable: true, writable: true, configurable: true });
  else members[name] = value;
};
