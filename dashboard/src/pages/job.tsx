import type { VNode } from "preact";
import { api } from "../api.ts";
import { bytes, duration, itemRate, money, number, percent, rate } from "../format.ts";
import { useReloadOn } from "../live.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { Facts } from "../parts/facts.tsx";
import { CountBar, CountLink, State, StateBar } from "../parts/state.tsx";
import { Crumbs, Problem, Rows } from "../parts/table.tsx";
import { now, Time } from "../parts/time.tsx";
import { href } from "../router.ts";
import type { Job } from "../../../src/client.ts";
import { FailuresOverTime } from "./job/failure-times.tsx";
import { Held } from "./job/held.tsx";
import { LanesOfJob } from "./job/lanes.tsx";
import { JobActions, RetryKind } from "./job/actions.tsx";

const JobPage = ({ params }: PageProps): VNode => {
  const id = params["job"]!;
  const { data: job, error, reload } = useLoad(`job ${id}`, () => api.getJob(id));
  useReloadOn({ job: id }, reload);
  if (!job)
    return error === undefined ? <p class="loading">Loading…</p> : <Problem error={error} retry={reload} />;
  return (
    <>
      <Crumbs steps={[["Jobs", "/jobs"]]} />
      <div class="head">
        <div>
          <h1>{job.id}</h1>
          <p>
            <State of={job.state} /> ·{" "}
            <a href={`/scrapers/${encodeURIComponent(job.scraper)}`}>{job.scraper}</a>{" "}
            <span class="quiet">· client {job.client}</span>{" "}
            {Object.entries(job.labels).map(([name, value]) => (
              <a key={name} class="chip" href={href("/jobs", { label: `${name}=${value}` })}>
                {name}={value}
              </a>
            ))}
          </p>
        </div>
        <JobActions job={job} reload={reload} />
      </div>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {job.paused && (
        <p class="notice">
          Paused since <Time at={job.paused.at} />
          {job.paused.cause === "asked" ? " on request" : `: ${job.paused.reason}`}
        </p>
      )}
      <section aria-label="Items">
        <StateBar job={job} />
      </section>
      <section aria-label="Progress">
        <Progress job={job} />
      </section>
      {job.held.map((hold) => (
        <Held key={hold.lane} job={job} hold={hold} />
      ))}
      <div class="columns">
        <section>
          <h2>Failures</h2>
          <Failures job={job} reload={reload} />
          <FailuresOverTime job={job} />
        </section>
        <section>
          <h2>Fields</h2>
          <Fields job={job} />
        </section>
      </div>
      <LanesOfJob job={job} />
      <Inputs job={job} />
    </>
  );
};

const Progress = ({ job }: { readonly job: Job }): VNode => {
  const { progress, options, counts, cost } = job;
  const left = progress.etaAt === null ? undefined : new Date(progress.etaAt).getTime() - now.value.getTime();
  const isLate =
    progress.etaAt !== null && options.deadlineAt !== undefined && progress.etaAt > options.deadlineAt;
  const ended = new Date(job.endedAt ?? now.value).getTime() - new Date(job.createdAt).getTime();
  return (
    <Facts
      facts={[
        [
          "Items ended",
          // How many there will be is known when all are loaded.
          `${number(progress.ended)} of ${number(counts.accepted)} ${job.state === "loading" ? "so far" : `(${percent(progress.share)})`}`,
        ],
        ["Rate", progress.perSecond === null ? undefined : itemRate(progress.perSecond)],
        ["Time left", left === undefined ? undefined : duration(Math.max(0, left))],
        [
          "Deadline",
          options.deadlineAt && (
            <>
              <Time at={options.deadlineAt} />{" "}
              {isLate && <span class="state s-failed">✕ not at this rate</span>}
            </>
          ),
        ],
        ["Created", <Time at={job.createdAt} />],
        ["Ended at", job.endedAt && <Time at={job.endedAt} />],
        [job.endedAt === undefined ? "Age" : "Took", duration(ended)],
        ["Requests", number(cost.requests)],
        ["Fetched", bytes(cost.bytes)],
        ["Cost of proxies", job.totalCost > 0 ? money(job.totalCost) : undefined],
        ["Pace", options.pace.perSecond === null ? "no limit" : `${rate(options.pace.perSecond)} per lane`],
        [
          "Partial records",
          counts.partial > 0 ? (
            <CountLink count={counts.partial} to={href(`/jobs/${job.id}/items`, { quality: "partial" })} />
          ) : undefined,
        ],
        [
          "Changes",
          job.changes &&
            Object.entries(job.changes).map(([change, count]) => (
              <span key={change} class="spaced">
                {change} <CountLink count={count} to={href(`/jobs/${job.id}/items`, { change })} />
              </span>
            )),
        ],
        ["Scraper version", <span class="id">{job.version}</span>],
        [
          "Results",
          ["csv", "jsonl", "parquet"].map((format) => (
            <a key={format} class="spaced" href={`/v1/jobs/${job.id}/results?format=${format}`} download>
              {format}
            </a>
          )),
        ],
      ]}
    />
  );
};

