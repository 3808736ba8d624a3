const SECOND = 1000;
const DAY = 86_400 * SECOND;

/** A year is 365 days. */
const UNITS_MS: Readonly<Record<string, number>> = {
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: DAY,
  w: 7 * DAY,
  y: 365 * DAY,
};

/** `90s`, `15m`, `12h`, `7d`, `2w`, `1y`, in milliseconds; undefined for anything else. */
export const readDuration = (text: string): number | undefined => {
  const [, count, unit] = /^(\d{1,9})([smhdwy])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * UNITS_MS[unit!]!;
};
