import type { VNode } from "preact";
import { api } from "../api.ts";
import { duration, plain } from "../format.ts";
import { useReloadOn } from "../live.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { FilterForm } from "../parts/filter-form.tsx";
import { State, STATE_ORDER } from "../parts/state.tsx";
import { Chips, type Column, Crumbs, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { hrefWith, navigate, search, value, values } from "../router.ts";
import type { Item, ItemQuery, Job, Page, PageQuery } from "../../../src/client.ts";
import { RetryKind } from "./job/actions.tsx";

const CHANGES = ["new", "changed", "unchanged", "gone"] as const;
const FIELD_STATUSES = ["empty", "missing", "malformed", "present"] as const;

const columns = (job: string, hasChanges: boolean): readonly Column<Item>[] => [
  {
    name: "Key",
    cell: ({ id, key }) => (
      <a class="key-text" href={`/jobs/${job}/items/${id}`}>
        {key}
      </a>
    ),
  },
  {
    name: "State",
    cell: ({ state, quality, reason }) => (
      <>
        <State of={state} />
        {quality === "partial" && <span class="quiet"> · partial</span>}
        {reason !== undefined && <span class="quiet"> {reason}</span>}
      </>
    ),
  },
  {
    name: "Why",
    cell: ({ failure, lastAttempt }) =>
      failure ? (
        <span class="wrap">
          {failure.kind}: <span class="quiet">{failure.detail}</span>
        </span>
      ) : (
        lastAttempt?.detail !== undefined && <span class="wrap quiet">{lastAttempt.detail}</span>
      ),
  },
  ...(hasChanges ? [{ name: "Change", isMinor: true, cell: ({ change }: Item) => change ?? "" }] : []),
  { name: "Input", isMinor: true, cell: ({ input }) => <span class="cut quiet">{plain(input)}</span> },
  { name: "Lane", isMinor: true, cell: ({ lane }) => <span class="quiet">{lane}</span> },
  { name: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
  {
    name: "Took",
    isNumber: true,
    isMinor: true,
    cell: ({ lastAttempt }) => (lastAttempt ? duration(lastAttempt.ms) : ""),
  },
  {
    name: "Ended",
    isMinor: true,
    cell: ({ endedAt, dueAt }) =>
      endedAt === undefined && dueAt !== undefined ? (
        <>
          next try <Time at={dueAt} isRelative />
        </>
      ) : (
        <Time at={endedAt} />
      ),
  },
];

/** The server looks at some thousand items at a time: what is rarer is looked for further on, for a while. */
const MOST_LOOKS = 25;

const findItems = async (job: string, query: ItemQuery & PageQuery): Promise<Page<Item>> => {
  let page = await api.listItems(job, query);
  for (let looks = 1; looks < MOST_LOOKS && page.data.length === 0 && page.next !== undefined; looks++)
    page = await api.listItems(job, { ...query, cursor: page.next });
  return page;
};

const Items = ({ params }: PageProps): VNode => {
  const job = params["job"]!;
  const query = queryOfUrl();
  const key = `items ${job} ${search.value.toString()}`;
  const list = useLoad(key, () => findItems(job, query));
  const { data: view, reload } = useLoad(`job ${job}`, () => api.getJob(job));
  useReloadOn({ job }, () => {
    list.reload();
    reload();
  });
  const isFiltered = search.value.size > 0;
  return (
    <>
      <Crumbs
        steps={[
          ["Jobs", "/jobs"],
          [job, `/jobs/${job}`],
        ]}
      />
      <h1>Items</h1>
      <Filters job={view} />
      {view && <RetryChosen job={view} reload={reload} />}
      <Table
        label="Items"
        columns={columns(job, view?.changes !== undefined)}
        list={list}
        keyOf={({ id }) => id}
        empty={
          <p>
            {isFiltered ? "No item matches. " : "This job has no items yet. "}
            {isFiltered && <a href={`/jobs/${job}/items`}>Show all items</a>}
          </p>
        }
      />
    </>
  );
};

const queryOfUrl = (): ItemQuery & { readonly limit: number } => {
  const [cursor, key, field, quality] = ["cursor", "key", "field", "quality"].map((name) => value(name));
  const list = (name: string): readonly string[] | undefined => {
    const given = values(name);
    return given.length > 0 ? given : undefined;
  };
  // The server checks values that someone typed into the URL.
  return {
    limit: 100,
    ...(list("state") && { state: list("state") }),
    ...(list("kind") && { kind: list("kind") }),
    ...(list("change") && { change: list("change") }),
    ...(quality !== undefined && { quality }),
    ...(field !== undefined && { field, status: list("status") ?? ["missing"] }),
    ...(key !== undefined && { key }),
    ...(cursor !== undefined && { cursor }),
  } as ItemQuery & { readonly limit: number };
};

const Filters = ({ job }: { readonly job: Job | undefined }): VNode => {
  const kinds = [...new Set([...(job?.failures.map(({ kind }) => kind) ?? []), ...values("kind")])];
  const fields = Object.keys(job?.fields ?? {});
  return (
    <div class="filters">
      <Chips
        name="state"
        label="State"
        options={STATE_ORDER.map((one) => ({ value: one, label: <State of={one} /> }))}
      />
      {kinds.length > 0 && (
        <Chips name="kind" label="Failure kind" options={kinds.map((kind) => ({ value: kind }))} />
      )}
      {job?.changes && (
        <Chips name="change" label="Change" options={CHANGES.map((one) => ({ value: one }))} />
      )}
      <FilterForm filters={[{ name: "key", label: "Key", placeholder: "Complete key" }]} submit="Find" />
      {fields.length > 0 && (
        <form>
          <select
            aria-label="Field"
            value={value("field") ?? ""}
            onChange={({ currentTarget }) =>
              navigate(
                hrefWith({
                  field: currentTarget.value,
                  status: currentTarget.value === "" ? undefined : (value("status") ?? "missing"),
                }),
              )
            }
          >
            <option value="">any field</option>
            {fields.map((field) => (
              <option key={field}>{field}</option>
            ))}
          </select>
          {value("field") !== undefined && (
            <Chips
              name="status"
              label="Status of the field"
              options={FIELD_STATUSES.map((one) => ({ value: one }))}
            />
          )}
        </form>
      )}
    </div>
  );
};

/** Only for a filter that the counters know: one failure kind. */
const RetryChosen = ({ job, reload }: { readonly job: Job; readonly reload: () => void }): VNode | null => {
  const [kind, ...others] = values("kind");
  const failed = job.failures.find((one) => one.kind === kind);
  if (!failed || others.length > 0) return null;
  return (
    <p>
      {failed.count} failed items with {failed.kind}{" "}
      <RetryKind job={job} kind={failed.kind} count={failed.count} reload={reload} />
    </p>
  );
};

export default Items;
