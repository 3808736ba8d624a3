import { isoTime } from "../domain/iso-time.ts";
import type { InputsFrom } from "../domain/inputs-from.ts";
import type { Decided, Timing } from "../domain/schedule.ts";
import type { Stage, StageName } from "../domain/stage.ts";
import type { DocumentChange, StoredDocument } from "../ports/documents.ts";
import type { EventType, NewEvent } from "../ports/event-log.ts";
import type { Ledger } from "../ports/ledger.ts";
import type { Firing, FIRING_CAUSES, FIRING_STATES, ScheduleDefinition } from "../schemas/schedule.ts";
import { type Actor, mayRead, shown } from "./context.ts";
import { Problem } from "./problem.ts";

/** A schedule as it is stored: the request, and its state. */
export interface ScheduleBody extends Timing, Decided {
  readonly client: string;
  readonly origin: "config" | "api";
  /** URLs from clients must not point into the operator's internal network. */
  readonly guardsTargets: boolean;
  readonly by: string;
  readonly createdAt: number;
  readonly scraper: string;
  readonly inputsFrom: InputsFrom;
  readonly stages: readonly StageName[];
  readonly dataset?: string | undefined;
  readonly job?: ScheduleDefinition["job"];
  readonly pausedBy?: string;
  /** Nominal times of the firings that have not ended. */
  readonly running: readonly number[];
  readonly counts: Readonly<Record<"fired" | "done" | "failed" | "skipped" | "missed", number>>;
  /** Nominal time of the latest firing that completed all stages: schedules with `after` follow it. */
  readonly releasedAt?: number;
  readonly lastSuccessAt?: number;
  /** People were notified that several times passed without success; removed when it succeeds. */
  readonly lateSince?: number;
  /** The latest times, since this one, were missed or could not start; removed when it fires again. */
  readonly missing?: { readonly at: number; readonly reason: string };
}

export interface FiringBody {
  readonly schedule: string;
  readonly client: string;
  readonly at: number;
  readonly cause: (typeof FIRING_CAUSES)[number];
  readonly state: (typeof FIRING_STATES)[number];
  readonly reason?: string;
  readonly decidedAt: number;
  readonly endedAt?: number;
  readonly job?: string;
  readonly stages: readonly Stage[];
  /** How often the current stage failed with an error. */
  readonly tries?: number;
}

export type StoredSchedule = StoredDocument<ScheduleBody>;
export type StoredFiring = StoredDocument<FiringBody>;

type Documents = Pick<Ledger, "documents">;

/** Names are in the order of time: `county/2026-11-17T06:00:00Z`. */
export const firingName = (schedule: string, at: number): string =>
  `${schedule}/${isoTime(at).replace(/\.\d+Z$/, "Z")}`;

export const scheduleChange = (
  { name, revision }: Pick<StoredSchedule, "name" | "revision">,
  body: ScheduleBody | null,
): DocumentChange => ({ kind: "schedule", name, expected: revision, body });

export const firingChange = (body: FiringBody, expected: number): DocumentChange => ({
  kind: "firing",
  name: firingName(body.schedule, body.at),
  expected,
  body,
});

export const readSchedule = async (
  { documents }: Documents,
  name: string,
): Promise<StoredSchedule | undefined> =>
  (await documents.read("schedule", name)) as StoredSchedule | undefined;

export const findSchedule = async (
  ledger: Documents,
  actor: Actor,
  name: string,
): Promise<StoredSchedule> => {
  const found = await readSchedule(ledger, name);
  if (!found || !mayRead(actor, found.body.client))
    throw new Problem("not-found", `${shown(name)}: no such schedule.`);
  return found;
};

export const readFiring = async (
  { documents }: Documents,
  schedule: string,
  at: number,
): Promise<StoredFiring | undefined> =>
  (await documents.read("firing", firingName(schedule, at))) as StoredFiring | undefined;

export const MOST_SCHEDULES = 1000;
const PAGE = 200;

/** All of them, by name. */
export async function* allSchedules({ documents }: Documents): AsyncGenerator<StoredSchedule> {
  for (let after: string | undefined; ;) {
    const page = (await documents.list("schedule", {
      limit: PAGE,
      ...(after !== undefined && { after }),
    })) as readonly StoredSchedule[];
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.name;
  }
}

/** What happened to a schedule, for its client. */
export const scheduleEvent = (
  type: Extract<EventType, `schedule.${string}`>,
  { client, schedule, at, job, cause, reason }: FiringBody,
  facts: Readonly<Record<string, unknown>> = {},
): NewEvent => ({
  type,
  job: job ?? "",
  facts: { client, schedule, at: isoTime(at), cause, ...(reason !== undefined && { reason }), ...facts },
});

export const firingView = ({ body }: Pick<StoredFiring, "body">): Firing => {
  const { client: _, tries: __, at, decidedAt, endedAt, stages, ...rest } = body;
  return {
    ...rest,
    at: isoTime(at),
    decidedAt: isoTime(decidedAt),
    ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
    stages: stages.map(({ startedAt, endedAt: until, ...stage }) => ({
      ...stage,
      ...(startedAt !== undefined && { startedAt: isoTime(startedAt) }),
      ...(until !== undefined && { endedAt: isoTime(until) }),
    })),
  };
};
