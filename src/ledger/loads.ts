import type { Kind } from "./records.ts";

/** Number of queues of one client in one lane that a claim considers; the others come when these have had their turn. */
export const MOST_QUEUES = 16;

/** Lists as JSON text, so that every argument is a plain value. */
type Json = string;

/** The client, the number of lanes, and what a worker asks for: only these jobs (numbers), lanes (ids) and kinds; null for all. */
export type ReadyArgs = [
  client: string,
  limit: number,
  now: number,
  jobs: Json | null,
  lanes: Json | null,
  kinds: number | null,
];

type Args = readonly (string | number | null)[];

/** A set of records of one kind, and the arguments that select it. */
const set =
  <K extends Kind>(kind: K) =>
  <A extends Args>(): { readonly kind: K; readonly args: A } =>
    ({ kind }) as { kind: K; args: A };

/** The sets of records that rules can ask for. An engine has one query for each, which takes any number of argument lists at once. */
export const SETS = {
  service: set("service")<[]>(),
  client: set("client")<[name: string]>(),
  clientOfQueue: set("client")<[queue: number]>(),
  /** Two clients, or those that there are: to tell whether there is more than one. */
  firstClients: set("client")<[]>(),
  /** Clients with something ready now or later. */
  clientsWithWork: set("client")<[]>(),
  lane: set("lane")<[id: number]>(),
  laneNamed: set("lane")<[name: string]>(),
  laneOfQueue: set("lane")<[queue: number]>(),
  share: set("share")<[lane: number, client: string]>(),
  sharesOf: set("share")<[lane: number]>(),
  shareIn: set("share")<[lane: string, client: string]>(),
  sharesIn: set("share")<[lane: string]>(),
  shareOfQueue: set("share")<[queue: number]>(),
  /** Of the queue's client in lane 0. */
  clientShareOfQueue: set("share")<[queue: number]>(),

  /** Of a client, the lanes that are ready first, now or later, for what a worker asks. */
  readyShares: set("share")<ReadyArgs>(),
  /** Of the lanes of `readyShares` that are ready now: the lanes, the shares of all clients that are ready there, and their first queues. */
  readyLanes: set("lane")<ReadyArgs>(),
  readyNeighbours: set("share")<ReadyArgs>(),
  readyQueues: set("queue")<ReadyArgs>(),

  queue: set("queue")<[id: number]>(),
  queueIn: set("queue")<[job: number, lane: string]>(),
  /** Queues in a lane with items that have not ended. */
  queuesInLane: set("queue")<[lane: string]>(),
  queuesOf: set("queue")<[job: number]>(),
  /** Queues that are held or in doubt. */
  troubledQueues: set("queue")<[job: number]>(),
  /** For a client in a lane, the queues that may give an item; to compute when the lane is ready next. */
  openQueuesIn: set("queue")<[lane: number]>(),
  /** Held queues of running jobs whose probe is due. */
  dueProbes: set("queue")<[now: number]>(),
  nextProbe: set("queue")<[jobs: Json | null]>(),

  job: set("job")<[number: number]>(),
  jobNamed: set("job")<[id: string]>(),
  jobOfQueue: set("job")<[queue: number]>(),
  overdueJob: set("job")<[now: number]>(),
  failureTimes: set("failureTimes")<[job: number]>(),
  failureTimesOfQueue: set("failureTimes")<[queue: number]>(),

  worker: set("worker")<[name: string]>(),
  workers: set("worker")<[]>(),
  silentWorkers: set("worker")<[now: number]>(),
  /** All workers, without what only they themselves need. */
  peers: set("peer")<[]>(),

  item: set("item")<[queue: number, seq: number]>(),
  itemsBetween: set("item")<[queue: number, first: number, last: number]>(),
  freshItems: set("freshItem")<[queue: number, after: number, limit: number]>(),
  retry: set("retry")<[queue: number, seq: number]>(),
  /** Items that are due, the first first, and one more that tells when the next is. */
  dueItems: set("dueItem")<[queue: number, limit: number]>(),
  /** Suspects of queues that may be claimed from. */
  suspects: set("suspectGroup")<[]>(),
  /** The first one of a queue. */
  dueSuspect: set("dueItem")<[queue: number]>(),
  followers: set("retry")<[leaderQueue: number, leaderSeq: number]>(),
  result: set("result")<[queue: number, seq: number]>(),
  /** The latest items of a queue that show what a chart of the breaker counts, those with captures first. */
  examples: set("example")<[queue: number, chart: string]>(),
  failedAfter: set("result")<[job: number, kinds: Json | null, queue: number, seq: number, limit: number]>(),
  capped: set("capped")<[queue: number, seq: number]>(),
  cappedBetween: set("capped")<[queue: number, first: number, last: number]>(),
  cappedAfter: set("capped")<[job: number, queue: number, seq: number, limit: number]>(),
  key: set("key")<[job: number, hash: number]>(),
  /** Many at once. */
  keys: set("key")<[job: number, hashes: Json]>(),

  fresh: set("fresh")<[key: string, scraper: string, owner: string]>(),
  fetch: set("fetch")<[queue: number, seq: number]>(),
  fetches: set("fetch")<[key: string, scraper: string]>(),
  baselineIn: set("baseline")<[scraper: string, lane: string]>(),
  robots: set("robots")<[origin: string]>(),
  /** Whether the job, or its pages, are removed or being removed. */
  removal: set("removal")<[job: string]>(),
  answer: set("answer")<[id: string]>(),
  document: set("document")<[kind: string, name: string]>(),
} as const;

export type LoadName = keyof typeof SETS;
export type LoadKind<N extends LoadName> = (typeof SETS)[N]["kind"];
export type LoadArgs<N extends LoadName> = (typeof SETS)[N]["args"];

/** Sets whose records are only read, in order: they are not looked up by key, and not changed. */
export const READ_ONLY: ReadonlySet<LoadName> = new Set<LoadName>([
  "freshItems",
  "dueItems",
  "peers",
  "suspects",
  "examples",
]);
