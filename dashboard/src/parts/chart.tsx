/** Time series by uPlot, which is loaded when the first chart is shown. Axes follow the chosen time zone and theme. */
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { axisTime } from "../format.ts";
import { isDark, zone } from "../settings.ts";

export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A CSS variable: `--failed`. */
  readonly color: string;
  readonly isDashed?: boolean;
  readonly isFilled?: boolean;
}

interface ChartProps {
  readonly label: string;
  /** Seconds since 1970, or just numbers. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  readonly isTime?: boolean;
  /** What the axis below shows, if it is no time. */
  readonly note?: string;
  /** Bars on top of each other, each from its place to the next. */
  readonly isStacked?: boolean;
  /** Where the axis begins and ends; default: with the data. */
  readonly from?: number;
  readonly to?: number;
  readonly height?: number;
  readonly format?: (value: number) => string;
}

const WHOLE = Array.from({ length: 9 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat();
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

export const Chart = ({
  label,
  at,
  series,
  isTime = true,
  note,
  isStacked = false,
  from,
  to,
  height = 160,
  format = String,
}: ChartProps): VNode => {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  // The whole stack is drawn first, what lies lower over it.
  const drawn = isStacked ? series.toReversed() : series;
  const values = isStacked ? stacked(series).toReversed() : series.map((one) => one.values);
  const data = [at, ...values] as uPlot.AlignedData;
  const latest = useRef({ data, from, to });
  latest.current = { data, from, to };
  const shape = JSON.stringify([series.map((one) => one.label), isTime, isStacked, height]);
  const look = `${shape} ${zone.value} ${isDark.value}`;
  useEffect(() => {
    let isGone = false;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) plot.current?.setSize({ width: entry.contentRect.width, height });
    });
    const draw = async (): Promise<void> => {
      const { default: UPlot } = await import("uplot");
      const node = place.current;
      if (isGone || !node) return;
      const css = getComputedStyle(node);
      const color = (name: string): string => css.getPropertyValue(name).trim() || "gray";
      const axis = {
        stroke: color("--quiet"),
        font: "11px system-ui",
        grid: { stroke: color("--line"), width: 1 },
        ticks: { show: false },
      };
      plot.current = new UPlot(
        {
          width: node.clientWidth,
          height,
          legend: { show: false },
          cursor: { drag: { x: false, y: false } },
          ...(zone.value === "utc" && { tzDate: (s: number) => UPlot.tzDate(new Date(s * 1000), "Etc/UTC") }),
          scales: {
            x: {
              time: isTime,
              range: (_plot, min, max) => [latest.current.from ?? min, latest.current.to ?? max],
            },
            y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
          },
          axes: [
            {
              ...axis,
              size: 26,
              ...(isTime && {
                space: spaceOf,
                values: (_plot: uPlot, ticks: number[], _axis: number, _space: number, step: number) =>
                  ticks.map((s) => axisTime(new Date(s * 1000), zone.value, step * 1000)),
              }),
            },
            {
              ...axis,
              size: 44,
              values: (_plot, ticks) => ticks.map(format),
              // Half a failure is none.
              ...(isStacked && { incrs: WHOLE }),
            },
          ],
          series: [
            {},
            ...drawn.map((one, index) => ({
              label: one.label,
              points: { show: false },
              ...(isStacked
                ? {
                    fill: color(one.color),
                    paths: UPlot.paths.bars!({ size: [1, Infinity, 2], align: 1, gap: 1 }),
                  }
                : {
                    stroke: color(one.color),
                    width: 1.5,
                    dash: one.isDashed ? [4, 4] : DASHES[index % DASHES.length]!,
                  }),
              ...(one.isFilled && { fill: `color-mix(in srgb, ${color(one.color)} 18%, transparent)` }),
            })),
          ],
        },
        latest.current.data,
        node,
      );
      observer.observe(node);
    };
    void draw();
    return () => {
      isGone = true;
      observer.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [look]);
  useEffect(() => plot.current?.setData(latest.current.data), [JSON.stringify(latest.current)]);
  return (
    <figure class="chart">
      <div ref={place} role="img" aria-label={isStacked ? label : `${label}. ${summary(series, format)}`} />
      <figcaption>
        {series.map((one, index) => (
          <span key={one.label}>
            <i
              class={isStacked ? "key full" : `key d${index % DASHES.length}`}
              style={{ borderColor: `var(${one.color})` }}
            />{" "}
            {one.label}
          </span>
        ))}
        {note !== undefined && <span>{note}</span>}
      </figcaption>
    </figure>
  );
};

const HOUR = 3600;

/** Pixels between marks on an axis of times: those an hour or more apart have the day too. */
const spaceOf = (_plot: uPlot, _axis: number, from: number, to: number, width: number): number =>
  ((to - from) / Math.max(1, width)) * 56 >= HOUR ? 80 : 56;

/** Each with those before it. */
const stacked = (series: readonly Series[]): number[][] => {
  const sums: number[] = [];
  return series.map(({ values }) => values.map((value, n) => (sums[n] = (sums[n] ?? 0) + (value ?? 0))));
};

const summary = (series: readonly Series[], format: (value: number) => string): string =>
  series
    .map(({ label, values }) => {
      const last = values.findLast((value) => value !== null);
      return last === undefined || last === null ? "" : `${label}: ${format(last)} now`;
    })
    .filter(Boolean)
    .join(", ");
