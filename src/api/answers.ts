import { z } from "zod";
import { described, named } from "../schemas/describe.ts";
import { Problem, PROBLEM_CODES } from "../services/problem.ts";

const MEANINGS = {
  400: "The request does not match its schema, or the cursor is not from this list.",
  401: "No valid API key.",
  403: "The key's role does not allow it.",
  404: "Not found, or it belongs to another client.",
  409: "Not possible in the current state.",
  413: "The request is too large.",
  415: "Unsupported media type.",
  422: "The request is valid but cannot be processed.",
  429: "Too many requests, or a quota is used up. `Retry-After` says when to try again.",
  503: "The service is temporarily unavailable.",
} as const;

type ProblemStatus = keyof typeof MEANINGS;

const problemAnswer = (status: ProblemStatus) => ({
  description: MEANINGS[status],
  content: { "application/problem+json": { schema: problemSchema } },
});
type ProblemAnswer = ReturnType<typeof problemAnswer>;

/** For routes without a key. */
export const openProblems = (...statuses: readonly ProblemStatus[]): Record<ProblemStatus, ProblemAnswer> =>
  Object.fromEntries(statuses.map((status) => [status, problemAnswer(status)])) as Record<
    ProblemStatus,
    ProblemAnswer
  >;

/** Possible on every route with a key. */
const COMMON = [400, 401, 403, 429, 503] as const;

export const problems = (...more: readonly ProblemStatus[]): Record<ProblemStatus, ProblemAnswer> =>
  openProblems(...[...new Set([...COMMON, ...more])].sort((a, b) => a - b));

/** A JSON answer with this schema. */
export const json = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { "application/json": { schema } },
});

/** An answer of other media types, sent as a stream. */
export const stream = (description: string, schema: z.ZodType, ...types: readonly string[]) => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, { schema }])),
});

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

const problemSchema = named(
  "Problem",
  z.object({
    type: described("A relative URL that explains the code.", z.string()),
    title: z.string(),
    status: z.int(),
    detail: described("What is wrong with this request, and what to do.", z.string()),
    instance: described(
      "The request's id, as in the header `x-request-id` and in the server's log.",
      z.string(),
    ),
    code: z.enum(PROBLEM_CODES),
    errors: described(
      "The invalid parts of the request.",
      z.array(z.object({ path: z.string(), message: z.string() })),
    ).optional(),
    reasons: described(
      "Why the service is not ready; only for `/readyz`.",
      z.array(z.object({ code: z.string(), detail: z.string() })),
    ).optional(),
    offset: described("Inputs accepted so far, if an upload was refused.", z.int()).optional(),
  }),
);

export type ProblemBody = z.infer<typeof problemSchema>;
