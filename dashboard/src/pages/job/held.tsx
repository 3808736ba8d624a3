/** Why the breaker holds a lane: the chart that reached its limit, the latest outcomes, and example pages. */
import type { VNode } from "preact";
import { number } from "../../format.ts";
import { Chart } from "../../parts/chart.tsx";
import { CountBar } from "../../parts/state.tsx";
import { Time } from "../../parts/time.tsx";
import type { Job } from "../../../../src/client.ts";

type Hold = Job["held"][number];

const CHART_NAMES: Readonly<Record<string, string>> = {
  failures: "failed attempts",
  absent: "items that the site reports as absent",
};

const NO_FAILURES: ReadonlySet<string> = new Set(["done", "absent", "skipped"]);

const nameOf = (chart: string): string =>
  CHART_NAMES[chart] ?? `records without ${chart.replace(/^missing:/, "")}`;

export const Held = ({ job, hold }: { readonly job: Job; readonly hold: Hold }): VNode => {
  const { evidence } = hold;
  const { recent = [], limit } = evidence;
  return (
    <section class="held">
      <h2>Lane {hold.lane} is held</h2>
      <p>
        {hold.reason}. Held since <Time at={hold.heldAt} />.{" "}
        {hold.probeAt === undefined ? (
          "Fix the cause, then resume the job."
        ) : (
          <>
            One item is tried <Time at={hold.probeAt} isRelative />.
          </>
        )}
      </p>
      <div class="columns">
        {recent.length > 0 && limit !== undefined && (
          <div>
            <h3>Breaker: {nameOf(evidence.chart)}</h3>
            <Chart
              label={`Score of the breaker over the last ${recent.length} outcomes`}
              isTime={false}
              note="newest outcome on the right"
              at={recent.map((_, index) => index - recent.length + 1)}
              format={(value) => value.toFixed(0)}
              series={[
                {
                  label: "score",
                  values: recent.map(({ score }) => score),
                  color: "--failed",
                  isFilled: true,
                },
                {
                  label: `limit ${limit.toFixed(1)}`,
                  values: recent.map(() => limit),
                  color: "--quiet",
                  isDashed: true,
                },
              ]}
            />
          </div>
        )}
        <div>
          <h3>
            The last {number(Object.values(evidence.counts).reduce((sum, count) => sum + count, 0))} outcomes
            {evidence.since !== undefined && (
              <span class="quiet">
                {" "}
                · failing since <Time at={evidence.since} />
              </span>
            )}
          </h3>
          <CountBar
            label="Latest outcomes"
            parts={Object.entries(evidence.counts).map(([name, count]) => ({
              name,
              count,
              // Failures are counted by their kinds.
              look: NO_FAILURES.has(name) ? name : "failed",
            }))}
          />
        </div>
      </div>
      {evidence.examples.length > 0 && (
        <>
          <h3>Examples</h3>
          <ul class="examples">
            {evidence.examples.map(({ item, key, kind, detail, captures }) => (
              <li key={item}>
                <a href={`/jobs/${job.id}/items/${item}`}>{key}</a>
                <p class="quiet small wrap">
                  {kind}: {detail}
                </p>
                {captures.map((capture) => (
                  <a
                    key={capture.number}
                    class="spaced"
                    href={`/jobs/${job.id}/items/${item}?page=${capture.number}`}
                  >
                    page “{capture.name}”
                  </a>
                ))}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
};
