import type { VNode } from "preact";
import { api } from "../api.ts";
import { useReloadOn } from "../live.ts";
import { useLoad } from "../load.ts";
import { CountBar, CountLink, State, STATE_ORDER } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { href, search, value } from "../router.ts";
import type { ScraperEntry } from "../../../src/client.ts";

const COLUMNS: readonly Column<ScraperEntry>[] = [
  {
    name: "Scraper",
    cell: ({ name, problem }) => (
      <>
        <a href={`/scrapers/${encodeURIComponent(name)}`}>{name}</a>
        {problem !== undefined && <p class="state s-failed wrap">✕ {problem}</p>}
      </>
    ),
  },
  {
    name: "Last success",
    cell: ({ lastSuccess }) =>
      lastSuccess ? <Time at={lastSuccess.endedAt} isRelative /> : <span class="quiet">never</span>,
  },
  {
    name: "Newest run",
    cell: ({ lastRun }) =>
      lastRun ? (
        <a href={`/jobs/${lastRun.id}`}>
          <State of={lastRun.state} />
        </a>
      ) : (
        "–"
      ),
  },
  {
    name: "Items",
    isMinor: true,
    cell: ({ lastRun }) =>
      lastRun && (
        <CountBar
          label="Items by state"
          isSmall
          parts={STATE_ORDER.map((name) => ({ name, count: lastRun.states[name] }))}
        />
      ),
  },
  {
    name: "Failed",
    isNumber: true,
    cell: ({ lastRun }) =>
      lastRun ? (
        <CountLink
          count={lastRun.states.failed}
          to={href(`/jobs/${lastRun.id}/items`, { state: "failed" })}
        />
      ) : (
        "–"
      ),
  },
  { name: "Kind", isMinor: true, cell: ({ kind = "–" }) => kind },
  { name: "Site", isMinor: true, cell: ({ site = "–" }) => <span class="wrap">{site}</span> },
];

const Scrapers = (): VNode => {
  const cursor = value("cursor");
  const list = useLoad(`scrapers?${search.value.toString()}`, () =>
    api.listScrapers({ runs: "true", limit: 100, ...(cursor !== undefined && { cursor }) }),
  );
  useReloadOn({ type: ["job.started", "job.completed", "job.cancelled", "job.paused"] }, list.reload);
  return (
    <>
      <h1>Scrapers</h1>
      <Table
        label="Scrapers"
        columns={COLUMNS}
        list={list}
        keyOf={({ name }) => name}
        empty={
          <p>
            No scrapers yet. <code>sluice init</code> creates a project with one.
          </p>
        }
      />
    </>
  );
};

export default Scrapers;
