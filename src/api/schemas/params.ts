import { z } from "zod";
import { says } from "../api-registry.ts";

const id = z.string().min(1).max(500);

export const jobParams = z.object({ job: says("The job's id.", id) });
export const itemParams = z.object({
  job: says("The job's id.", id),
  item: says("The item's id, as lists of items have it.", id),
});
export const batchParams = z.object({ batch: says("The batch's id.", id) });
