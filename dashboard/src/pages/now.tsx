import type { VNode } from "preact";
import { api, may } from "../api.ts";
import { duration, number, percent, rate } from "../format.ts";
import { useReloadOn } from "../live.ts";
import { useLoad } from "../load.ts";
import { StateBar } from "../parts/state.tsx";
import { Problem } from "../parts/table.tsx";
import { now, Time } from "../parts/time.tsx";
import type { Job, Worker } from "../../../src/client.ts";

const MOST_SHOWN = 50;

interface Overview {
  readonly open: readonly Job[];
  readonly workers: readonly Worker[] | undefined;
}

const readOverview = async (): Promise<Overview> => {
  const [open, workers] = await Promise.all([
    api.listJobs({ state: ["loading", "running", "paused"], limit: MOST_SHOWN }),
    may("operator") ? api.listWorkers() : undefined,
  ]);
  return { open: open.data, workers: workers?.data };
};

const Now = (): VNode => {
  const { data, error, reload } = useLoad("now", readOverview);
  useReloadOn({}, reload);
  if (error !== undefined && !data) return <Problem error={error} retry={reload} />;
  if (!data) return <p class="loading">Loading…</p>;
  const { open, workers } = data;
  const running = open.filter(({ state }) => state !== "paused");
  return (
    <>
      <h1>Now</h1>
      <section>
        <h2>Needs a person</h2>
        <Needs jobs={open} />
      </section>
      <section>
        <h2>Running</h2>
        {running.length === 0 ? (
          <p class="empty">
            Nothing runs. <a href="/jobs">All jobs</a>
          </p>
        ) : (
          <ul class="runs">
            {running.map((job) => (
              <Run key={job.id} job={job} />
            ))}
          </ul>
        )}
      </section>
      {workers && <Workers workers={workers} hasWork={running.length > 0} />}
    </>
  );
};

const Needs = ({ jobs }: { readonly jobs: readonly Job[] }): VNode => {
  const held = jobs.flatMap((job) =>
    job.held.filter(({ probeAt }) => probeAt === undefined).map((hold) => ({ job, hold })),
  );
  const paused = jobs.filter(({ paused: why }) => why && why.cause !== "asked" && why.cause !== "lanes-held");
  if (held.length + paused.length === 0)
    return <p class="empty good">● Nothing. No lane is held and no job waits for a decision.</p>;
  return (
    <ul class="needs">
      {held.map(({ job, hold }) => (
        <li key={`${job.id} ${hold.lane}`}>
          <a href={`/jobs/${job.id}`}>
            <b>Lane {hold.lane} is held</b> in {job.scraper}
          </a>
          <p>{hold.reason}</p>
          <p class="quiet">
            <Time at={hold.heldAt} isRelative />
          </p>
        </li>
      ))}
      {paused.map((job) => (
        <li key={job.id}>
          <a href={`/jobs/${job.id}`}>
            <b>{job.id} is paused</b> ({job.scraper})
          </a>
          <p>{job.paused?.reason}</p>
        </li>
      ))}
    </ul>
  );
};

const Run = ({ job }: { readonly job: Job }): VNode => {
  const { progress, options } = job;
  const isLate =
    progress.etaAt !== null && options.deadlineAt !== undefined && progress.etaAt > options.deadlineAt;
  return (
    <li>
      <div class="run-head">
        <a href={`/jobs/${job.id}`} class="id">
          {job.id}
        </a>
        <span>{job.scraper}</span>
        <span class="quiet">
          {number(progress.ended)} of {number(job.counts.accepted)} · {percent(progress.share)}
          {progress.perSecond !== null && ` · ${rate(progress.perSecond)}`}
          {progress.etaAt !== null &&
            ` · ${duration(new Date(progress.etaAt).getTime() - now.value.getTime())} left`}
        </span>
        {isLate && <span class="state s-failed">✕ after its deadline</span>}
      </div>
      <StateBar job={job} isSmall />
    </li>
  );
};

const Workers = ({
  workers,
  hasWork,
}: {
  readonly workers: readonly Worker[];
  readonly hasWork: boolean;
}): VNode => {
  const items = workers.reduce((sum, worker) => sum + worker.items, 0);
  return (
    <section>
      <h2>Workers</h2>
      {workers.length === 0 ? (
        <p class={hasWork ? "problem" : "empty"}>
          No worker is connected. Start one with <code>sluice worker</code>.
        </p>
      ) : (
        <p>
          {number(workers.length)} connected, {number(items)} items in flight
          {workers.some(({ isDraining }) => isDraining) && ", some are draining"}.
        </p>
      )}
    </section>
  );
};

export default Now;