const Failures = ({ job, reload }: { readonly job: Job; readonly reload: () => void }): VNode => {
  const kinds = new Set([...job.failures.map(({ kind }) => kind), ...Object.keys(job.attemptFailures)]);
  const rows = [...kinds].map((kind) => ({
    kind: kind as Job["failures"][number]["kind"],
    attempts: job.attemptFailures[kind as keyof Job["attemptFailures"]] ?? 0,
    failed: job.failures.find((one) => one.kind === kind),
  }));
  if (rows.length === 0) return <p class="empty good">● No attempt has failed.</p>;
  return (
    <Rows
      label="Failures by kind"
      keyOf={({ kind }) => kind}
      rows={rows.toSorted(
        (a, b) => (b.failed?.count ?? 0) - (a.failed?.count ?? 0) || b.attempts - a.attempts,
      )}
      columns={[
        {
          name: "Kind",
          cell: ({ kind, failed }) => (
            <>
              {kind}
              {failed && failed.count > 0 && <p class="quiet small wrap">{failed.exampleDetail}</p>}
            </>
          ),
        },
        {
          name: "Items",
          isNumber: true,
          cell: ({ kind, failed }) => (
            <CountLink
              count={failed?.count ?? 0}
              to={href(`/jobs/${job.id}/items`, { state: "failed", kind })}
            />
          ),
        },
        { name: "Attempts", isNumber: true, cell: ({ attempts }) => number(attempts) },
        {
          name: "Actions",
          cell: ({ kind, failed }) => (
            <RetryKind job={job} kind={kind} count={failed?.count ?? 0} reload={reload} />
          ),
        },
      ]}
    />
  );
};

const STATUSES = ["present", "empty", "missing", "malformed"] as const;

const Fields = ({ job }: { readonly job: Job }): VNode => {
  const rows = Object.entries(job.fields).map(([name, counts]) => ({ name, counts }));
  if (rows.length === 0) return <p class="empty">This job reads no fields.</p>;
  return (
    <Rows
      label="Fields by status"
      keyOf={({ name }) => name}
      rows={rows}
      columns={[
        {
          name: "Field",
          cell: ({ name, counts }) => (
            <>
              {name}
              {counts.isOptional && <span class="quiet"> optional</span>}
              <CountBar
                isSmall
                label={`Status of ${name}`}
                parts={STATUSES.map((status) => ({
                  // An optional field that is not there is nothing wrong.
                  name: counts.isOptional && status === "missing" ? "empty" : status,
                  count: counts[status],
                }))}
              />
            </>
          ),
        },
        ...STATUSES.map((status) => ({
          name: status,
          isNumber: true,
          cell: ({ name, counts }: (typeof rows)[number]) =>
            status === "present" ? (
              number(counts.present)
            ) : (
              <CountLink count={counts[status]} to={href(`/jobs/${job.id}/items`, { field: name, status })} />
            ),
        })),
      ]}
    />
  );
};

/** Inputs that did not become items. */
const Inputs = ({ job }: { readonly job: Job }): VNode | null => {
  const { counts, rejects } = job;
  if (counts.rejected + counts.folded + counts.capped === 0) return null;
  return (
    <section>
      <h2>Inputs that did not become items</h2>
      <p>
        {number(counts.rejected)} rejected, {number(counts.folded)} with a key that the job already had,{" "}
        {number(counts.capped)} beyond a limit.
      </p>
      {rejects.length > 0 && (
        <Rows
          label="Rejected inputs"
          keyOf={({ line, parent }) => `${parent ?? ""} ${line}`}
          rows={rejects}
          columns={[
            { name: "Line", isNumber: true, cell: ({ line }) => number(line) },
            { name: "Problem", cell: ({ problem }) => <span class="wrap">{problem}</span> },
          ]}
        />
      )}
    </section>
  );
};

export default JobPage;
