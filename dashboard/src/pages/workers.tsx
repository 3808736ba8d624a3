import type { VNode } from "preact";
import { api } from "../api.ts";
import { duration, number } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import { Facts } from "../parts/facts.tsx";
import { State } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import type { Page, Scale, Worker } from "../../../src/client.ts";

const stateOf = ({ isDraining, isAlone, items }: Worker): VNode =>
  isDraining ? (
    <State of="paused" label="draining" />
  ) : isAlone ? (
    <State of="waiting" label="runs suspects one by one" />
  ) : (
    <State of={items > 0 ? "running" : "queued"} label={items > 0 ? "running" : "idle"} />
  );

const COLUMNS: readonly Column<Worker>[] = [
  { name: "Worker", cell: ({ name }) => <span class="id wrap">{name}</span> },
  { name: "State", cell: stateOf },
  {
    name: "Items",
    isNumber: true,
    cell: ({ items, concurrency }) =>
      concurrency === undefined ? number(items) : `${number(items)} of ${number(concurrency)}`,
  },
  {
    name: "Jobs",
    cell: ({ holds }) =>
      holds.length > 0 && (
        <ul>
          {[...new Set(holds.map(({ job }) => job))].slice(0, 5).map((job) => (
            <li key={job}>
              <a href={`/jobs/${job}`} class="id">
                {job}
              </a>
            </li>
          ))}
        </ul>
      ),
  },
  {
    name: "Takes",
    isMinor: true,
    cell: ({ kinds, lanes }) =>
      [kinds?.join(", ") ?? "every kind", lanes && `lanes ${lanes.join(", ")}`].filter(Boolean).join("; "),
  },
  {
    name: "Machine",
    isMinor: true,
    cell: ({ host, pid, cores, memoryMb }) =>
      [
        host,
        pid !== undefined && `pid ${pid}`,
        cores !== undefined && `${cores} ${cores === 1 ? "core" : "cores"}`,
        memoryMb !== undefined && `${number(memoryMb)} MB`,
      ]
        .filter(Boolean)
        .join(", "),
  },
  { name: "Version", isMinor: true, cell: ({ version = "–" }) => version },
  {
    name: "Lost in",
    isNumber: true,
    isMinor: true,
    cell: ({ leaseMs, items }) => (items === 0 ? "–" : duration(leaseMs)),
  },
];

const Workers = (): VNode => {
  const list = useLoad("workers", async (): Promise<Page<Worker> & { readonly scale: Scale }> => {
    const [workers, scale] = await Promise.all([api.listWorkers(), api.getScale()]);
    return { ...workers, scale };
  });
  useEvery(list.reload);
  const { data } = list;
  return (
    <>
      <h1>Workers</h1>
      {data && (
        <section>
          <Facts
            facts={[
              ["Workers connected", number(data.data.length)],
              ["Workers needed now", number(data.scale.workers)],
              ["Items ready, no browser", number(data.scale.kinds.http.items)],
              ["Items ready, browser", number(data.scale.kinds.browser.items)],
            ]}
          />
          {data.data.length < data.scale.workers && (
            <p class="notice">
              More workers would help: start {number(data.scale.workers - data.data.length)} more with{" "}
              <code>sluice worker</code>, or on another machine with{" "}
              <code>sluice worker --ledger {location.origin} --key-file FILE</code>.
            </p>
          )}
        </section>
      )}
      <Table
        label="Workers"
        columns={COLUMNS}
        list={list}
        keyOf={({ name }) => name}
        empty={
          <p>
            No worker is connected. Start one with <code>sluice worker</code>, or on another machine with{" "}
            <code>sluice worker --ledger {location.origin} --key-file FILE</code>.
          </p>
        }
      />
      {data && data.data.length > 0 && (
        <p class="quiet hint">
          “Lost in”: after so long without a response, the items of a worker go to other workers.
        </p>
      )}
    </>
  );
};

export default Workers;
