import type { VNode } from "preact";
import { api, may } from "../api.ts";
import { compact, number, percent, rate } from "../format.ts";
import { useReloadOn } from "../live.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { Facts } from "../parts/facts.tsx";
import { CountLink, State, StateBar } from "../parts/state.tsx";
import { type Column, Crumbs, Problem, Rows } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { href } from "../router.ts";
import { Compare } from "./scraper/compare.tsx";
import { Drift } from "./scraper/drift.tsx";
import { HeatMap } from "./scraper/heat.tsx";
import { VersionList } from "./scraper/versions.tsx";
import type { Job, Scraper } from "../../../src/client.ts";

/** Columns of the heat map. */
const MOST_RUNS = 20;

const ScraperPage = ({ params }: PageProps): VNode => {
  const name = params["scraper"]!;
  // Apart: its fixtures are run for it, and its runs are worth seeing even if it cannot be loaded.
  const scraper = useLoad(`scraper ${name}`, () => api.getScraper(name));
  const list = useLoad(`runs of ${name}`, () => api.listJobs({ scraper: name, limit: MOST_RUNS }));
  useReloadOn({ type: ["job.started", "job.completed", "job.cancelled", "job.paused"] }, list.reload);
  const runs = list.data?.data;
  return (
    <>
      <Crumbs steps={[["Scrapers", "/scrapers"]]} />
      <div class="head">
        <h1>{name}</h1>
        <div class="buttons">
          <a class="button" href={href("/submit", { scraper: name })}>
            Submit a job
          </a>
          <a class="button" href={href("/jobs", { scraper: name })}>
            All jobs
          </a>
        </div>
      </div>
      {list.error !== undefined && <Problem error={list.error} retry={list.reload} />}
      {scraper.error !== undefined && <Problem error={scraper.error} retry={scraper.reload} />}
      {runs && (
        <>
          <About scraper={scraper.data} runs={runs} />
          <section>
            <h2>Fields by run</h2>
            <HeatMap runs={runs} />
          </section>
          <section>
            <h2>Findings</h2>
            <Drift scraper={name} />
          </section>
          <section>
            <h2>Runs</h2>
            {runs.length === 0 ? (
              <p class="empty">
                No runs yet. <a href={href("/submit", { scraper: name })}>Submit a job</a>
              </p>
            ) : (
              <Rows label="Runs" rows={runs} keyOf={({ id }) => id} columns={RUN_COLUMNS} />
            )}
          </section>
          <section>
            <h2>Compare runs</h2>
            <Compare runs={runs} />
          </section>
          {may("operator") && (
            <section>
              <h2>Versions</h2>
              <VersionList scraper={name} />
            </section>
          )}
        </>
      )}
    </>
  );
};

const About = ({
  scraper,
  runs,
}: {
  readonly scraper: Scraper | undefined;
  readonly runs: readonly Job[];
}): VNode => {
  const { kind, site, lane, version, pace, emitsTo, fixtures, owner } = scraper ?? {};
  const success = runs.find(({ state }) => state === "done");
  return (
    <section>
      <Facts
        facts={[
          [
            "Last success",
            success?.endedAt === undefined ? (
              "none of the last runs"
            ) : (
              <Time at={success.endedAt} isRelative />
            ),
          ],
          ["Kind", kind],
          ["Site", site],
          ["Lane", lane && <a href={`/lanes/${encodeURIComponent(lane)}`}>{lane}</a>],
          ["Owner", owner],
          ["Version", version && <span class="id">{version.slice(0, 19)}</span>],
          [
            "Pace",
            pace &&
              `${pace.perSecond === null ? "no limit" : rate(pace.perSecond)}, ${number(pace.concurrency)} at once`,
          ],
          ["Emits to", emitsTo?.join(", ")],
          ["Fixtures", fixtures && <Fixtures of={fixtures} />],
        ]}
      />
    </section>
  );
};

const Fixtures = ({
  of: { cases, passed, failed, problem },
}: {
  readonly of: NonNullable<Scraper["fixtures"]>;
}): VNode => {
  if (problem !== undefined) return <State of="failed" label={problem} />;
  if (cases === 0)
    return (
      <span class="quiet">
        none: <code>sluice capture</code> keeps pages as tests
      </span>
    );
  if (failed.length === 0) return <State of="done" label={`${number(passed)} pass`} />;
  return (
    <State of="failed" label={`${number(failed.length)} of ${number(cases)} fail: ${failed.join(", ")}`} />
  );
};

const RUN_COLUMNS: readonly Column<Job>[] = [
  {
    name: "Job",
    cell: ({ id }) => (
      <a href={`/jobs/${id}`} class="id">
        {id}
      </a>
    ),
  },
  { name: "State", cell: ({ state }) => <State of={state} /> },
  { name: "Items", cell: (job) => <StateBar job={job} isSmall /> },
  { name: "Accepted", isNumber: true, cell: ({ counts }) => compact(counts.accepted) },
  {
    name: "Failed",
    isNumber: true,
    cell: ({ id, counts }) => (
      <CountLink count={counts.states.failed} to={href(`/jobs/${id}/items`, { state: "failed" })} />
    ),
  },
  {
    name: "Partial",
    isNumber: true,
    isMinor: true,
    cell: ({ id, counts }) => (
      <CountLink count={counts.partial} to={href(`/jobs/${id}/items`, { quality: "partial" })} />
    ),
  },
  { name: "Ended", isNumber: true, isMinor: true, cell: ({ progress }) => percent(progress.share) },
  { name: "Version", isMinor: true, cell: ({ version }) => <span class="id">{version.slice(0, 10)}</span> },
  { name: "Started", isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export default ScraperPage;
