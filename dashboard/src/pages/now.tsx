import type { VNode } from "preact";
import { api, may } from "../api.ts";
import { duration, glued, itemRate, number, percent } from "../format.ts";
import { useEvery, useReloadOn } from "../live.ts";
import { useLoad } from "../load.ts";
import { StateBar } from "../parts/state.tsx";
import { Problem } from "../parts/table.tsx";
import { now, Time } from "../parts/time.tsx";
import type { Job, Worker } from "../../../src/client.ts";
import { type Need, needsOfJobs, readNeeds } from "./now/needs.ts";

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
  // These change seldom, and not with every event.
  const needs = useLoad("needs", readNeeds);
  useEvery(needs.reload, 15_000);
  if (error !== undefined && !data) return <Problem error={error} retry={reload} />;
  if (!data) return <p class="loading">Loading…</p>;
  const { open, workers } = data;
  const running = open.filter(({ state }) => state !== "paused");
  return (
    <>
      <h1>Now</h1>
      <section>
        <h2>Needs attention</h2>
        <Needs needs={[...needsOfJobs(open), ...(needs.data ?? [])]} />
      </section>
      <section>
        <h2>Running</h2>
        {running.length === 0 ? (
          <p class="empty">
            No jobs are running. <a href="/jobs">All jobs</a>
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

const Needs = ({ needs }: { readonly needs: readonly Need[] }): VNode =>
  needs.length === 0 ? (
    <p class="empty good">● Nothing. No lane is held, no job waits for a decision, and nothing is late.</p>
  ) : (
    <ul class="needs">
      {needs.map(({ title, of, to, text, at }) => (
        <li key={`${title} ${to} ${at}`}>
          <a href={to}>
            <b>{title}</b> {of}
          </a>
          <p>{glued(text)}</p>
          {at !== undefined && (
            <p class="quiet">
              <Time at={at} isRelative />
            </p>
          )}
        </li>
      ))}
    </ul>
  );

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
          {number(progress.ended)} of {number(job.counts.accepted)}
          {job.state === "loading" ? " so far, inputs are still loading" : ` · ${percent(progress.share)}`}
          {progress.perSecond !== null && ` · ${itemRate(progress.perSecond)}`}
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
