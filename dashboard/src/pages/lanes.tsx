import type { VNode } from "preact";
import { api } from "../api.ts";
import { compact, percent, rate } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import { FilterForm } from "../parts/filter-form.tsx";
import { Chips, type Column, Table } from "../parts/table.tsx";
import { LaneState } from "../parts/lane-state.tsx";
import { search, value } from "../router.ts";
import type { Lane } from "../../../src/client.ts";

const COLUMNS: readonly Column<Lane>[] = [
  {
    name: "Lane",
    cell: ({ lane }) => (
      <a href={`/lanes/${encodeURIComponent(lane)}`} class="id wrap">
        {lane}
      </a>
    ),
  },
  { name: "State", cell: (lane) => <LaneState lane={lane} /> },
  {
    name: "Allowed",
    isNumber: true,
    cell: ({ perSecond }) => (perSecond === null ? "no limit" : rate(perSecond)),
  },
  { name: "Used", isNumber: true, cell: ({ usedPerSecond }) => rate(usedPerSecond) },
  {
    name: "Learned",
    isNumber: true,
    isMinor: true,
    cell: ({ factor }) => (factor === 1 ? "full pace" : percent(factor)),
  },
  {
    name: "Operator",
    isNumber: true,
    isMinor: true,
    cell: ({ operatorPerSecond }) => (operatorPerSecond === null ? "–" : rate(operatorPerSecond)),
  },
  { name: "In flight", isNumber: true, isMinor: true, cell: ({ inFlight }) => compact(inFlight) },
  { name: "Backlog", isNumber: true, cell: ({ backlog }) => compact(backlog) },
  {
    name: "Proxy tier",
    isMinor: true,
    cell: ({ proxies = [] }) => (proxies.length === 0 ? "–" : proxies.map(({ tier }) => tier).join(", ")),
  },
];

const Lanes = (): VNode => {
  const [prefix, held, cursor] = [value("prefix"), value("held"), value("cursor")];
  const list = useLoad(`lanes?${search.value.toString()}`, () =>
    api.listLanes({
      limit: 50,
      ...(prefix !== undefined && { prefix }),
      ...(held === "true" && { held }),
      ...(cursor !== undefined && { cursor }),
    }),
  );
  useEvery(list.reload);
  return (
    <>
      <h1>Lanes</h1>
      <p class="quiet lead">
        A lane is the unit of rate limiting, usually one site. All jobs share its requests per second.
      </p>
      <div class="filters">
        <FilterForm filters={[{ name: "prefix", label: "Name begins with" }]} submit="Find" />
        <Chips name="held" label="State" options={[{ value: "true", label: "held" }]} />
      </div>
      <Table
        label="Lanes"
        columns={COLUMNS}
        list={list}
        keyOf={({ lane }) => lane}
        empty={
          held === "true" ? (
            <p>
              No lane{prefix !== undefined && ` that begins with “${prefix}”`} is held.{" "}
              <a href="/lanes">Show all lanes</a>
            </p>
          ) : prefix === undefined ? (
            <p>
              No lanes yet. The first item of a site creates its lane: <a href="/submit">submit a job</a>.
            </p>
          ) : (
            <p>
              No lane begins with “{prefix}”. <a href="/lanes">Show all lanes</a>
            </p>
          )
        }
      />
    </>
  );
};

export default Lanes;
