import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { fullTime, relative, time } from "../format.ts";
import { zone } from "../settings.ts";

/** Ticks while the tab is visible, for everything that says how long ago something was. */
export const now = signal(new Date());
setInterval(() => void (document.hidden || (now.value = new Date())), 1000);
document.addEventListener("visibilitychange", () => void (now.value = new Date()));

interface TimeProps {
  /** ISO 8601, as the API sends it. */
  readonly at: string | undefined;
  /** "2 min ago" instead of the time of day. */
  readonly isRelative?: boolean;
}

/** An instant in the chosen time zone; the tooltip has both. */
export const Time = ({ at, isRelative = false }: TimeProps): VNode => {
  if (at === undefined) return <span class="quiet">–</span>;
  const date = new Date(at);
  const other = zone.value === "utc" ? "local" : "utc";
  return (
    <time dateTime={at} title={`${fullTime(date, zone.value)}\n${fullTime(date, other)}`}>
      {isRelative ? relative(date, now.value) : time(date, zone.value, now.value)}
    </time>
  );
};
