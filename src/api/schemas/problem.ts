import { z } from "zod";
import { named, says } from "../api-registry.ts";
import { PROBLEM_CODES } from "../problem.ts";

export const problemSchema = named(
  "Problem",
  z.object({
    type: says("A relative reference: what the code means is told there.", z.string()),
    title: z.string(),
    status: z.int(),
    detail: says("What is wrong with this request, and the way out.", z.string()),
    instance: says("The request's id, as in the header `x-request-id` and in the server's log.", z.string()),
    code: z.enum(PROBLEM_CODES),
    errors: says(
      "Which parts of the request are wrong.",
      z.array(z.object({ path: z.string(), message: z.string() })),
    ).optional(),
    reasons: says(
      "Why the service is not ready; of `/readyz`.",
      z.array(z.object({ code: z.string(), detail: z.string() })),
    ).optional(),
    offset: says("Inputs taken so far, where an upload was refused.", z.int()).optional(),
  }),
);

export type ProblemBody = z.infer<typeof problemSchema>;
