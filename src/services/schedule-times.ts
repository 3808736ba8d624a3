import { everyInterval, type When } from "../domain/schedule.ts";
import { everyInstant, type NextTime, onceEach, openZone } from "../domain/zone-time.ts";
import { Problem } from "./problem.ts";

/** By the text of the pattern and its zone: parsing them costs more than a lookup. */
const known = new Map<string, NextTime>();
const MOST_KNOWN = 2000;

/**
 * The times of a schedule. Croner matches the pattern against local times; `domain/zone-time.ts` decides which instants these
 * are, because croner skips the day in zones whose clocks go forward at midnight. Throws a problem for an invalid pattern or
 * zone.
 */
export const timesOf = async (when: Exclude<When, { readonly after: string }>): Promise<NextTime> => {
  if ("everyMs" in when) return everyInterval(when.everyMs);
  const name = `${when.zone} ${when.cron}`;
  const found = known.get(name);
  if (found) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const next = await cronTimes(when.cron, when.zone);
  known.set(name, next);
  return next;
};

const FIELDS = 5;
/** The hour field covers all hours: such a pattern follows the elapsed time, even while a fold repeats an hour. */
const EVERY_HOUR = /^(\*|\*\/1|0-23)$/;

const cronTimes = async (cron: string, zoneName: string): Promise<NextTime> => {
  const zone = openZone(zoneName);
  if (!zone)
    throw refused(
      "when/zone",
      `${JSON.stringify(zoneName)} is not a time zone. Use a name from the IANA database, for example "Europe/Berlin" or "UTC".`,
    );
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== FIELDS) throw badCron(cron, `it has ${fields.length} fields`);
  const { Cron } = await import("croner");
  let matcher: InstanceType<typeof Cron>;
  try {
    matcher = new Cron(fields.join(" "), { timezone: "UTC", mode: "5-part" });
  } catch (error) {
    throw badCron(cron, error instanceof Error ? error.message : String(error));
  }
  const nextLocal: NextTime = (after) => matcher.nextRun(new Date(after))?.getTime();
  const next = EVERY_HOUR.test(fields[1]!) ? everyInstant(zone, nextLocal) : onceEach(zone, nextLocal);
  if (next(Date.UTC(2024, 0, 1)) === undefined) throw badCron(cron, "it never occurs, like 30 February");
  return next;
};

const badCron = (cron: string, why: string): Problem =>
  refused(
    "when/cron",
    `${JSON.stringify(cron)} is not a cron pattern: ${why}. Expected five fields, minute hour day month weekday, for example "0 6 * * mon".`,
  );

const refused = (path: string, message: string): Problem =>
  new Problem("invalid-request", message, { errors: [{ path, message }] });
