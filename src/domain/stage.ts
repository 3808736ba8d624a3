/** The stages of a firing, in order. `collect` is the job; the others work on its stored data. */
export const STAGES = ["collect", "extract", "audit", "publish"] as const;
export type StageName = (typeof STAGES)[number];

/** `left-out`: an earlier stage failed. */
export const STAGE_STATES = ["waiting", "running", "done", "failed", "left-out"] as const;

export interface Stage {
  readonly name: StageName;
  readonly state: (typeof STAGE_STATES)[number];
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** For a person: the result, or why it failed. */
  readonly detail?: string;
}

export interface StageEnd {
  readonly ok: boolean;
  readonly detail: string;
}

export const newStages = (names: readonly StageName[]): Stage[] =>
  names.map((name) => ({ name, state: "waiting" }));

/** The next stage; undefined if nothing is left to do. */
export const currentStage = (stages: readonly Stage[]): Stage | undefined =>
  stages.find(({ state }) => state === "running") ?? stages.find(({ state }) => state === "waiting");

export const isAllDone = (stages: readonly Stage[]): boolean => stages.every(({ state }) => state === "done");

export const begun = (stages: readonly Stage[], name: StageName, now: number): Stage[] =>
  stages.map((stage) => (stage.name === name ? { name, state: "running", startedAt: now } : stage));

/** If a stage fails, the later ones are left out. */
export const ended = (
  stages: readonly Stage[],
  name: StageName,
  { ok, detail }: StageEnd,
  now: number,
): Stage[] => {
  const at = stages.findIndex((stage) => stage.name === name);
  return stages.map((stage, place) => {
    if (place === at) return { ...stage, state: ok ? "done" : "failed", endedAt: now, detail };
    return place > at && !ok && stage.state === "waiting" ? { name: stage.name, state: "left-out" } : stage;
  });
};

/** A stage alone, or with all that come after it. */
export const repeated = (stages: readonly Stage[], name: StageName, onward: boolean): Stage[] => {
  const at = stages.findIndex((stage) => stage.name === name);
  return stages.map((stage, place) =>
    place === at || (onward && place > at) ? { name: stage.name, state: "waiting" } : stage,
  );
};
