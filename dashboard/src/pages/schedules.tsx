import type { VNode } from "preact";
import { api } from "../api.ts";
import { duration, number } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import { State } from "../parts/state.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { value } from "../router.ts";
import { Calendar, type Shown } from "./schedules/calendar.tsx";
import { FiringState, whenText } from "./schedules/firing.tsx";

/** Each has its firings read too. */
const MOST_SHOWN = 20;

const COLUMNS: readonly Column<Shown>[] = [
  {
    name: "Schedule",
    cell: ({ schedule: { name } }) => <a href={`/schedules/${encodeURIComponent(name)}`}>{name}</a>,
  },
  {
    name: "State",
    cell: ({ schedule, firings: [last] }) =>
      schedule.pausedAt !== undefined ? (
        <State of="paused" label={`paused by ${schedule.pausedBy ?? "an operator"}`} />
      ) : last ? (
        <>
          <FiringState of={last} /> <span class="quiet">{last.reason}</span>
        </>
      ) : (
        <State of="queued" label="never fired" />
      ),
  },
  {
    name: "Next",
    cell: ({ schedule: { next } }) => <Time at={next[0]?.at} isRelative />,
  },
  { name: "When", isMinor: true, cell: ({ schedule }) => whenText(schedule, duration) },
  { name: "Scraper", isMinor: true, cell: ({ schedule: { scraper } }) => scraper },
  {
    name: "Last success",
    isMinor: true,
    cell: ({ schedule: { lastSuccessAt } }) => <Time at={lastSuccessAt} isRelative />,
  },
  { name: "Skipped", isNumber: true, cell: ({ schedule: { counts } }) => number(counts.skipped) },
  { name: "Missed", isNumber: true, cell: ({ schedule: { counts } }) => number(counts.missed) },
];

const Schedules = (): VNode => {
  const cursor = value("cursor");
  const list = useLoad(`schedules ${cursor ?? ""}`, async () => {
    const page = await api.schedules.list({ limit: MOST_SHOWN, ...(cursor !== undefined && { cursor }) });
    const data = await Promise.all(
      page.data.map(async (schedule): Promise<Shown> => {
        const { data: firings } = await api.schedules.firings(schedule.name, { limit: 50 });
        return { schedule, firings };
      }),
    );
    return { ...page, data };
  });
  useEvery(list.reload, 10_000);
  return (
    <>
      <h1>Schedules</h1>
      <section>
        <Table
          label="Schedules"
          columns={COLUMNS}
          list={list}
          keyOf={({ schedule }) => schedule.name}
          empty={
            <p>
              No schedules yet. Declare one in <code>sluice.config.ts</code>, under <code>schedules</code>, or
              run <code>sluice schedules create</code>.
            </p>
          }
        />
      </section>
      {list.data && list.data.data.length > 0 && (
        <section>
          <h2>Calendar</h2>
          <Calendar shown={list.data.data} />
          <p class="hint quiet">
            Grey: the next times, at most five for each schedule. With jitter, a firing starts later than
            shown.
          </p>
        </section>
      )}
    </>
  );
};

export default Schedules;
