import type { z } from "zod";
import { Problem } from "../services/problem.ts";

/** Opaque to clients, so that its contents may change. */
export const toCursor = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString("base64url");

export const fromCursor = <Place>(
  cursor: string | undefined,
  schema: z.ZodType<Place>,
): Place | undefined => {
  if (cursor === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    return refuseCursor();
  }
};

export const refuseCursor = (): never => {
  throw new Problem("bad-cursor", "The cursor is not from this list. Start again without a cursor.");
};

/** A page of a list; `place` is where the next page begins, if there may be one. */
export const page = <Entry>(data: readonly Entry[], place: unknown) => ({
  data,
  ...(place !== undefined && { next: toCursor(place) }),
});

/** A query parameter that may be repeated, as a list. */
export const listOf = <T extends string>(given: T | readonly T[] | undefined): readonly T[] | undefined =>
  given === undefined ? undefined : typeof given === "string" ? [given] : given;
