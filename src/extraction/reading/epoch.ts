/** Formats of dates that are counted from the first of January 1970, in seconds or milliseconds. */
const EPOCHS: Readonly<Record<string, RegExp>> = {
  epoch: /^(?<seconds>-?\d{1,12}(?:\.\d{1,9})?)$/,
  "epoch-ms": /^(?<ms>-?\d{1,15})$/,
};
/** As .NET puts dates into JSON. The offset, where there is one, does not move the instant. */
const DOT_NET = /^\\?\/Date\((?<ms>-?\d{1,15})(?:[+-]\d{4})?\)\\?\/$/;
/** The end of the year 9999: what is beyond was counted in another unit. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const isEpochFormat = (format: string): boolean => Object.hasOwn(EPOCHS, format);

/** The instant of a text in one of these formats; `/Date(…)/` is read by default and as `epoch-ms`. */
export function epochMs(text: string, formats: readonly string[]): number | undefined {
  const patterns = formats.flatMap((format) => EPOCHS[format] ?? []);
  if (formats.length === 0 || formats.includes("epoch-ms")) patterns.push(DOT_NET);
  for (const pattern of patterns) {
    const { seconds, ms } = pattern.exec(text)?.groups ?? {};
    if (seconds === undefined && ms === undefined) continue;
    const at = seconds === undefined ? Number(ms) : Math.trunc(Number(seconds) * 1000);
    if (Math.abs(at) <= LATEST_MS) return at;
  }
  return undefined;
}
