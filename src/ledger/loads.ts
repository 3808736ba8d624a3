import type { Kind } from "./records.ts";

/** Queues of one client in one lane that a claim looks at; the others come when these have had their turn. */
export const MOST_QUEUES = 16;

/** Lists as JSON text, so that every argument is a plain value. */
type Json = string;

/** The sets of records that rules ask for. An engine has one query for each, which takes any number of argument lists at once. */
interface LoadTypes {
  readonly service: { kind: "service"; args: [] };
  readonly client: { kind: "client"; args: [name: string] };
  readonly clientOfQueue: { kind: "client"; args: [queue: number] };
  /** Two clients, or those that there are: to tell whether there is more than one. */
  readonly firstClients: { kind: "client"; args: [] };
  /** Clients with something ready now or later. */
  readonly clientsWithWork: { kind: "client"; args: [] };
  readonly lane: { kind: "lane"; args: [id: number] };
  readonly laneNamed: { kind: "lane"; args: [name: string] };
  readonly share: { kind: "share"; args: [lane: number, client: string] };
  readonly sharesOf: { kind: "share"; args: [lane: number] };
  readonly shareIn: { kind: "share"; args: [lane: string, client: string] };
  readonly sharesIn: { kind: "share"; args: [lane: string] };
  readonly shareOfQueue: { kind: "share"; args: [queue: number] };

  /** Of a client, the lanes that are ready first, now or later, for what a worker asks. */
  readonly readyShares: { kind: "share"; args: ReadyArgs };
  /** Of the lanes of `readyShares` that are ready now: the lanes, the shares of all clients that are ready there, and their first queues. */
  readonly readyLanes: { kind: "lane"; args: ReadyArgs };
  readonly readyNeighbours: { kind: "share"; args: ReadyArgs };
  readonly readyQueues: { kind: "queue"; args: ReadyArgs };

  readonly queue: { kind: "queue"; args: [id: number] };
  readonly queueIn: { kind: "queue"; args: [job: number, lane: string] };
  /** Queues in a lane with items that have not ended. */
  readonly queuesInLane: { kind: "queue"; args: [lane: string] };
  readonly queuesOf: { kind: "queue"; args: [job: number] };
  /** Queues that are held or in doubt. */
  readonly troubledQueues: { kind: "queue"; args: [job: number] };
  /** Of a client in a lane, those that may give an item; for when the lane is ready next. */
  readonly openQueuesIn: { kind: "queue"; args: [lane: number] };
  /** Held queues of running jobs whose probe is due. */
  readonly dueProbes: { kind: "queue"; args: [now: number] };
  readonly nextProbe: { kind: "queue"; args: [jobs: Json | null] };

  readonly job: { kind: "job"; args: [number: number] };
  readonly jobNamed: { kind: "job"; args: [id: string] };
  readonly jobOfQueue: { kind: "job"; args: [queue: number] };
  readonly overdueJob: { kind: "job"; args: [now: number] };

  readonly worker: { kind: "worker"; args: [name: string] };
  readonly workers: { kind: "worker"; args: [] };
  readonly silentWorkers: { kind: "worker"; args: [now: number] };
  /** All workers, without what only they themselves need. */
  readonly peers: { kind: "peer"; args: [] };

