const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The two largest units: `0.4s`, `12s`, `3m 05s`, `2h 04m`, `3d 07h`. */
export const durationText = (ms: number): string => {
  if (ms < 9950) return `${(Math.max(0, ms) / SECOND).toFixed(1)}s`;
  const whole = Math.round(ms / SECOND) * SECOND;
  if (whole < MINUTE) return `${whole / SECOND}s`;
  if (whole < HOUR) return pair(whole, MINUTE, "m", SECOND, "s");
  if (whole < DAY) return pair(whole, HOUR, "h", MINUTE, "m");
  return pair(whole, DAY, "d", HOUR, "h");
};

const pair = (ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string => {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeUnit} ${String(rest).padStart(2, "0")}${smallUnit}`;
};
