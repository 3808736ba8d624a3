/** Failures of a job over time, stacked by kind, from its start to its end or now. */
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../../api.ts";
import { duration, fullTime, number } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Chart } from "../../parts/chart.tsx";
import { Rows } from "../../parts/table.tsx";
import { now, Time } from "../../parts/time.tsx";
import { hrefWith, value } from "../../router.ts";
import { zone } from "../../settings.ts";
import type { FailureTimes, Job } from "../../../../src/client.ts";

type Counted = "attempts" | "items";

/** Colours that differ in both themes; the kinds that failed most have the first ones, the rest share the last. */
const COLORS = ["--failed", "--leased", "--waiting", "--skipped", "--done", "--cancelled"];

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

export const FailuresOverTime = ({ job }: { readonly job: Job }): VNode | null => {
  const { data, reload } = useLoad(`failures of ${job.id}`, () => api.getFailures(job.id));
  // Asked for again when the job's own counts have changed.
  const told = JSON.stringify([job.attemptFailures, job.failures.map(({ count }) => count)]);
  const shown = useRef(told);
  useEffect(() => {
    if (shown.current !== told) reload();
    shown.current = told;
  }, [told]);
  if (!data || data.data.length === 0) return null;
  const counted: Counted = value("failures") === "items" ? "items" : "attempts";
  return (
    <>
      <h3>Over time</h3>
      <div class="chips" role="group" aria-label="What is counted">
        <Choice counted={counted} is="attempts" label="failed attempts" />
        <Choice counted={counted} is="items" label="failed items" />
      </div>
      <Stack job={job} times={data} counted={counted} />
    </>
  );
};

const Choice = ({
  counted,
  is,
  label,
}: {
  readonly counted: Counted;
  readonly is: Counted;
  readonly label: string;
}): VNode => (
  <a
    href={hrefWith({ failures: is === "attempts" ? undefined : is })}
    class={counted === is ? "chip on" : "chip"}
    aria-current={counted === is ? "true" : undefined}
  >
    {label}
  </a>
);

const Stack = ({
  job,
  times: { widthMs, data },
  counted,
}: {
  readonly job: Job;
  readonly times: FailureTimes;
  readonly counted: Counted;
}): VNode => {
  const all = [...new Set(data.flatMap(({ kinds }) => Object.keys(kinds)))] as (keyof Kinds)[];
  const countIn = (at: (typeof data)[number] | undefined, kind: keyof Kinds): number =>
    at?.kinds[kind]?.[counted] ?? 0;
  const totals = all
    .map((kind) => ({ kind, total: sum(data.map((at) => countIn(at, kind))) }))
    .filter(({ total }) => total > 0)
    .toSorted((a, b) => b.total - a.total);
  const kinds = totals.map(({ kind }) => kind);
  const [first, last] = [data[0]!, data.at(-1)!].map(({ at }) => Date.parse(at)) as [number, number];
  const known = new Map(data.map((one) => [Date.parse(one.at), one]));
  // One more span after the last, so that also a single one has its width.
  const at = Array.from({ length: (last - first) / widthMs + 2 }, (_, n) => first + n * widthMs);
  const worst = data.toSorted(
    (a, b) => sum(kinds.map((kind) => countIn(b, kind))) - sum(kinds.map((kind) => countIn(a, kind))),
  )[0]!;
  const what = counted === "items" ? "failed items" : "failed attempts";
  const summary = [
    ...totals.map(({ kind, total }) => `${kind}: ${number(total)}`),
    `most from ${fullTime(new Date(worst.at), zone.value)} on`,
  ].join(", ");
  if (kinds.length === 0) return <p class="empty good">None.</p>;
  return (
    <>
      <Chart
        label={`Number of ${what} in each ${duration(widthMs)}, by kind. ${summary}`}
        at={at.map((ms) => ms / 1000)}
        from={Math.min(first, Date.parse(job.createdAt)) / 1000}
        to={Math.max(last + widthMs, job.endedAt ? Date.parse(job.endedAt) : now.peek().getTime()) / 1000}
        isStacked
        format={number}
        series={kinds.map((kind, index) => ({
          label: kind,
          values: at.map((ms) => countIn(known.get(ms), kind)),
          color: COLORS[Math.min(index, COLORS.length - 1)]!,
        }))}
      />
      <details>
        <summary>As a table, one row for each {duration(widthMs)}</summary>
        <Rows
          label={`Number of ${what} over time`}
          keyOf={(one) => one.at}
          rows={data.filter((one) => kinds.some((kind) => countIn(one, kind) > 0))}
          columns={[
            { name: "From", cell: (one) => <Time at={one.at} /> },
            ...kinds.map((kind) => ({
              name: kind,
              isNumber: true,
              cell: (one: (typeof data)[number]) => number(countIn(one, kind)),
            })),
          ]}
        />
      </details>
    </>
  );
};

type Kinds = FailureTimes["data"][number]["kinds"];
