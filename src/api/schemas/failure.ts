import { z } from "zod";
import { FAILURE_KINDS } from "../../domain/failure.ts";
import { named, says } from "../api-registry.ts";

export const failureKind = z.enum(FAILURE_KINDS);

export const failureSchema = named(
  "Failure",
  z.object({
    kind: failureKind,
    detail: z.string(),
    url: z.string().optional(),
    status: says("The HTTP status.", z.int()).optional(),
    retryAfterMs: z.number().optional(),
  }),
);
