import { z } from "zod";
import { type Answer, count, described, instant, named } from "./describe.ts";

export const alertSchema = named(
  "Alert",
  z.object({
    id: z.string(),
    rule: described("The rule that raised it; `notice` for a message that is sent once.", z.string()),
    job: described("The job that it is about.", z.string()).optional(),
    text: z.string(),
    since: instant,
    over: described(
      "Set when the alert is over and some channels have not been notified yet: the text for them.",
      z.string(),
    ).optional(),
    told: described("Channels that have been notified.", z.array(z.string())),
  }),
);
export type Alert = Answer<typeof alertSchema>;

const share = (what: string) => z.object({ [what]: z.number(), last: count });

/** What is wrong now, and what alerts are about. */
export const alertsSchema = z.object({
  data: z.array(alertSchema),
  channels: described("Where alerts are sent; configured in `sluice.config.ts`.", z.array(z.string())),
  rules: described(
    "When alerts are sent; false for a rule that is off.",
    z.object({
      breaker: z.boolean(),
      proxy: z.boolean(),
      versions: z.boolean(),
      drift: z.boolean(),
      releases: z.boolean(),
      schedules: z.boolean(),
      failureShare: z.union([z.literal(false), share("over")]),
      noSuccess: z.union([z.literal(false), z.object({ forMs: z.number() })]),
      completeness: z.union([z.literal(false), share("drop")]),
    }),
  ),
});
export type Alerts = Answer<typeof alertsSchema>;
