import type { VNode } from "preact";
import { api } from "../api.ts";
import { compact, number, percent, rate } from "../format.ts";
import { useReloadOn } from "../live.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { Facts } from "../parts/facts.tsx";
import { CountLink, State, StateBar } from "../parts/state.tsx";
import { type Column, Crumbs, Problem, Rows } from "../parts/table.tsx";
import { now, Time } from "../parts/time.tsx";
import { href } from "../router.ts";
import { duration } from "../format.ts";
import { Compare } from "./scraper/compare.tsx";
import { HeatMap } from "./scraper/heat.tsx";
import type { Job, Scraper } from "../../../src/client.ts";

/** Columns of the heat map. */
const MOST_RUNS = 20;

const ScraperPage = ({ params }: PageProps): VNode => {
  const name = params["scraper"]!;
  const { data, error, reload } = useLoad(`scraper ${name}`, async () => {
    const [scraper, runs] = await Promise.all([
      // Its jobs are worth seeing even if the scraper cannot be loaded.
      api.getScraper(name).catch((problem: unknown) => ({ problem })),
      api.listJobs({ scraper: name, limit: MOST_RUNS }),
    ]);
    return { scraper, runs: runs.data };
  });
  useReloadOn({ type: ["job.started", "job.completed", "job.cancelled", "job.paused"] }, reload);
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
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data && (
        <>
          {"problem" in data.scraper ? (
            <Problem error={data.scraper.problem} retry={reload} />
          ) : (
            <About scraper={data.scraper} runs={data.runs} />
          )}
          <section>
            <h2>Fields by run</h2>
            <HeatMap runs={data.runs} />
          </section>
          <section>
            <h2>Runs</h2>
            {data.runs.length === 0 ? (
              <p class="empty">
                No runs yet. <a href={href("/submit", { scraper: name })}>Submit a job</a>
              </p>
            ) : (
              <Rows label="Runs" rows={data.runs} keyOf={({ id }) => id} columns={RUN_COLUMNS} />
            )}
          </section>
          <section>
            <h2>Run against run</h2>
            <Compare runs={data.runs} />
          </section>
        </>
      )}
    </>
  );
};

const About = ({ scraper, runs }: { readonly scraper: Scraper; readonly runs: readonly Job[] }): VNode => {
  const { kind, site, lane, version, pace, emitsTo, fixtures, owner } = scraper;
  const success = runs.find(({ state }) => state === "done");
  return (
    <section>
      <Facts
        facts={[
          [
            "Last success",
            success?.endedAt === undefined
              ? "none of the last runs"
              : `${duration(now.value.getTime() - new Date(success.endedAt).getTime())} ago`,
          ],
          ["Kind", kind],
          ["Site", site],
          ["Lane", lane && <a href={`/lanes/${encodeURIComponent(lane)}`}>{lane}</a>],
          ["Owner", owner],
          ["Version", <span class="id">{version.slice(0, 19)}</span>],
          [
            "Pace",
            `${pace.perSecond === null ? "no limit" : rate(pace.perSecond)}, ${number(pace.concurrency)} at once`,
          ],
          ["Emits to", emitsTo.join(", ")],
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
  if (cases === 0) return <span class="quiet">none: `sluice capture` keeps pages as tests</span>;
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
