import type { z } from "zod";
import { problemSchema } from "./problem-schema.ts";

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
