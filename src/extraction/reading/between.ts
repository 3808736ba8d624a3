import type { Reading } from "./reading.ts";

/** A number or date outside of its limits is a problem. */
export function between<T extends number | string>(
  { min, max }: { readonly min?: T; readonly max?: T },
  reading: Reading<T>,
): Reading<T> {
  if (!("value" in reading)) return reading;
  const { value } = reading;
  if (min !== undefined && isBelow(value, min)) return { problem: `${value} is below ${min}` };
  if (max !== undefined && isBelow(max, value)) return { problem: `${value} is above ${max}` };
  return reading;
}

/** Of two dates the more exact one is cut: `2024-12-31T10:00:00Z` is neither above nor below `2024-12-31`, nor is `2024-12`. */
function isBelow<T extends number | string>(one: T, other: T): boolean {
  if (typeof one !== "string" || typeof other !== "string") return one < other;
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) < other.slice(0, length);
}
