import type { Release } from "../domain/release.ts";
import type { StageEnd } from "../domain/stage.ts";
import type { Actor, ServiceContext } from "./context.ts";
import { findDataset, listReleases } from "./datasets.ts";
import type { StageCall, StageRunners } from "./firing-stages.ts";
import { Problem } from "./problem.ts";
import { auditRelease, publishRelease, writeRelease } from "./releases.ts";

const SEARCHED = 50;

/** The stages `audit` and `publish` of a schedule with a dataset: a release with the records of the firing's job. */
export const releaseStages = (context: ServiceContext): StageRunners => {
  const owner = ({ client }: StageCall): Actor => ({ client, role: "client" });
  /** The newest release that was written from the job and is in one of these states: a repeated stage continues with it. */
  const releaseOf = async (
    { dataset = "", job }: StageCall,
    states: readonly string[],
  ): Promise<Release | undefined> =>
    (await listReleases(context, dataset, { limit: SEARCHED })).find(
      ({ sources, state }) => states.includes(state) && sources.some((source) => source.job === job.spec.id),
    );
  return {
    audit: (call) =>
      told(async () => {
        const { dataset = "", job, scraper } = call;
        const { body } = await findDataset(context, owner(call), dataset);
        const source = body.sources.find((one) => one.scraper === job.spec.scraper);
        if (!source) return { ok: false, detail: `dataset ${dataset} has no source ${scraper}` };
        const jobs = { [source.as ?? source.scraper]: job.spec.id };
        const written =
          (await releaseOf(call, ["written"])) ??
          (await writeRelease(context, owner(call), dataset, { jobs }));
        const { state, number, rows, audit } = await auditRelease(
          context,
          owner(call),
          dataset,
          written.number,
        );
        const failed = (audit?.checks ?? []).filter(({ verdict }) => verdict === "fail");
        return state === "held"
          ? {
              ok: false,
              detail: `release ${number} is held: ${failed.map(({ check, detail }) => `${check}: ${detail}`).join("; ")}`,
            }
          : { ok: true, detail: `release ${number}, ${rows} rows` };
      }),
    publish: (call) =>
      told(async () => {
        const { dataset = "" } = call;
        const done = await releaseOf(call, ["published"]);
        const found = await releaseOf(call, ["audited"]);
        if (!found)
          return done
            ? { ok: true, detail: `release ${done.number} is published` }
            : { ok: false, detail: "no audited release of this firing. Repeat the stage audit" };
        const { number } = await publishRelease(context, owner(call), dataset, found.number);
        return { ok: true, detail: `release ${number} is published` };
      }),
  };
};

/** A refusal ends the stage; other errors are tried again. */
const told = async (run: () => Promise<StageEnd>): Promise<StageEnd> => {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Problem && error.code !== "unavailable" && error.code !== "release-changed")
      return { ok: false, detail: error.message };
    throw error;
  }
};
