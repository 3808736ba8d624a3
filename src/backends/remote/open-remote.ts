import { later, partOf } from "../../ledger/answers.ts";
import { type FailedTry, resending } from "../../ledger/resend.ts";
import type { Blobs } from "../../ports/blobs.ts";
import {
  CLOCK_HEADER,
  decode,
  encode,
  type Greeting,
  LONGEST_WAIT_MS,
  WIRE_VERBS,
  type WireVerb,
} from "../../ports/ledger-wire.ts";
import {
  type AddReply,
  type Ledger,
  LedgerError,
  type LedgerErrorCode,
  type SlotGrant,
} from "../../ports/ledger.ts";
import { Connection, type RemoteOptions, unanswered, Unanswered } from "./connection.ts";
import { remoteBlobs } from "./remote-blobs.ts";

/** Wait this long for a controller that starts together with its workers, or restarts. */
const FIRST_PATIENCE_MS = 60_000;
/** Timeout of calls that keep leases: before the leases end, the call is repeated on another connection. */
const SHORT_MS = 5000;
/** Maximum number of items in one request. */
const ADD_CHUNK = 2000;
const SHORT: ReadonlySet<string> = new Set<WireVerb>(["claim", "pulse", "awaitWork", "events.await"]);

export interface Remote {
  readonly ledger: Ledger;
  readonly blobs: Blobs;
}

/**
 * A controller's ledger and archive, from another machine. Throws if there is no controller, if it uses another protocol version,
 * or if the key is not accepted.
 */
export const openRemote = async (options: RemoteOptions): Promise<Remote> => {
  const connection = new Connection(options);
  let greeting: Greeting;
  try {
    greeting = await greet(connection, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const again = ({ verb: what, ...failed }: FailedTry): Promise<boolean> =>
    connection.isWorthAnother(failed.error, { what, ...failed });
  return {
    ledger: resending(wireLedger(connection), again),
    blobs: remoteBlobs(connection, greeting.gatherMs),
  };
};

const greet = async (
  connection: Connection,
  { firstPatienceMs = FIRST_PATIENCE_MS }: RemoteOptions,
): Promise<Greeting> => {
  const startedAt = performance.now();
  return await connection.repeat("the first request", async () => {
    try {
      const { body } = await connection.send({ method: "GET", path: "/v1/ledger" });
      return decode(await body.text().catch(unanswered)) as Greeting;
    } catch (error) {
      const isOver = performance.now() - startedAt > firstPatienceMs;
      if (!isOver || !(error instanceof Unanswered)) throw error;
      throw new LedgerError(
        "unavailable",
        `${connection.url}: cannot be reached (${error.message}). Check the address, and that \`sluice serve\` is running.`,
        { cause: error },
      );
    }
  });
};

type AnyVerb = (...args: readonly unknown[]) => Promise<unknown>;

/** Each verb as one request, tried once. */
const wireLedger = (connection: Connection): Ledger => {
  const call = async (verb: WireVerb, args: readonly unknown[]): Promise<unknown> => {
    const response = await connection.send({
      method: "POST",
      path: `/v1/ledger/${verb}`,
      body: encode(args),
      type: "application/json",
      ...(SHORT.has(verb) && { timeoutMs: SHORT_MS }),
    });
    const answer = decode(await response.body.text().catch(unanswered));
    if (response.statusCode >= 400) {
      const { code, message } = answer as { readonly code: LedgerErrorCode; readonly message: string };
      throw new LedgerError(code, message);
    }
    const [value] = answer as readonly unknown[];
    return isGrant(verb, value)
      ? inTime(value, connection.offset.lateMs(response.headers[CLOCK_HEADER]))
      : value;
  };
  const verbs: Record<string, AnyVerb> = {};
  const parts: Record<string, Record<string, AnyVerb>> = { events: {}, removals: {}, documents: {} };
  for (const verb of Object.keys(WIRE_VERBS) as WireVerb[]) {
    const [name, own] = verb.split(".") as [string, string | undefined];
    (own ? parts[name]! : verbs)[own ?? name] = (...args) => call(verb, args);
  }
  /** A wait is a series of short ones. */
  const wait = async (verb: WireVerb, what: unknown, ms: number): Promise<boolean> => {
    for (const until = performance.now() + ms; ;) {
      const leftMs = until - performance.now();
      if (await call(verb, [what, Math.max(0, Math.min(leftMs, LONGEST_WAIT_MS))])) return true;
      if (leftMs <= LONGEST_WAIT_MS) return false;
    }
  };
  return {
    ...(verbs as unknown as Ledger),
    removals: parts["removals"] as unknown as Ledger["removals"],
    documents: parts["documents"] as unknown as Ledger["documents"],
    events: {
      ...(parts["events"] as unknown as Ledger["events"]),
      await: (after, ms) => wait("events.await", after, ms),
    },
    awaitWork: (filter, ms) => wait("awaitWork", filter, ms),
    addItems: async (job, items, rejected, id) => {
      const total = { accepted: 0, folded: 0, capped: 0 };
      for (let from = 0; from === 0 || from < items.length; from += ADD_CHUNK) {
        const some = [items.slice(from, from + ADD_CHUNK), from === 0 ? rejected : []];
        const reply = (await call("addItems", [job, ...some, partOf(id, from)])) as AddReply;
        for (const count of ["accepted", "folded", "capped"] as const) total[count] += reply[count];
      }
      return total;
    },
    close: () => connection.close(),
  };
};

interface Granted {
  readonly slots: readonly SlotGrant[];
}

const isGrant = (verb: WireVerb, _answer: unknown): _answer is Granted =>
  verb === "claim" || verb === "pulse";

/** Delays count from the time when the slots were booked. */
const inTime = (answer: Granted, lateMs: number): Granted => ({
  ...answer,
  slots: later(answer.slots, lateMs),
});
