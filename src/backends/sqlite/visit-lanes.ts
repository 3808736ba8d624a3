import type { Claimable, ClaimTally } from "./claim-items.ts";
import type { ClientShare } from "./client-shares.ts";
import type { Database } from "./database.ts";
import { serveLane } from "./serve-lane.ts";

/** Lanes read in one go; a claim goes on to the next ones while it has room. */
const PAGE = 64;
/** At most so many lanes are looked at in one claim, whatever they give. */
const MOST_LANES = 1024;

interface LanePlace {
  readonly lane: number;
  readonly ready_at: number;
}

const START: LanePlace = { lane: 0, ready_at: -1 };

/**
 * Clients take turns over all lanes by what they have had for their weight, each with its lanes in the order in which they became ready. One
 * with thousands of lanes so gets no more of the workers than one with a single lane asks for.
 */
export const visitLanes = (db: Database, tally: ClaimTally): void => {
  const upTo = db.now();
  let live = [...tally.shares.values()].map((share) => ({ share, lanes: lanesOf(db, tally, share, upTo) }));
  for (let seen = 0; live.length > 0 && seen < MOST_LANES; seen++) {
    const room = tally.request.room - tally.items.length;
    if (room <= 0) return;
    const first = live.reduce((a, b) => (b.share.had < a.share.had ? b : a));
    const { share, lanes } = first;
    const hasRoom = share.room > 0 && share.places > 0;
    const next = hasRoom ? lanes.next() : undefined;
    if (!hasRoom) tally.isCrowded = true;
    if (!next || next.done) {
      live = live.filter((other) => other !== first);
      continue;
    }
    const total = live.reduce((sum, one) => sum + one.share.weight, 0);
    for (const { share: other } of live)
      other.quota = Math.min(other.places, Math.ceil((room * other.weight) / total));
    serveLane(db, tally, next.value.lane);
  }
};

/** When a lane will next be ready for what was asked for. */
export const nextLaneAt = (db: Database, tally: Claimable): number | undefined => {
  const times = [...tally.shares.keys()].flatMap((client) =>
    readyLanes(db, tally, client, START, Number.MAX_SAFE_INTEGER, 1).map(({ ready_at }) => ready_at),
  );
  return times.length === 0 ? undefined : Math.min(...times);
};

/** Again from the first one, as long as they give something: a lane that was visited for a part of its room may have more. */
function* lanesOf(
  db: Database,
  tally: ClaimTally,
  share: ClientShare,
  upTo: number,
): Generator<LanePlace, undefined> {
  for (let before = -1; before < share.given;) {
    before = share.given;
    let after: LanePlace | undefined = START;
    while (after) {
      const lanes: LanePlace[] = readyLanes(db, tally, share.client, after, upTo, PAGE);
      yield* lanes;
      after = lanes.at(-1);
    }
  }
}

/** Of the lane, for the asked jobs (`@jobs`, a JSON list): without it, lanes of others would be in the way for ever. */
const HAS_WORK = `EXISTS (SELECT 1 FROM json_each(@jobs) mine JOIN queues q ON q.job = mine.value AND q.lane = turns.lane
  WHERE q.client = @client AND q.claimable = 1 AND q.ready_at IS NOT NULL)`;
/** Of the lane, what a worker of these kinds takes: for the same reason. */
const IS_TAKEN = `EXISTS (SELECT 1 FROM queues q WHERE q.lane = turns.lane AND q.client = @client AND q.claimable = 1
  AND q.ready_at IS NOT NULL AND (q.kinds & ~@kinds) = 0)`;
const IS_ASKED = "lane IN (SELECT value FROM json_each(@lanes))";

const readyLanes = (
  db: Database,
  { jobs, lanes, kinds }: Claimable,
  client: string,
  after: LanePlace,
  upTo: number,
  limit: number,
): LanePlace[] => {
  const select = `SELECT lane, ready_at FROM turns WHERE client = @client AND ready_at IS NOT NULL AND ready_at <= @upTo
    AND (ready_at, lane) > (@readyAt, @lane) ${jobs ? `AND ${HAS_WORK}` : ""} ${lanes ? `AND ${IS_ASKED}` : ""}
    ${kinds === undefined ? "" : `AND ${IS_TAKEN}`}
    ORDER BY ready_at, lane LIMIT @limit`;
  return db.sql(select).all({
    "@client": client,
    "@upTo": upTo,
    "@readyAt": after.ready_at,
    "@lane": after.lane,
    "@limit": limit,
    ...(jobs && { "@jobs": JSON.stringify(jobs) }),
    ...(lanes && { "@lanes": JSON.stringify(lanes) }),
    ...(kinds !== undefined && { "@kinds": kinds }),
  }) as unknown as LanePlace[];
};
