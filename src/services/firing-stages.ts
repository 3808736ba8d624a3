import type { JobView } from "../domain/job.ts";
import {
  begun,
  currentStage,
  ended,
  isAllDone,
  type Stage,
  type StageEnd,
  type StageName,
} from "../domain/stage.ts";
import type { ServiceContext } from "./context.ts";
import { eventOf } from "./fire-schedule.ts";
import {
  firingChange,
  type FiringBody,
  readFiring,
  type ScheduleBody,
  scheduleChange,
  type StoredFiring,
  type StoredSchedule,
} from "./schedule-documents.ts";

export interface StageCall {
  readonly schedule: string;
  /** The firing's nominal time. */
  readonly at: number;
  readonly client: string;
  readonly scraper: string;
  readonly dataset?: string;
  /** The job of the firing; it has ended. */
  readonly job: JobView;
  readonly signal: AbortSignal;
}

/**
 * Runs one stage of a firing, however long it takes. It may be called again for the same firing, after a crash or on request, so
 * it must be safe to repeat. After an error it is tried again a few times.
 */
export type StageRunner = (call: StageCall) => Promise<StageEnd>;

/** All stages but `collect`, which is the job itself. */
export type StageRunners = Readonly<Partial<Record<Exclude<StageName, "collect">, StageRunner>>>;

/** After this many errors a stage has failed. */
const MOST_TRIES = 5;
/** Maximum number of stages of this process that run at the same time: they use several threads, and others wait for responses. */
const MOST_AT_ONCE = 2;

interface Run {
  end?: StageEnd;
  error?: unknown;
}

/** Moves firings through their stages. Long stages run in parallel to the rounds. */
export class FiringStages {
  readonly #context: Pick<ServiceContext, "ledger" | "now">;
  readonly #runners: StageRunners;
  readonly #runs = new Map<string, Run>();

  constructor(context: Pick<ServiceContext, "ledger" | "now">, runners: StageRunners) {
    this.#context = context;
    this.#runners = runners;
  }

