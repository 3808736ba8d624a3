import { z } from "zod";

/** A parameter that may be given several times: `state=failed&state=waiting`. */
export const many = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([schema, z.array(schema).min(1).max(50)]);

export const listOf = <T extends string>(given: T | readonly T[] | undefined): readonly T[] | undefined =>
  given === undefined ? undefined : typeof given === "string" ? [given] : given;
