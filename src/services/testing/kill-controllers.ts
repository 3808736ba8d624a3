import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LOCAL_ACTOR } from "../context.ts";
import type { StoredFiring } from "../schedule-documents.ts";
import { createSchedule, showSchedule } from "../schedules.ts";
import { makeProject, openServices, parcels } from "./schedule-kit.ts";

export interface KilledControllers {
  readonly kills: number;
  /** Nominal times that have passed. */
  readonly times: number;
  /** Of these, by what became of them. */
  readonly states: Readonly<Record<string, number>>;
  /** Nominal times without a firing, and firings without a nominal time. */
  readonly wrong: readonly string[];
  /** Jobs that are not exactly the job of one firing, or do not have exactly their inputs. */
  readonly wrongJobs: readonly string[];
}

const MINUTE_MS = 60_000;
const SPEED = 600;
const INPUTS = ["1", "2", "3"];

/**
 * Three controllers on one ledger, whose clock runs 600 times as fast, are killed at random. A schedule fires every ten minutes by that clock, each second of the
 * real one. Each time must have exactly one firing, each firing that ran exactly one job, and each job exactly its inputs.
 */
export const killControllers = async (seconds: number): Promise<KilledControllers> => {
  const folder = await makeProject();
  const startAt = Date.parse("2026-10-24T12:00:00Z"); // the clocks of Berlin go back within 15 hours
  const realAt = Date.now();
  const now = (): number => startAt + (Date.now() - realAt) * SPEED;
  const controllers = new Set<ChildProcess>();
  const starting = new Set<ChildProcess>();
  const start = async (): Promise<void> => {
    const program = join(import.meta.dirname, "controller-main.ts");
    const args = [folder, String(startAt), String(realAt), String(SPEED)];
    const child = fork(program, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    starting.add(child);
    await once(child, "message");
    starting.delete(child);
    controllers.add(child);
  };
  const stop = async (child: ChildProcess): Promise<void> => {
    controllers.delete(child);
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  const services = await openServices(folder, now);
  const { ledger } = services;
  try {
    await Promise.all([start(), start(), start()]);
    const definition = {
      scraper: "county",
      when: { cron: "*/10 * * * *", zone: "Europe/Berlin" },
      inputsFrom: { rows: parcels(...INPUTS) },
      overlap: "allow",
    } as const;
    const origin = { origin: "api", guardsTargets: false, by: "test" } as const;
    const { createdAt } = await createSchedule(
      services,
      LOCAL_ACTOR,
      { name: "often", ...definition },
      origin,
    );
    const endsAt = Date.now() + seconds * 1000;
    let kills = 0;
    const ended = new Set<string>();
    while (Date.now() < endsAt) {
      await delay(Math.random() * 1500);
      const victims = [...controllers];
      const victim = victims[Math.floor(Math.random() * victims.length)];
      // One is left: with none, times would be missed, and told as such.
      if (victim && victims.length > 1) {
        await stop(victim);
        kills++;
        void start();
      }
      // Workers would end the jobs: here they are cancelled once they have their inputs.
      for (const { spec, isSealed } of await ledger.listJobs({ states: ["running"], limit: 200 }))
        if (isSealed && !ended.has(spec.id)) {
          ended.add(spec.id);
          await ledger.controlJob(spec.id, "cancel");
        }
    }
    await until(async () => controllers.size >= 3);
    const upTo = (await showSchedule(services, LOCAL_ACTOR, "often")).next[0]!;
    const lastAt = Date.parse(upTo.at) - 10 * MINUTE_MS;
    await until(async () => (await firingsUpTo(services, lastAt)).some(({ body }) => body.at === lastAt));
    await until(async () => (await ledger.listJobs({ states: ["loading"], limit: 1 })).length === 0);
    return { kills, ...(await judge(services, Date.parse(createdAt), lastAt)) };
  } finally {
    await Promise.all([...controllers, ...starting].map(stop));
    await services[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  }
};

type Services = Awaited<ReturnType<typeof openServices>>;

const firingsUpTo = async ({ ledger }: Services, upTo: number): Promise<StoredFiring[]> => {
  const found = (await ledger.documents.list("firing", {
    prefix: "often/",
    limit: 10_000,
  })) as StoredFiring[];
  return found.filter(({ body }) => body.at <= upTo);
};

const judge = async (
  services: Services,
  createdAt: number,
  lastAt: number,
): Promise<Omit<KilledControllers, "kills">> => {
  const { ledger } = services;
  const firings = await firingsUpTo(services, lastAt);
  const nominal: number[] = [];
  const step = 10 * MINUTE_MS;
  for (let at = Math.floor(createdAt / step) * step + step; at <= lastAt; at += step) nominal.push(at);
  const seen = firings.map(({ body }) => body.at);
  const wrong = [
    ...nominal.filter((at) => seen.filter((one) => one === at).length !== 1),
    ...seen.filter((at) => !nominal.includes(at)),
  ];
  const states: Record<string, number> = {};
  for (const { body } of firings) states[body.state] = (states[body.state] ?? 0) + 1;
  const jobs = await ledger.listJobs({ limit: 10_000 });
  const wrongJobs = jobs
    .filter(({ spec }) => (spec.firing?.at ?? 0) <= lastAt)
    .filter(
      ({ spec, counts }) =>
        firings.filter(({ body }) => body.job === spec.id && body.at === spec.firing?.at).length !== 1 ||
        counts.accepted !== INPUTS.length,
    )
    .map(({ spec }) => spec.id);
  const jobless = firings.filter(
    ({ body }) => body.job !== undefined && !jobs.some(({ spec }) => spec.id === body.job),
  );
  return {
    times: nominal.length,
    states,
    wrong: wrong.map((at) => new Date(at).toISOString()),
    wrongJobs: [...wrongJobs, ...jobless.map(({ body }) => body.job!)],
  };
};

/** At most a minute: the machine may be busy. */
const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  const endsAt = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error("it did not come to this within a minute");
    await delay(100);
  }
};
