/** Where the items of a job wait: its lanes, each with what is left in it. */
import type { VNode } from "preact";
import { api, may } from "../../api.ts";
import { number } from "../../format.ts";
import { useEvery } from "../../live.ts";
import { useLoad } from "../../load.ts";
import { JobLaneState } from "../../parts/lane-state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { hrefWith, value } from "../../router.ts";
import type { Job, JobLane } from "../../../../src/client.ts";

const COLUMNS: readonly Column<JobLane>[] = [
  {
    name: "Lane",
    cell: ({ lane }) =>
      may("operator") ? (
        <a href={`/lanes/${encodeURIComponent(lane)}`} class="id wrap">
          {lane}
        </a>
      ) : (
        <span class="id wrap">{lane}</span>
      ),
  },
  { name: "State", cell: (lane) => <JobLaneState lane={lane} /> },
  { name: "Backlog", isNumber: true, cell: ({ backlog }) => number(backlog) },
  { name: "In flight", isNumber: true, cell: ({ inFlight }) => number(inFlight) },
  { name: "Waiting for a retry", isNumber: true, isMinor: true, cell: ({ waiting }) => number(waiting) },
];

export const LanesOfJob = ({ job }: { readonly job: Job }): VNode => {
  const [shown, cursor] = [value("lanes"), value("cursor")];
  // Of a job that has ended, there is nothing left to look for.
  const isAll = shown === "all" || job.endedAt !== undefined;
  const list = useLoad(`lanes of ${job.id} ${isAll} ${cursor}`, async () => {
    const page = await api.listJobLanes(job.id, {
      limit: 50,
      ...(!isAll && { backlog: "true" }),
      ...(cursor !== undefined && { cursor }),
    });
    const isWhole = cursor === undefined && page.next === undefined;
    return isWhole ? { ...page, data: page.data.toSorted((a, b) => b.backlog - a.backlog) } : page;
  });
  useEvery(list.reload, job.endedAt === undefined ? 3000 : 60_000);
  return (
    <section>
      <h2>Lanes</h2>
      {job.endedAt === undefined && (
        <p class="quiet">
          {isAll ? "All lanes of the job." : "Only lanes with items left."}{" "}
          <a href={hrefWith({ lanes: isAll ? undefined : "all" })}>
            {isAll ? "Show only lanes with items left" : "Show all lanes"}
          </a>
        </p>
      )}
      <Table
        label="Lanes of the job"
        columns={COLUMNS}
        list={list}
        keyOf={({ lane }) => lane}
        empty={<p>{isAll ? "The job has no items." : "No items are left."}</p>}
        isEmptyGood={!isAll}
      />
    </section>
  );
};
