/** Compares two runs: new, gone, and changed by field, with pairs. The two runs are in the URL. */
import type { ComponentChildren, VNode } from "preact";
import { api } from "../../api.ts";
import { compact, number, plain } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { CompareForm } from "../../parts/filter-form.tsx";
import { CountLink, State } from "../../parts/state.tsx";
import { Problem, Rows } from "../../parts/table.tsx";
import { href, value } from "../../router.ts";
import type { Job, RunDifference } from "../../../../src/client.ts";

export const Compare = ({ runs }: { readonly runs: readonly Job[] }): VNode => {
  const ended = runs.filter(({ endedAt, state }) => endedAt !== undefined && state === "done");
  const [after, before] = [value("after"), value("before")];
  if (ended.length < 2)
    return (
      <p class="empty">Two runs that have ended can be compared here. So far there are {ended.length}.</p>
    );
  const choices = ended.map(({ id, counts }) => ({
    value: id,
    label: `${id} (${compact(counts.accepted)} items)`,
  }));
  return (
    <>
      <CompareForm choices={choices} />
      {after !== undefined && before !== undefined && <Shown before={before} after={after} />}
    </>
  );
};

const Shown = ({ before, after }: { readonly before: string; readonly after: string }): VNode => {
  const { data, error, reload } = useLoad(`diff ${before} ${after}`, () => api.diffJobs(after, before));
  if (error !== undefined && !data) return <Problem error={error} retry={reload} />;
  if (!data) return <p class="loading">Reading both runs…</p>;
  return <Difference of={data} before={before} after={after} />;
};

const Difference = ({
  of: found,
  before,
  after,
}: {
  readonly of: RunDifference;
  readonly before: string;
  readonly after: string;
}): VNode => {
  const fields = Object.entries(found.fields)
    .map(([name, { same, examples, ...changes }]) => ({
      name,
      same,
      examples,
      ...changes,
      all: Object.values(changes).reduce((sum, count) => sum + count, 0),
    }))
    .toSorted((a, b) => b.all - a.all);
  const changed = fields.filter(({ all }) => all > 0);
  return (
    <>
      <ul class="tallies">
        <Tally name="New" job={after} tally={found.onlyAfter} />
        <Tally name="Gone" job={before} tally={found.onlyBefore} />
        <li>
          <b>{number(found.changedItems)}</b> of {number(found.items)} in both changed
        </li>
        {Object.entries(found.states).map(([change, tally]) => (
          <Tally key={change} name={change} job={after} tally={tally} />
        ))}
      </ul>
      {changed.length === 0 ? (
        <p class="empty good">● No field of an item in both runs has changed.</p>
      ) : (
        <Rows
          label="Changes by field"
          rows={changed}
          keyOf={({ name }) => name}
          columns={[
            { name: "Field", cell: ({ name }) => <b>{name}</b> },
            { name: "Changed", isNumber: true, cell: (field) => number(field.changed) },
            { name: "Gained", isNumber: true, cell: (field) => number(field.gained) },
            { name: "Lost", isNumber: true, cell: (field) => number(field.lost) },
            { name: "Same", isNumber: true, isMinor: true, cell: ({ same }) => number(same) },
            {
              name: "Examples",
              cell: ({ examples }) => (
                <ul class="pairs">
                  {examples.slice(0, 6).map(({ key, change, before: was, after: is }) => (
                    <li key={`${change} ${key}`}>
                      <a href={href(`/jobs/${after}/items`, { key })} class="id">
                        {key}
                      </a>{" "}
                      <Side of={was} /> → <Side of={is} />
                    </li>
                  ))}
                </ul>
              ),
            },
          ]}
        />
      )}
    </>
  );
};

const Side = ({
  of: side,
}: {
  readonly of: { readonly status: string; readonly value?: unknown } | undefined;
}): ComponentChildren =>
  side === undefined ? (
    <span class="quiet">no field</span>
  ) : side.status === "present" ? (
    <span class="wrap">{plain(side.value)}</span>
  ) : (
    <State of={side.status} />
  );

const Tally = ({
  name,
  job,
  tally: { count, keys },
}: {
  readonly name: string;
  readonly job: string;
  readonly tally: RunDifference["onlyAfter"];
}): VNode => (
  <li>
    {name}{" "}
    <b>
      {keys.length === 0 ? (
        number(count)
      ) : (
        <CountLink count={count} to={href(`/jobs/${job}/items`, { key: keys })} />
      )}
    </b>
    {keys.length > 0 && (
      <span class="quiet">
        {" "}
        {keys.slice(0, 3).join(", ")}
        {count > 3 && " …"}
      </span>
    )}
  </li>
);
