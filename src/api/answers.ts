import { z } from "zod";
import { described, named } from "../schemas/describe.ts";
import { Problem, PROBLEM_CODES } from "../services/problem.ts";

const MEANINGS = {
  400: "The request does not fit its schema, or its cursor is none of this list.",
  401: "There is no valid API key in it.",
  403: "The key's role does not allow it.",
  404: "There is no such thing, or it is another client's.",
  409: "It does not fit the present state.",
  413: "It is too large.",
  415: "The body's media type is not taken here.",
  422: "It is well-formed, and cannot be done.",
  429: "Too many requests, or a quota is used up; `Retry-After` says when to come again.",
  503: "The service cannot answer now.",
} as const;

type ProblemStatus = keyof typeof MEANINGS;

const problemAnswer = (status: ProblemStatus) => ({
  description: MEANINGS[status],
  content: { "application/problem+json": { schema: problemSchema } },
});
type ProblemAnswer = ReturnType<typeof problemAnswer>;

/** Where no key is asked for. */
export const openProblems = (...statuses: readonly ProblemStatus[]): Record<ProblemStatus, ProblemAnswer> =>
  Object.fromEntries(statuses.map((status) => [status, problemAnswer(status)])) as Record<
    ProblemStatus,
    ProblemAnswer
  >;

/** Every route behind a key may end so. */
const COMMON = [400, 401, 403, 429, 503] as const;

export const problems = (...more: readonly ProblemStatus[]): Record<ProblemStatus, ProblemAnswer> =>
  openProblems(...[...new Set([...COMMON, ...more])].sort((a, b) => a - b));

/** An answer in JSON, by the schema that it is written with. */
export const json = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { "application/json": { schema } },
});

/** An answer in another form, sent as a stream. */
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
    type: described("A relative reference: what the code means is told there.", z.string()),
    title: z.string(),
    status: z.int(),
    detail: described("What is wrong with this request, and the way out.", z.string()),
    instance: described(
      "The request's id, as in the header `x-request-id` and in the server's log.",
      z.string(),
    ),
    code: z.enum(PROBLEM_CODES),
    errors: described(
      "Which parts of the request are wrong.",
      z.array(z.object({ path: z.string(), message: z.string() })),
    ).optional(),
    reasons: described(
      "Why the service is not ready; of `/readyz`.",
      z.array(z.object({ code: z.string(), detail: z.string() })),
    ).optional(),
    offset: described("Inputs taken so far, where an upload was refused.", z.int()).optional(),
  }),
);

export type ProblemBody = z.infer<typeof problemSchema>;