  /** One step of every firing of the schedule that has not ended. Returns whether something was written. */
  async advance(schedule: StoredSchedule, signal: AbortSignal): Promise<boolean> {
    for (const at of schedule.body.running) {
      const firing = await readFiring(this.#context.ledger, schedule.name, at);
      // A write has changed its revision: the other firings follow in the next round.
      if (await this.#step(schedule, at, firing, signal)) return true;
    }
    return false;
  }

  async #step(
    schedule: StoredSchedule,
    at: number,
    firing: StoredFiring | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { ledger, now } = this.#context;
    if (!firing || firing.body.state !== "running") return await this.#drop(schedule, at);
    const { body } = firing;
    const stage = currentStage(body.stages);
    if (!stage) return await this.#end(schedule, firing, body.stages);
    if (stage.state === "waiting" && stage.name === "collect")
      return await this.#write(firing, { ...body, stages: begun(body.stages, stage.name, now()) });
    const job = body.job === undefined ? undefined : await ledger.readJob(body.job);
    const run =
      stage.name === "collect" ? collectEnd(job) : this.#run(schedule, firing, stage.name, job, signal);
    if (run === "waiting") return false;
    if (run === "running" || run === undefined)
      return (
        stage.state === "waiting" &&
        (await this.#write(firing, { ...body, stages: begun(body.stages, stage.name, now()) }))
      );
    if ("again" in run && (body.tries ?? 0) + 1 < MOST_TRIES)
      return await this.#write(firing, { ...body, tries: (body.tries ?? 0) + 1 });
    const end = "again" in run ? { ok: false, detail: run.again } : run;
    const stages = ended(body.stages, stage.name, end, now());
    if (currentStage(stages)) {
      const { tries: _, ...rest } = body;
      return await this.#write(firing, { ...rest, stages });
    }
    return await this.#end(schedule, firing, stages);
  }

  #run(
    { name, body: { client, scraper, dataset } }: StoredSchedule,
    { body: { at } }: StoredFiring,
    stage: Exclude<StageName, "collect">,
    job: JobView | undefined,
    signal: AbortSignal,
  ): StageEnd | { readonly again: string } | "running" | "waiting" {
    const runner = this.#runners[stage];
    if (!runner) return { ok: false, detail: `this installation cannot run the stage ${stage}` };
    if (!job) return { ok: false, detail: "the job was removed" };
    const id = `${name} ${at} ${stage}`;
    const known = this.#runs.get(id);
    if (known?.end || known?.error !== undefined) {
      this.#runs.delete(id);
      return known.end ?? { again: messageOf(known.error) };
    }
    if (known) return "running";
    if (this.#runs.size >= MOST_AT_ONCE) return "waiting";
    const run: Run = {};
    this.#runs.set(id, run);
    runner({
      schedule: name,
      at,
      client,
      scraper,
      ...(dataset !== undefined && { dataset }),
      job,
      signal,
    }).then(
      (end) => void (run.end = end),
      // A stopped stage has not failed: the next holder of the task starts it again.
      (error: unknown) =>
        void (signal.aborted ? this.#runs.delete(id) : (run.error = error ?? "unknown error")),
    );
    return "running";
  }

  async #write({ revision }: StoredFiring, body: FiringBody): Promise<boolean> {
    const reply = await this.#context.ledger.documents.commit({ changes: [firingChange(body, revision)] });
    return reply.committed;
  }

  /** A firing that someone else has ended or removed does not run any more. */
  async #drop(schedule: StoredSchedule, at: number): Promise<boolean> {
    const body = { ...schedule.body, running: schedule.body.running.filter((one) => one !== at) };
    const reply = await this.#context.ledger.documents.commit({ changes: [scheduleChange(schedule, body)] });
    return reply.committed;
  }

  async #end(
    schedule: StoredSchedule,
    { revision, body }: StoredFiring,
    stages: readonly Stage[],
  ): Promise<boolean> {
    const { ledger, now } = this.#context;
    const { tries: _, reason: __, ...rest } = body;
    const isDone = isAllDone(stages);
    const failed = stages.find(({ state }) => state === "failed");
    const firing: FiringBody = {
      ...rest,
      state: isDone ? "done" : "failed",
      endedAt: now(),
      stages,
      ...(failed && { reason: `${failed.name}: ${failed.detail ?? ""}` }),
    };
    const reply = await ledger.documents.commit({
      changes: [
        firingChange(firing, revision),
        scheduleChange(schedule, afterEnd(schedule.body, firing, now())),
      ],
      events: [eventOf(firing, schedule.body.scraper)],
    });
    return reply.committed;
  }
}

const afterEnd = (body: ScheduleBody, { at, state }: FiringBody, now: number): ScheduleBody => {
  const running = body.running.filter((one) => one !== at);
  const counts = {
    ...body.counts,
    ...(state === "done" ? { done: body.counts.done + 1 } : { failed: body.counts.failed + 1 }),
  };
  if (state !== "done") return { ...body, running, counts };
  const { lateSince: _, ...rest } = body;
  return {
    ...rest,
    running,
    counts,
    lastSuccessAt: now,
    releasedAt: Math.max(at, body.releasedAt ?? -Infinity),
  };
};

/** Undefined while the job has not ended; a paused or held job has not. */
const collectEnd = (job: JobView | undefined): StageEnd | undefined => {
  if (!job) return { ok: false, detail: "the job was removed" };
  const { counts, state, endedAt } = job;
  const { done, absent, skipped, failed } = counts.states;
  const good = done + absent + skipped;
  const detail = `${good} of ${counts.accepted} items done, ${failed} failed`;
  if (state === "cancelled")
    return endedAt === undefined ? undefined : { ok: false, detail: `the job was cancelled: ${detail}` };
  if (state !== "done") return undefined;
  return { ok: counts.accepted === 0 || good > 0, detail };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
