import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ScheduleConfig } from "../config/define-config.ts";
import { newScheduleSchema } from "../schemas/schedule.ts";
import { LOCAL_ACTOR, type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";
import { allSchedules, readSchedule } from "./schedule-documents.ts";
import { changeSchedule, checkedDefinition, createSchedule, removeSchedule } from "./schedules.ts";

const ORIGIN = { origin: "config", guardsTargets: false, by: "sluice.config.ts" } as const;

/**
 * Creates the schedules that the configuration declares, and removes those that it no longer declares. Schedules created over the
 * API stay; if the configuration uses the name of one of them, it is refused. Applying it again changes nothing.
 */
export const applySchedules = async (
  context: ServiceContext,
  declared: Readonly<Record<string, ScheduleConfig>>,
  folder = ".",
): Promise<void> => {
  const gone: string[] = [];
  for await (const { name, body } of allSchedules(context.ledger))
    if (body.origin === "config" && !Object.hasOwn(declared, name)) gone.push(name);
  // Schedules that follow others are created after them.
  const entries = Object.entries(declared).toSorted(
    ([, a], [, b]) => depthOf(declared, a) - depthOf(declared, b),
  );
  for (const [name, config] of entries) await apply(context, name, withFolder(config, folder));
  for (const name of gone) await removeSchedule(context, LOCAL_ACTOR, name);
};

const depthOf = (declared: Readonly<Record<string, ScheduleConfig>>, config: ScheduleConfig): number => {
  let depth = 0;
  for (let at: ScheduleConfig | undefined = config; at && "after" in at.when; at = declared[at.when.after])
    if (++depth > Object.keys(declared).length) break;
  return depth;
};

const withFolder = (config: ScheduleConfig, folder: string): ScheduleConfig =>
  config.inputsFrom && "file" in config.inputsFrom
    ? { ...config, inputsFrom: { file: resolve(folder, config.inputsFrom.file) } }
    : config;

const apply = async (context: ServiceContext, name: string, config: ScheduleConfig): Promise<void> => {
  const parsed = newScheduleSchema.safeParse({ name, ...config });
  const issue = parsed.error?.issues[0];
  if (issue)
    throw new Problem(
      "invalid-request",
      `schedule ${shown(name)} in sluice.config.ts: ${[...issue.path, issue.message].join(": ")}`,
    );
  const { client = LOCAL_ACTOR.client, ...definition } = config;
  const known = await readSchedule(context.ledger, name);
  if (!known) {
    await createSchedule(context, LOCAL_ACTOR, { name, client, ...definition }, ORIGIN);
    return;
  }
  if (known.body.origin !== "config")
    throw new Problem(
      "schedule-exists",
      `schedule ${shown(name)} in sluice.config.ts: a schedule with this name was created over the API. Remove it, or rename one of them.`,
    );
  const wanted = await checkedDefinition(context, name, client, definition, ORIGIN);
  const same = Object.entries(wanted).every(([part, value]) =>
    isDeepStrictEqual((known.body as unknown as Record<string, unknown>)[part], value),
  );
  const isFewer = DEFINED.some((part) => known.body[part] !== undefined && wanted[part] === undefined);
  if (!same || isFewer) await changeSchedule(context, LOCAL_ACTOR, name, definition, ORIGIN);
};

const DEFINED = ["catchUpMs", "jitterMs", "dataset", "job"] as const;
