import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { InputSetConfig, ScheduleConfig } from "../config/define-config.ts";
import type { DatasetConfig, DatasetSpec } from "../domain/release.ts";
import { readInputs } from "../inputs/read-inputs.ts";
import type { DatasetView } from "../schemas/dataset.ts";
import { plainName } from "../schemas/inputs.ts";
import { type NewSchedule, newScheduleSchema, type Schedule } from "../schemas/schedule.ts";
import { LOCAL_ACTOR, type ServiceContext, shown } from "./context.ts";
import { datasetView } from "./dataset-view.ts";
import { configuredSpec, listDatasets, saveDataset } from "./datasets.ts";
import { listSets, uploadSet } from "./input-sets.ts";
import { Problem } from "./problem.ts";
import { allSchedules } from "./schedule-documents.ts";
import {
  changeSchedule,
  createSchedule,
  definitionOf,
  isSameDefinition,
  removeSchedule,
  scheduleView,
} from "./schedules.ts";

/** What a configuration declares. */
export interface Declared {
  readonly inputSets?: Readonly<Record<string, InputSetConfig>>;
  readonly datasets?: Readonly<Record<string, DatasetConfig>>;
  readonly schedules?: Readonly<Record<string, ScheduleConfig>>;
  /** What paths are relative to. */
  readonly folder: string;
}

/** What applying did, or would do. The rows of a set that is there are `compared` when they are uploaded. */
export interface Applied {
  readonly what: "input set" | "dataset" | "schedule";
  readonly name: string;
  readonly result: "created" | "changed" | "unchanged" | "removed" | "compared";
}

/** Where declarations take effect: in a ledger, or on a server. */
export interface ApplyTarget {
  /** `config`: those of the installation's own configuration. */
  readonly origin: Schedule["origin"];
  setNames(): Promise<readonly string[]>;
  uploadSet(name: string, set: InputSetConfig): Promise<{ readonly isNew: boolean }>;
  datasets(): Promise<readonly Pick<DatasetView, "name" | "spec" | "isDeclared">[]>;
  saveDataset(name: string, spec: DatasetSpec): Promise<unknown>;
  schedules(): Promise<readonly Schedule[]>;
  createSchedule(schedule: NewSchedule): Promise<unknown>;
  changeSchedule(name: string, schedule: Omit<NewSchedule, "name" | "client">): Promise<unknown>;
  removeSchedule(name: string): Promise<unknown>;
}

interface Applying {
  /** Only says what would be done. */
  readonly isDry?: boolean;
}

/**
 * Makes input sets, datasets and schedules as they are declared. The installation's own schedules that are declared no more are removed; sets and datasets stay. What others
 * have made stays, and a schedule's name that one of those has is refused. Applying it again changes nothing.
 */
export const applyConfig = async (
  target: ApplyTarget,
  { inputSets = {}, datasets = {}, schedules = {}, folder }: Declared,
  how: Applying = {},
): Promise<readonly Applied[]> => {
  const inFolder = <Source extends { readonly file: string }>(source: Source): Source => ({
    ...source,
    file: resolve(folder, source.file),
  });
  const sets = Object.entries(inputSets).map(([name, set]) => [name, inFolder(set)] as const);
  const timed = Object.entries(schedules).map(([name, { inputsFrom, ...schedule }]) => {
    const isFile = typeof inputsFrom === "object" && "file" in inputsFrom;
    return [name, { ...schedule, inputsFrom: isFile ? inFolder(inputsFrom) : inputsFrom }] as const;
  });
  return [
    ...(await applySets(target, sets, how)),
    ...(await applyDatasets(target, datasets, how)),
    ...(await applySchedules(target, Object.fromEntries(timed), how)),
  ];
};

const applySets = async (
  target: ApplyTarget,
  declared: readonly (readonly [string, InputSetConfig])[],
  { isDry = false }: Applying,
): Promise<Applied[]> => {
  const known = new Set(declared.length === 0 ? [] : await target.setNames());
  const applied: Applied[] = [];
  for (const [name, set] of declared) {
    checkName("input set", name);
    const isNew = !isDry && (await target.uploadSet(name, set)).isNew;
    const old = isDry ? "compared" : isNew ? "changed" : "unchanged";
    applied.push({ what: "input set", name, result: known.has(name) ? old : "created" });
  }
  return applied;
};

/** Those that were declared before and are not any more stay. */
export const applyDatasets = async (
  target: Pick<ApplyTarget, "origin" | "datasets" | "saveDataset">,
  declared: Readonly<Record<string, DatasetConfig>>,
  { isDry = false }: Applying = {},
): Promise<Applied[]> => {
  const entries = Object.entries(declared);
  const known = new Map(entries.length === 0 ? [] : (await target.datasets()).map((one) => [one.name, one]));
  const applied: Applied[] = [];
  for (const [name, config] of entries) {
    const spec = await configuredSpec(name, config);
    const old = known.get(name);
    const isOwn = target.origin !== "config" || old?.isDeclared;
    const result = !old ? "created" : isOwn && isDeepStrictEqual(old.spec, spec) ? "unchanged" : "changed";
    if (!isDry && result !== "unchanged") await target.saveDataset(name, spec);
    applied.push({ what: "dataset", name, result });
  }
  return applied;
};

