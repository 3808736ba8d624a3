import type { VNode } from "preact";
import { api } from "../api.ts";
import { bytes, duration, number, plain } from "../format.ts";
import { useReloadOn } from "../live.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { Facts } from "../parts/facts.tsx";
import { State } from "../parts/state.tsx";
import { Action } from "../parts/action.tsx";
import { Crumbs, Problem, Rows } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import type { Item } from "../../../src/client.ts";
import { Viewer } from "./item/viewer.tsx";

const ItemPage = ({ params }: PageProps): VNode => {
  const [job, id] = [params["job"]!, params["item"]!];
  const { data: item, error, reload } = useLoad(`item ${job} ${id}`, () => api.getItem(job, id));
  const records = useLoad(`records ${job} ${id}`, () => api.listItemRecords(job, id));
  useReloadOn({ job, type: ["job.completed", "job.progress"] }, () => {
    if (item && item.endedAt === undefined) {
      reload();
      records.reload();
    }
  });
  if (!item)
    return error === undefined ? <p class="loading">Loading…</p> : <Problem error={error} retry={reload} />;
  return (
    <>
      <Crumbs
        steps={[
          ["Jobs", "/jobs"],
          [job, `/jobs/${job}`],
          ["Items", `/jobs/${job}/items`],
        ]}
      />
      <div class="head">
        <div>
          <h1>{item.key}</h1>
          <Outcome item={item} />
        </div>
        {item.state === "failed" && (
          <Action
            label="Retry"
            title={`Retry 1 item: ${item.key}?`}
            run={async () => {
              const { retried } = await api.retryJob(job, { items: [id] });
              reload();
              return retried === 1
                ? "The item will be retried."
                : "The item is no longer in the state failed.";
            }}
          />
        )}
      </div>
      <Viewer job={job} item={item} records={records.data?.data ?? []} isLoading={records.isLoading} />
      <section>
        <h2>Attempts</h2>
        <Attempts item={item} />
      </section>
      <section>
        <h2>Item</h2>
        <Facts
          facts={[
            ["Id", <span class="id">{item.id}</span>],
            [
              "Scraper",
              <>
                {item.scraper} <span class="id">{item.version}</span>
              </>,
            ],
            ["Lane", item.lane],
            ["Attempts", number(item.attempts)],
            ["Next try", item.dueAt && <Time at={item.dueAt} />],
            ["Ended", item.endedAt && <Time at={item.endedAt} />],
            ["Found on", item.parent],
            ["Input", <code>{plain(item.input)}</code>],
          ]}
        />
      </section>
    </>
  );
};

const Outcome = ({ item: { state, quality, change, failure } }: { readonly item: Item }): VNode => (
  <p>
    <State of={state} />
    {quality === "partial" && " · partial"}
    {change && <span class="quiet"> · {change}</span>}
    {failure && (
      <span class="wrap">
        {" · "}
        <b>{failure.kind}</b>: {failure.detail}
      </span>
    )}
  </p>
);

interface Tried {
  readonly at: string;
  readonly ms: number;
  readonly requests?: number;
  readonly bytes?: number;
  readonly result: string;
}

const attemptsOf = ({ history, lastAttempt, state }: Item): readonly Tried[] => {
  const failed = history.map((one) => ({ ...one, result: `${one.failure.kind}: ${one.failure.detail}` }));
  const isTold = failed.some(({ at }) => at === lastAttempt?.at);
  return lastAttempt && !isTold
    ? [...failed, { ...lastAttempt, result: lastAttempt.detail ?? state }]
    : failed;
};

const Attempts = ({ item }: { readonly item: Item }): VNode => {
  const rows = attemptsOf(item);
  if (rows.length === 0) return <p class="empty">Not tried yet.</p>;
  return (
    <Rows
      label="Attempts"
      keyOf={({ at }) => at}
      rows={rows}
      columns={[
        { name: "Started", cell: ({ at }) => <Time at={at} /> },
        { name: "Took", isNumber: true, cell: ({ ms }) => duration(ms) },
        {
          name: "Requests",
          isNumber: true,
          cell: ({ requests }) => (requests === undefined ? "" : number(requests)),
        },
        { name: "Fetched", isNumber: true, cell: (one) => (one.bytes === undefined ? "" : bytes(one.bytes)) },
        { name: "Result", cell: ({ result }) => <span class="wrap">{result}</span> },
      ]}
    />
  );
};

export default ItemPage;
