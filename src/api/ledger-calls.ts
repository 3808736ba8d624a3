import { z } from "zod";
import { FAILURE_KINDS } from "../domain/failure.ts";
import { CHANGES } from "../domain/freshness.ts";
import { ITEM_STATES } from "../domain/item.ts";
import { COLLECTOR_KINDS } from "../domain/job-version.ts";
import { PAUSE_CAUSES } from "../domain/job.ts";
import { parseTierUse } from "../domain/proxy-ladder.ts";
import { DOCUMENT_KINDS } from "../ports/documents.ts";
import { EVENT_TYPES } from "../ports/event-log.ts";
import {
  LONGEST_WAIT_MS,
  PROTOCOL,
  PROTOCOL_HEADER,
  VERSION_HEADER,
  type WireVerb,
} from "../ports/ledger-wire.ts";
import { Problem } from "../services/problem.ts";
import type { Api } from "./api.ts";

/** Longer than anything a worker has reason to send. */
const MOST = 10_000;
const MOST_ROWS = 10_000;

const name = z.string().min(1).max(200);
const lane = z.string().max(1000);
const text = z.string().max(MOST);
const key = z.string().max(MOST);
const count = z.int().min(0);
const tierName = z.string().refine((use) => parseTierUse(use) !== undefined);
const ms = z.number();
const proxied = z
  .array(z.object({ tier: tierName, requests: count, bytes: count, microCost: count }))
  .max(100)
  .optional();
const waitMs = z.number().transform((asked) => Math.min(asked, LONGEST_WAIT_MS));
const list = <T extends z.ZodType>(of: T) => z.array(of).max(MOST);
const limit = z.int().min(0).max(MOST_ROWS);
const id = z.string().min(1).max(100).optional();

const ref = z.object({ queue: count, seq: count });
const failure = z.object({
  kind: z.enum(FAILURE_KINDS),
  detail: text,
  url: text.optional(),
  status: z.int().optional(),
  retryAfterMs: ms.optional(),
});
const quality = z.enum(["complete", "partial"]);
const range = { blob: text, offset: count, length: count };
const recordRange = z.object({ ...range, digest: text.optional() }).nullable();
const planned = z.object({ key, input: z.string(), lane, scraper: count.optional() });
const rejected = z.object({ line: z.int(), parent: key.optional(), problem: text });

const filter = {
  jobs: list(name).optional(),
  lanes: list(lane).optional(),
  kinds: list(z.enum(COLLECTOR_KINDS)).optional(),
};
const inFlight = z.map(lane, count).refine(({ size }) => size <= MOST);

const claim = z.object({
  worker: name,
  number: count.optional(),
  room: count.max(MOST_ROWS),
  inFlight,
  running: list(ref).optional(),
  alone: z.boolean().optional(),
  ...filter,
});

const pulse = z.object({
  worker: name,
  number: count.optional(),
  running: list(ref),
  unsettled: list(z.object({ queue: count, requests: count, bytes: count, proxied })),
  acting: list(ref),
  inFlight,
  wishes: list(
    z.object({
      lane,
      queue: count,
      count: count.max(MOST_ROWS),
      again: count.optional(),
      address: lane.optional(),
    }),
  ),
  returned: list(z.object({ lane, delaysMs: list(ms) })),
  refunds: list(z.object({ lane, queue: count, count: z.number() })),
  outcomes: list(
    z.object({
      queue: count,
      scraper: count.optional(),
      result: z.enum(["done", "absent", ...FAILURE_KINDS]),
      attempt: count,
      missing: list(text).optional(),
    }),
  ),
  lanes: list(
    z.object({
      lane,
      kind: z.enum(["ok", ...FAILURE_KINDS]),
      count,
      retryAfterMs: ms.optional(),
      slows: z.boolean().optional(),
    }),
  ),
  used: list(z.object({ lane, requests: count })).optional(),
  crawlDelays: list(z.object({ lane, delayMs: ms })),
  ways: list(
    z.object({
      lane,
      key: text,
      saw: z.discriminatedUnion("saw", [
        z.object({ saw: z.enum(["plain", "absent", "changed", "same"]) }),
        z.object({ saw: z.literal("different"), reason: text }),
        z.object({ saw: z.literal("scripted"), reason: text, wasAbsent: z.boolean().optional() }),
      ]),
    }),
  ).optional(),
  tiers: list(
    z.object({
      lane,
      ladder: z.array(tierName).min(1).max(20),
      sign: z.object({
        at: count,
        item: key,
        result: z.enum(["good", "blocked", "proxy"]),
        detail: text.optional(),
        isProbe: z.boolean().optional(),
      }),
    }),
  ).optional(),
});

