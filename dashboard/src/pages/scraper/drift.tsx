/** What is unusual about runs, compared with earlier runs. Accepting a finding makes its run part of the baseline. */
import type { VNode } from "preact";
import { api } from "../../api.ts";
import { glued, textOf } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Action } from "../../parts/action.tsx";
import { State } from "../../parts/state.tsx";
import { Problem, Rows } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { href } from "../../router.ts";

const MOST_FINDINGS = 30;

export const Drift = ({ scraper }: { readonly scraper: string }): VNode => {
  const { data, error, reload } = useLoad(`drift ${scraper}`, () =>
    api.datasets.listDrift(scraper, { limit: MOST_FINDINGS }),
  );
  if (error !== undefined && !data) return <Problem error={error} retry={reload} />;
  if (!data) return <p class="loading">Loading…</p>;
  if (data.data.length === 0)
    return <p class="empty good">● No findings. Each run is compared with earlier runs when it ends.</p>;
  return (
    <Rows
      label="Findings"
      rows={data.data}
      keyOf={({ id }) => id}
      columns={[
        {
          name: "Run",
          cell: ({ job, at }) => (
            <a href={`/jobs/${job}`}>
              <Time at={at} />
            </a>
          ),
        },
        {
          name: "Finding",
          cell: ({ text, job, examples }) => (
            <>
              {glued(text)}
              {examples.length > 0 && (
                <>
                  {" "}
                  <a href={href(`/jobs/${job}/items`, { key: examples })}>examples</a>
                </>
              )}
            </>
          ),
        },
        {
          name: "State",
          cell: ({ level, accepted }) =>
            accepted ? (
              <State of="done" label={`accepted by ${accepted.by}: ${accepted.reason}`} />
            ) : (
              <State
                of={level === "block" ? "failed" : "waiting"}
                label={level === "block" ? "holds releases" : "warning"}
              />
            ),
        },
        {
          name: "Actions",
          cell: ({ id, text, accepted }) =>
            !accepted && (
              <Action
                label="Accept"
                title="Accept this finding?"
                run={async (form) => {
                  await api.datasets.acceptFinding(scraper, id, { reason: textOf(form, "reason") });
                  reload();
                  return "Accepted. Later runs are compared with this one too.";
                }}
              >
                <p>{text}</p>
                <label>
                  Reason
                  <input name="reason" required maxLength={2000} />
                </label>
              </Action>
            ),
        },
      ]}
    />
  );
};
