/** Schedules down, days across: what fired, what was skipped or missed and why, and what comes. */
import type { VNode } from "preact";
import { number } from "../../format.ts";
import { now } from "../../parts/time.tsx";
import { zone } from "../../settings.ts";
import type { Firing, Schedule } from "../../../../src/schemas/schedule.ts";
import { FiringState } from "./firing.tsx";

export interface Shown {
  readonly schedule: Schedule;
  /** Newest first. */
  readonly firings: readonly Firing[];
}

const DAY_MS = 86_400_000;
const PAST_DAYS = 6;
const COMING_DAYS = 7;
/** In one cell; an hourly schedule has 24 a day. */
const MOST_IN_CELL = 3;

const parts = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", { ...options, ...(zone.value === "utc" && { timeZone: "UTC" }) });

/** Where there is little room, the days before today are to the left. */
const toToday = (table: HTMLElement | null): void => {
  const today = table?.querySelector<HTMLElement>("[aria-current]");
  const names = table?.querySelector<HTMLElement>("th");
  if (table && today && names) table.scrollLeft = today.offsetLeft - names.offsetWidth;
};

export const Calendar = ({ shown }: { readonly shown: readonly Shown[] }): VNode => {
  const day = parts({ year: "numeric", month: "2-digit", day: "2-digit" });
  const title = parts({ weekday: "short", day: "numeric", month: "short" });
  const clock = parts({ hour: "2-digit", minute: "2-digit" });
  const today = now.value.getTime();
  const days = Array.from(
    { length: PAST_DAYS + 1 + COMING_DAYS },
    (_, at) => new Date(today + (at - PAST_DAYS) * DAY_MS),
  );
  return (
    <div class="table calendar" role="region" aria-label="Calendar" tabIndex={0} ref={toToday}>
      <table>
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            {days.map((date, at) => (
              <th key={at} scope="col" aria-current={at === PAST_DAYS ? "date" : undefined}>
                {title.format(date)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ schedule, firings }) => (
            <tr key={schedule.name}>
              <th scope="row">
                <a href={`/schedules/${encodeURIComponent(schedule.name)}`}>{schedule.name}</a>
              </th>
              {days.map((date, at) => {
                const isOn = (time: string): boolean => day.format(new Date(time)) === day.format(date);
                const fired = firings.filter((firing) => isOn(firing.at)).toReversed();
                const coming = schedule.next.filter((next) => isOn(next.at));
                const left = Math.max(0, fired.length - MOST_IN_CELL);
                return (
                  <td key={at} class={at === PAST_DAYS ? "today" : ""}>
                    {left > 0 && <p class="quiet">{number(left)} earlier</p>}
                    {fired.slice(left).map((firing) => (
                      <p key={firing.at} title={firing.reason}>
                        {clock.format(new Date(firing.at))} <FiringState of={firing} />
                      </p>
                    ))}
                    {coming.slice(0, MOST_IN_CELL).map((next) => (
                      <p key={next.at} class="quiet">
                        {clock.format(new Date(next.at))}
                      </p>
                    ))}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
