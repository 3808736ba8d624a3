import type { VNode } from "preact";
import { api, may } from "../api.ts";
import { compact, percent, rate } from "../format.ts";
import { useReloadOn } from "../live.ts";
import { useLoad } from "../load.ts";
import { FilterForm } from "../parts/filter-form.tsx";
import { CountLink, State, StateBar } from "../parts/state.tsx";
import { Chips, type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { href, search, value, values } from "../router.ts";
import type { Job, JobState } from "../../../src/client.ts";

const STATES = ["loading", "running", "paused", "done", "cancelled"] as const;

const FILTERS = [
  { name: "scraper", label: "Scraper" },
  { name: "label", label: "Label", placeholder: "Label: name=value", pattern: "[^=]+=.+" },
];

const columns = (): readonly Column<Job>[] => [
  {
    name: "Job",
    cell: (job) => (
      <a href={`/jobs/${job.id}`} class="id">
        {job.id}
      </a>
    ),
  },
  { name: "Scraper", cell: ({ scraper }) => scraper },
  ...(may("operator") ? [{ name: "Client", cell: ({ client }: Job) => client, isMinor: true }] : []),
  { name: "State", cell: ({ state }) => <State of={state} /> },
  { name: "Items", cell: (job) => <StateBar job={job} isSmall /> },
  // While inputs are loaded, nobody knows how many there will be.
  {
    name: "Ended",
    isNumber: true,
    cell: ({ state, progress }) => (state === "loading" ? "–" : percent(progress.share)),
  },
  {
    name: "Failed",
    isNumber: true,
    cell: ({ id, counts }) => (
      <CountLink count={counts.states.failed} to={href(`/jobs/${id}/items`, { state: "failed" })} />
    ),
  },
  { name: "Accepted", isNumber: true, isMinor: true, cell: ({ counts }) => compact(counts.accepted) },
  {
    name: "Rate",
    isNumber: true,
    isMinor: true,
    cell: ({ progress }) => (progress.perSecond === null ? "–" : rate(progress.perSecond)),
  },
  { name: "Created", isMinor: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const Jobs = (): VNode => {
  const key = `jobs?${search.value.toString()}`;
  const state = values("state") as readonly JobState[];
  const [scraper, label, client, cursor] = ["scraper", "label", "client", "cursor"].map((name) =>
    value(name),
  );
  const list = useLoad(key, () =>
    api.listJobs({
      limit: 50,
      ...(state.length > 0 && { state }),
      ...(scraper !== undefined && { scraper }),
      ...(label !== undefined && { label }),
      ...(client !== undefined && { client }),
      ...(cursor !== undefined && { cursor }),
    }),
  );
  useReloadOn({}, list.reload);
  return (
    <>
      <h1>Jobs</h1>
      <div class="filters">
        <Chips
          name="state"
          label="State"
          options={STATES.map((one) => ({ value: one, label: <State of={one} /> }))}
        />
        <FilterForm filters={FILTERS} submit="Filter" />
      </div>
      <Table
        label="Jobs"
        columns={columns()}
        list={list}
        keyOf={({ id }) => id}
        empty={
          search.value.size > 0 ? (
            <p>
              No job matches. <a href="/jobs">Show all jobs</a>
            </p>
          ) : (
            <p>
              No jobs yet. Start one with{" "}
              <code>sluice submit SCRAPER inputs.csv --server {location.origin}</code>.
            </p>
          )
        }
      />
    </>
  );
};

export default Jobs;