  readonly item: { kind: "item"; args: [queue: number, seq: number] };
  readonly itemsBetween: { kind: "item"; args: [queue: number, first: number, last: number] };
  readonly freshItems: { kind: "freshItem"; args: [queue: number, after: number, limit: number] };
  readonly retry: { kind: "retry"; args: [queue: number, seq: number] };
  /** Items that are due, the first first, and one more that tells when the next is. */
  readonly dueItems: { kind: "dueItem"; args: [queue: number, limit: number] };
  /** Suspects of queues that may be claimed from. */
  readonly suspects: { kind: "suspectGroup"; args: [] };
  /** The first one of a queue. */
  readonly dueSuspect: { kind: "dueItem"; args: [queue: number] };
  readonly followers: { kind: "retry"; args: [leaderQueue: number, leaderSeq: number] };
  readonly result: { kind: "result"; args: [queue: number, seq: number] };
  /** The latest items of a queue that show what a chart of the breaker counts, those with captures first. */
  readonly examples: { kind: "example"; args: [queue: number, chart: string] };
  readonly failedAfter: {
    kind: "result";
    args: [job: number, kinds: Json | null, queue: number, seq: number, limit: number];
  };
  readonly capped: { kind: "capped"; args: [queue: number, seq: number] };
  readonly cappedBetween: { kind: "capped"; args: [queue: number, first: number, last: number] };
  readonly cappedAfter: { kind: "capped"; args: [job: number, queue: number, seq: number, limit: number] };
  readonly key: { kind: "key"; args: [job: number, hash: number] };
  /** Many at once. */
  readonly keys: { kind: "key"; args: [job: number, hashes: Json] };

  readonly fresh: { kind: "fresh"; args: [key: string, scraper: string, owner: string] };
  readonly fetch: { kind: "fetch"; args: [queue: number, seq: number] };
  readonly fetches: { kind: "fetch"; args: [key: string, scraper: string] };
  readonly baselineIn: { kind: "baseline"; args: [scraper: string, lane: string] };
  readonly robots: { kind: "robots"; args: [origin: string] };
  /** Whether the job, or its pages, are removed or being removed. */
  readonly removal: { kind: "removal"; args: [job: string] };
  readonly answer: { kind: "answer"; args: [id: string] };
}

/** Which client, how many lanes, and what a worker asks for: only these jobs (numbers), lanes (ids) and kinds; all where null. */
export type ReadyArgs = [
  client: string,
  limit: number,
  now: number,
  jobs: Json | null,
  lanes: Json | null,
  kinds: number | null,
];

export type LoadName = keyof LoadTypes;
export type LoadKind<N extends LoadName> = LoadTypes[N]["kind"];
export type LoadArgs<N extends LoadName> = LoadTypes[N]["args"];

/** Sets whose records are only read, and in their order: they are not looked up by their keys, nor changed. */
export const READ_ONLY: ReadonlySet<LoadName> = new Set<LoadName>([
  "freshItems",
  "dueItems",
  "peers",
  "suspects",
  "examples",
]);

export const KIND_OF: { readonly [N in LoadName]: LoadKind<N> } = {
  service: "service",
  client: "client",
  clientOfQueue: "client",
  firstClients: "client",
  clientsWithWork: "client",
  lane: "lane",
  laneNamed: "lane",
  share: "share",
  sharesOf: "share",
  shareIn: "share",
  sharesIn: "share",
  shareOfQueue: "share",
  readyShares: "share",
  readyLanes: "lane",
  readyNeighbours: "share",
  readyQueues: "queue",
  queue: "queue",
  queueIn: "queue",
  queuesInLane: "queue",
  queuesOf: "queue",
  troubledQueues: "queue",
  openQueuesIn: "queue",
  dueProbes: "queue",
  nextProbe: "queue",
  job: "job",
  jobNamed: "job",
  jobOfQueue: "job",
  overdueJob: "job",
  worker: "worker",
  workers: "worker",
  silentWorkers: "worker",
  peers: "peer",
  item: "item",
  itemsBetween: "item",
  freshItems: "freshItem",
  retry: "retry",
  dueItems: "dueItem",
  suspects: "suspectGroup",
  dueSuspect: "dueItem",
  followers: "retry",
  result: "result",
  examples: "example",
  failedAfter: "result",
  capped: "capped",
  cappedAfter: "capped",
  cappedBetween: "capped",
  key: "key",
  keys: "key",
  fresh: "fresh",
  fetch: "fetch",
  fetches: "fetch",
  baselineIn: "baseline",
  robots: "robots",
  removal: "removal",
  answer: "answer",
} satisfies { readonly [N in LoadName]: Kind };
