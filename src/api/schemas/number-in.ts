import { z } from "zod";
import { type NumberRange, rangeText, RANGES } from "../../domain/number-range.ts";

/** A number of the table of ranges, as a schema that names the range when it refuses. */
export const numberIn = (name: keyof typeof RANGES): z.ZodNumber => {
  const range: NumberRange = RANGES[name];
  const error = `expected ${rangeText(range)}`;
  const base = range.isWhole ? z.int({ error }) : z.number({ error });
  return base.min(range.min, { error }).max(range.max, { error });
};