const settled = z.object({
  ...ref.shape,
  lease: count,
  revision: count.optional(),
  scraper: count.optional(),
  outcome: z.discriminatedUnion("state", [
    z.object({ state: z.literal("done"), quality }),
    z.object({ state: z.literal("absent"), detail: text }),
    z.object({ state: z.literal("waiting"), delayMs: ms, failure, countsAttempt: z.boolean() }),
    z.object({ state: z.literal("failed"), failure }),
    z.object({ state: z.literal("skipped"), reason: z.literal("unchanged"), quality }),
    z.object({ state: z.literal("returned") }),
  ]),
  attempt: z.object({ startedAt: ms, ms, requests: count, bytes: count, proxied }),
  captures: list(z.object({ ...range, name: text, url: text, mediaType: text, digest: text })),
  records: recordRange,
  fieldCounts: list(z.int()).nullable(),
  emitted: z.array(planned),
  rejected: z.array(rejected).optional(),
  fresh: z
    .object({
      outcome: z.enum(["done", "absent", ...FAILURE_KINDS]),
      etag: text.optional(),
      lastModified: text.optional(),
      url: text.optional(),
      digest: text.optional(),
      freshMs: ms,
      sharedMs: ms.optional(),
    })
    .optional(),
});

const amended = z.object({
  ...ref.shape,
  outcome: z.discriminatedUnion("state", [
    z.object({ state: z.enum(["done", "skipped"]), quality }),
    z.object({ state: z.literal("failed"), failure }),
  ]),
  records: recordRange,
  fieldCounts: list(z.int()),
  emitted: z.array(planned),
  rejected: z.array(rejected),
});

const workerInfo = z.object({
  name,
  host: text,
  pid: z.int(),
  space: text.optional(),
  version: text,
  concurrency: count,
  browserConcurrency: count.optional(),
  cores: z.number().min(0).optional(),
  memoryMb: z.number().min(0).optional(),
  lanes: filter.lanes,
  kinds: filter.kinds,
  isDraining: z.boolean(),
});

/** Specifications, pins and facts come from the program's own code; for admins only. */
const loose = z.looseObject({});
const why = z.object({ cause: z.enum(PAUSE_CAUSES), reason: text }).optional();
const page = { after: z.string().optional(), limit };
const itemQuery = z.object({
  states: list(z.enum(ITEM_STATES)).optional(),
  kinds: list(z.enum(FAILURE_KINDS)).optional(),
  quality: z.enum(["complete", "partial"]).optional(),
  changes: list(z.enum(CHANGES)).optional(),
  scraper: text.optional(),
  keys: list(key).optional(),
  after: ref.optional(),
  limit,
});
const scope = z.enum(["job", "pages"]);
const documentKind = z.enum(DOCUMENT_KINDS);
const event = z.object({ type: z.enum(EVENT_TYPES), job: z.string().max(200), facts: loose });

