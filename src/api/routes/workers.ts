import { z } from "zod";
import { COLLECTOR_KINDS } from "../../domain/job-version.ts";
import { json, problems } from "../answers.ts";
import type { Api } from "../api.ts";
import { named, says } from "../api-registry.ts";
import type { RouteContext } from "../route-context.ts";

const workerSchema = named(
  "Worker",
  z.object({
    name: z.string(),
    host: z.string().optional(),
    pid: z.int().optional(),
    version: z.string().optional(),
    concurrency: z.int().optional(),
    lanes: says("The only lanes that it takes items of.", z.array(z.string())).optional(),
    kinds: says("It takes only jobs that need no other kind.", z.array(z.enum(COLLECTOR_KINDS))).optional(),
    isDraining: says("It finishes what it has in hand and takes nothing more.", z.boolean()).optional(),
    isAlone: says("It runs one suspicious item at a time.", z.boolean()),
    items: says("Items in hand.", z.int()),
    holds: z.array(z.object({ job: z.string(), lane: z.string(), items: z.int() })),
    leaseMs: says("Until its leases end, should it stay silent.", z.number()),
  }),
);

export const addWorkerRoutes = (app: Api, { service }: RouteContext): void => {
  app.get(
    "/v1/workers",
    {
      config: { role: "operator" },
      schema: {
        operationId: "listWorkers",
        summary: "List the workers, with what they hold",
        tags: ["workers"],
        response: {
          200: json("All that are heard of.", z.object({ data: z.array(workerSchema) })),
          ...problems(),
        },
      },
    },
    async () => {
      const workers = await service.ledger.listWorkers();
      return {
        data: workers.map(({ lanes, kinds, holds, ...worker }) => ({
          ...worker,
          holds: [...holds],
          ...(lanes && { lanes: [...lanes] }),
          ...(kinds && { kinds: [...kinds] }),
        })),
      };
    },
  );
};
