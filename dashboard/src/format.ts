/** Numbers, sizes, durations and times as people read them. */
import type { Zone } from "./settings.ts";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const number = (value: number): string => whole.format(value);

/** At most five characters, for places with little room. */
export const compact = (value: number): string => (value < 10_000 ? number(value) : short.format(value));

/** A number and its percent sign stay on one line. */
export const glued = (text: string): string => text.replaceAll(" %", "\u00A0%");

export const percent = (share: number): string => glued(percentOf(share));

const percentOf = (share: number): string => {
  if (share <= 0) return "0 %";
  if (share >= 1) return "100 %";
  // Never says that all are there when one is missing.
  if (share < 0.001) return "< 0.1 %";
  if (share > 0.999) return "> 99.9 %";
  return `${(share * 100).toFixed(share < 0.1 || share > 0.9 ? 1 : 0)} %`;
};

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

export const bytes = (value: number): string => {
  const power = value < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1000 ** power;
  return `${power === 0 || scaled >= 100 ? scaled.toFixed(0) : scaled.toFixed(1)} ${UNITS[power]}`;
};

const PARTS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
];

/** The two largest units: "3 h 20 min". */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  let rest = Math.round(ms / 1000) * 1000;
  const told: string[] = [];
  for (const [length, unit] of PARTS) {
    const times = Math.floor(rest / length);
    if (times > 0) told.push(`${times} ${unit}`);
    rest -= times * length;
    if (told.length === 2 || (told.length === 1 && times === 0)) break;
  }
  return told.join(" ");
};

export const rate = (perSecond: number): string =>
  perSecond >= 1 || perSecond === 0
    ? `${compact(Math.round(perSecond * 10) / 10)}/s`
    : perSecond * 60 >= 1
      ? `${(perSecond * 60).toFixed(0)}/min`
      : `${(perSecond * 3600).toFixed(0)}/h`;

/** Of items: "2 items/s". */
export const itemRate = (perSecond: number): string =>
  rate(perSecond)
    .replace("/", " items/")
    .replace(/^1 items/, "1 item");

export const money = (value: number): string => (value === 0 ? "0" : value.toFixed(value < 1 ? 4 : 2));

const clock = (zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", { ...options, ...(zone === "utc" && { timeZone: "UTC" }) });

const TIME = { hour: "2-digit", minute: "2-digit", second: "2-digit" } as const;
const DAY = { day: "numeric", month: "short" } as const;

/** Today without the date, this year without the year. */
export const time = (at: Date, zone: Zone, now: Date): string => {
  const day = (date: Date): string => clock(zone, { dateStyle: "short" }).format(date);
  const suffix = zone === "utc" ? " UTC" : "";
  if (day(at) === day(now)) return clock(zone, TIME).format(at) + suffix;
  const isThisYear = at.getUTCFullYear() === now.getUTCFullYear();
  return (
    clock(zone, {
      ...DAY,
      ...(!isThisYear && { year: "numeric" }),
      hour: "2-digit",
      minute: "2-digit",
    }).format(at) + suffix
  );
};

/** On the axis of a chart, whose marks are so far apart. */
export const axisTime = (at: Date, zone: Zone, stepMs: number): string =>
  clock(zone, {
    ...(stepMs >= 3_600_000 && DAY),
    ...(stepMs < 86_400_000 && { hour: "2-digit", minute: "2-digit" }),
    ...(stepMs < 60_000 && { second: "2-digit" }),
  }).format(at);

/** Nothing left out, for tooltips. */
export const fullTime = (at: Date, zone: Zone): string =>
  clock(zone, { dateStyle: "medium", timeStyle: "long" }).format(at);

/** "in 3 min 20 s", "2 h ago": of what is over, the largest unit is enough. */
export const relative = (at: Date, now: Date): string => {
  const ms = at.getTime() - now.getTime();
  if (Math.abs(ms) < 1000) return "now";
  if (ms > 0) return `in ${duration(ms < 10_000 ? Math.round(ms / 1000) * 1000 : ms)}`;
  const [length, unit] = PARTS.find(([one]) => -ms >= one)!;
  return `${Math.floor(-ms / length)} ${unit} ago`;
};

/** Plain text of any value of a record or an input. */
export const plain = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** What was typed into a field of a form. */
export const textOf = (form: FormData, name: string): string => {
  const given = form.get(name);
  return typeof given === "string" ? given.trim() : "";
};
