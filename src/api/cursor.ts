import { z } from "zod";
import { says } from "./api-registry.ts";
import { Problem } from "./problem.ts";

/** Opaque to clients, so that what it holds may change. */
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
  throw new Problem("bad-cursor", "The cursor is none that this list gave. Begin again without one.");
};

/** The query of every list. */
export const pageQuery = (most: number, usual: number) => ({
  cursor: says("`next` of the page before.", z.string().max(500)).optional(),
  limit: says(`At most so many; ${usual} unless given.`, z.coerce.number().int().min(1).max(most)).default(
    usual,
  ),
});

/** Every list: a page of entries, and the cursor of the next page where there may be one. */
export const pageOf = <Schema extends z.ZodType>(entry: Schema) =>
  z.object({
    data: z.array(entry),
    next: says(
      "Left out on the last page. A page may be short, or empty, before that.",
      z.string(),
    ).optional(),
  });

export const page = <Entry>(data: readonly Entry[], place: unknown) => ({
  data: [...data],
  ...(place !== undefined && { next: toCursor(place) }),
});
