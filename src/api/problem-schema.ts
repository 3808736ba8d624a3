import { z } from "zod";
import { named, described } from "../schemas/describe.ts";
import { PROBLEM_CODES } from "../services/problem.ts";

export const problemSchema = named(
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
