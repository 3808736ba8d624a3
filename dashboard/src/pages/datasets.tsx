import type { VNode } from "preact";
import { api } from "../api.ts";
import { number } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import { State } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import type { DatasetView } from "../../../src/client.ts";

const COLUMNS: readonly Column<DatasetView>[] = [
  { name: "Dataset", cell: ({ name }) => <a href={`/datasets/${encodeURIComponent(name)}`}>{name}</a> },
  {
    name: "Current release",
    cell: ({ name, current }) =>
      current ? (
        <>
          <a href={`/datasets/${encodeURIComponent(name)}/releases/${current.release}`}>{current.release}</a>{" "}
          <span class="quiet">
            <Time at={current.at} isRelative />
          </span>
        </>
      ) : (
        <span class="quiet">none yet</span>
      ),
  },
  {
    name: "State",
    cell: ({ isLate, current, last }) =>
      isLate ? (
        <State of="failed" label="late" />
      ) : current && last > current.release ? (
        <State of="waiting" label={`release ${number(last)} is not published`} />
      ) : (
        <State of={current ? "done" : "queued"} label={current ? "up to date" : "nothing published"} />
      ),
  },
  { name: "Sources", cell: ({ spec }) => spec.sources.map(({ scraper }) => scraper).join(", ") },
  { name: "Client", isMinor: true, cell: ({ client }) => client },
  {
    name: "Declared in",
    isMinor: true,
    cell: ({ isDeclared }) => (isDeclared ? "sluice.config.ts" : "the API"),
  },
];

const Datasets = (): VNode => {
  const list = useLoad("datasets", () => api.datasets.listDatasets());
  useEvery(list.reload, 10_000);
  return (
    <>
      <h1>Datasets</h1>
      <Table
        label="Datasets"
        columns={COLUMNS}
        list={list}
        keyOf={({ name }) => name}
        empty={
          <p>
            No datasets yet. A dataset is made of the records of scrapers; its releases are audited before
            anybody gets them. Declare one in <code>sluice.config.ts</code>, under <code>datasets</code>.
          </p>
        }
      />
    </>
  );
};

export default Datasets;