const applySchedules = async (
  target: ApplyTarget,
  declared: Readonly<Record<string, ScheduleConfig>>,
  { isDry = false }: Applying,
): Promise<Applied[]> => {
  const there = await target.schedules();
  const applied: Applied[] = [];
  // Those that follow others come after them.
  const ordered = Object.entries(declared).toSorted(
    ([, a], [, b]) => depthOf(declared, a) - depthOf(declared, b),
  );
  for (const [name, config] of ordered) {
    checkSchedule(name, config);
    const { client, ...definition } = config;
    const old = there.find((one) => one.name === name);
    const isSame = old && isSameDefinition(old, definitionOf(definition));
    if (old && old.origin !== target.origin && (target.origin === "config" || !isSame))
      throw otherOrigin(name, old.origin);
    if (!isDry && !old)
      await target.createSchedule({ name, ...(client !== undefined && { client }), ...definition });
    if (!isDry && old && !isSame) await target.changeSchedule(name, definition);
    applied.push({ what: "schedule", name, result: !old ? "created" : isSame ? "unchanged" : "changed" });
  }
  for (const name of target.origin === "config" ? goneOf(there, declared) : []) {
    if (!isDry) await target.removeSchedule(name);
    applied.push({ what: "schedule", name, result: "removed" });
  }
  return applied;
};

const checkName = (what: string, name: string): void => {
  const issue = plainName.safeParse(name).error?.issues[0];
  if (issue)
    throw new Problem("invalid-request", `${what} ${shown(name)} in the configuration: ${issue.message}`);
};

const checkSchedule = (name: string, config: ScheduleConfig): void => {
  const issue = newScheduleSchema.safeParse({ name, ...config }).error?.issues[0];
  if (issue)
    throw new Problem(
      "invalid-request",
      `schedule ${shown(name)} in the configuration: ${[...issue.path, issue.message].join(": ")}`,
    );
};

const otherOrigin = (name: string, origin: Schedule["origin"]): Problem =>
  new Problem(
    "schedule-exists",
    origin === "config"
      ? `schedule ${shown(name)} is declared in the server's own configuration. Change it there.`
      : `schedule ${shown(name)} in the configuration: a schedule of this name was made over the API. Remove it, or rename one of them.`,
  );

/** Those that follow others come first. */
const goneOf = (there: readonly Schedule[], declared: object): readonly string[] => {
  const gone = there.filter(({ name, origin }) => origin === "config" && !Object.hasOwn(declared, name));
  const byName = Object.fromEntries(gone.map((one) => [one.name, one]));
  return gone.toSorted((a, b) => depthOf(byName, b) - depthOf(byName, a)).map(({ name }) => name);
};

type Timed = Pick<ScheduleConfig, "when">;

const depthOf = (declared: Readonly<Record<string, Timed>>, config: Timed): number => {
  let depth = 0;
  for (let at: Timed | undefined = config; at && "after" in at.when; at = declared[at.when.after])
    if (++depth > Object.keys(declared).length) break;
  return depth;
};

const BY = "sluice.config.ts";
const ORIGIN = { origin: "config", guardsTargets: false, by: BY } as const;
const MOST = 100_000;

/** The datasets of an installation, for its own configuration. */
export const ownDatasets = (
  context: Pick<ServiceContext, "ledger" | "now">,
): Pick<ApplyTarget, "origin" | "datasets" | "saveDataset"> => ({
  origin: "config",
  datasets: async () =>
    (await listDatasets(context, LOCAL_ACTOR)).map((dataset) => datasetView(dataset, context.now())),
  saveDataset: async (name, spec) => await saveDataset(context, LOCAL_ACTOR, name, spec, { declared: true }),
});

export const ownTarget = (context: ServiceContext): ApplyTarget => ({
  setNames: async () => (await listSets(context, LOCAL_ACTOR, { limit: MOST })).sets.map(({ name }) => name),
  uploadSet: async (name, { file, key, client }) =>
    await uploadSet(context, LOCAL_ACTOR, name, {
      rows: readInputs(file),
      change: "replace",
      key,
      client,
      by: BY,
    }),
  ...ownDatasets(context),
  schedules: async () =>
    await Array.fromAsync(allSchedules(context.ledger), (stored) => scheduleView(context, stored)),
  createSchedule: async ({ client = LOCAL_ACTOR.client, ...schedule }) =>
    await createSchedule(context, LOCAL_ACTOR, { client, ...schedule }, ORIGIN),
  changeSchedule: async (name, definition) =>
    await changeSchedule(context, LOCAL_ACTOR, name, definition, ORIGIN),
  removeSchedule: async (name) => await removeSchedule(context, LOCAL_ACTOR, name),
});
