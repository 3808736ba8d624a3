import type { Reading } from "./reading.ts";

/** A number or date outside of its limits is a problem. */
export function between<T extends number | string>(
  { min, max }: { readonly min?: T; readonly max?: T },
  reading: Reading<T>,
): Reading<T> {
  if (!("value" in reading)) return reading;
  const { value } = reading;
  if (min !== undefined && value < min) return { problem: `${value} is below ${min}` };
  // A day is the whole of it: `2024-12-31T10:00:00Z` is not above `2024-12-31`.
  const isWithinDay = typeof max === "string" && typeof value === "string" && value.startsWith(max);
  if (max !== undefined && value > max && !isWithinDay) return { problem: `${value} is above ${max}` };
  return reading;
}
