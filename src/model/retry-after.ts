/** No site's wish holds a lane for longer than a day; more is a broken clock or a hostile answer. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Milliseconds that `Retry-After` asks for (seconds or an HTTP date, RFC 9110 10.2.3), or undefined. A site may send several, one of its own
 * and one of a proxy's: the longest wait satisfies all of them.
 */
export const retryAfterMs = (values: readonly string[], now: number): number | undefined => {
  const waits = values.flatMap(readList).flatMap((text) => waitMs(text, now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
};

/** Proxies join several headers by commas, which a date has too. */
const readList = (value: string): string[] => (/^[\d.,\s]+$/.test(value) ? value.split(",") : [value]);

const waitMs = (value: string, now: number): number | undefined => {
  const text = value.trim();
  if (text === "") return undefined;
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : dateMs(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, Math.round(ms)), LONGEST_MS);
};

/** Only what looks like an HTTP date: `Date.parse` alone reads "-5" or "x1" as a year. */
const dateMs = (text: string): number =>
  /\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i.test(text) ? Date.parse(text) : Number.NaN;