/** The arguments of each verb, checked because they come from another machine. */
export const CALLS: { readonly [V in WireVerb]: z.ZodType<readonly unknown[]> } = {
  claim: z.tuple([claim]),
  awaitWork: z.tuple([z.object(filter), waitMs]),
  pulse: z.tuple([pulse]),
  settle: z.tuple([name, list(settled), id]),
  reap: z.tuple([
    z.object({
      worker: name.optional(),
      cause: z.object({ blame: z.enum(["scraper", "unknown"]), detail: text }).optional(),
      id,
    }),
  ]),
  registerWorker: z.tuple([workerInfo, z.record(text, z.number()).optional(), id]),
  readJob: z.tuple([name]),
  listItems: z.tuple([name, itemQuery]),
  readFresh: z.tuple([list(z.object({ client: name.nullable(), scraper: text, key }))]),
  readSpending: z.tuple([name]),
  readBacklog: z.tuple([z.object({ lanes: filter.lanes }).optional()]),
  readRobots: z.tuple([text, name]),
  keepRobots: z.tuple([
    text,
    z.object({
      text: z
        .string()
        .max(1024 * 1024)
        .nullable(),
      keepMs: ms,
    }),
  ]),
  controlJob: z.tuple([name, z.enum(["pause", "resume", "cancel"]), why, id]),

  createJob: z.tuple([loose]),
  addItems: z.tuple([name, z.array(planned), z.array(rejected), id]),
  sealJob: z.tuple([name]),
  isQuiet: z.tuple([name]),
  retryItems: z.tuple([
    name,
    itemQuery.pick({ kinds: true, keys: true }).extend({ isAbsentToo: z.boolean().optional() }),
    id,
  ]),
  raiseCaps: z.tuple([name, loose, id]),
  pinVersions: z.tuple([name, loose, id]),
  changeVersions: z.tuple([name, loose, id]),
  amendItems: z.tuple([name, count, list(amended), z.boolean().optional()]),
  listJobs: z.tuple([loose.extend({ limit }).optional()]),
  readFailures: z.tuple([name]),
  sumOpenJobs: z.tuple([]),
  listLanes: z.tuple([z.object({ job: name.optional(), isHeld: z.boolean().optional(), ...page })]),
  listJobLanes: z.tuple([name, z.object({ isOpen: z.boolean().optional(), ...page })]),
  controlLane: z.tuple([lane, loose]),
  setShare: z.tuple([name, loose]),
  countAccepted: z.tuple([name, ms]),
  countOpenJobs: z.tuple([name]),
  countKeptBytes: z.tuple([name]),
  listWorkers: z.tuple([]),
  readWorkSums: z.tuple([]),
  tidy: z.tuple([]),
  "events.read": z.tuple([
    z.object({
      consumer: name.optional(),
      after: z.int().optional(),
      job: name.optional(),
      types: list(z.enum(EVENT_TYPES)).optional(),
      limit,
      newest: z.boolean().optional(),
    }),
  ]),
  "events.move": z.tuple([name, z.int()]),
  "events.forget": z.tuple([name]),
  "events.last": z.tuple([]),
  "events.await": z.tuple([z.int(), waitMs]),
  "events.write": z.tuple([list(event), id]),
  "removals.mark": z.tuple([name, scope]),
  "removals.read": z.tuple([name]),
  "removals.list": z.tuple([z.object({ client: name.optional(), ...page })]),
  "removals.open": z.tuple([limit]),
  "removals.advance": z.tuple([name]),
  "removals.release": z.tuple([name, list(z.object({ name: text, size: count }))]),
  "removals.endBytes": z.tuple([name, scope]),
  "removals.due": z.tuple([limit]),
  "removals.freed": z.tuple([name]),
  "removals.forget": z.tuple([name, z.array(text)]),
  "removals.endSweep": z.tuple([z.object({ job: name, what: scope, asked: z.int() })]),
  "documents.read": z.tuple([documentKind, text]),
  "documents.list": z.tuple([
    documentKind,
    z.object({ prefix: text.optional(), newest: z.boolean().optional(), ...page }),
  ]),
  "documents.commit": z.tuple([
    z.object({
      changes: list(
        z.object({
          kind: documentKind,
          name: text,
          expected: count.optional(),
          body: loose.nullable(),
        }),
      ),
      job: loose.optional(),
      events: list(event).optional(),
    }),
    id,
  ]),
};

/** For worker routes: the worker must use the same protocol as this controller. There are too many requests to log. */
export const addProtocol = (routes: Api, version: string): void => {
  routes.addHook("onRequest", async (request, reply) => {
    request.isUnlogged = true;
    void reply.headers({ [PROTOCOL_HEADER]: PROTOCOL, [VERSION_HEADER]: version });
    const theirs = Number(request.headers[PROTOCOL_HEADER] ?? 0);
    if (theirs === PROTOCOL) return;
    const side = theirs > PROTOCOL ? "controller" : "worker";
    const their = String(request.headers[VERSION_HEADER] ?? "unknown version").slice(0, 50);
    throw new Problem(
      "other-protocol",
      `The worker (${their}) uses version ${theirs} of the worker protocol, but the controller (${version}) uses version ${PROTOCOL}. Upgrade the ${side}.`,
    );
  });
};
