import type { JobSpec } from "../model/job.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import { type ReadyScraper, readyScraper } from "../scrapers/ready-scraper.ts";
import { ReextractError } from "./reextract-error.ts";

/** A job's scraper as it is now, with the name under which the job knows it. */
export interface CurrentScraper {
  readonly was: string;
  readonly ready: ReadyScraper;
  /** Before the names of its fields; empty for the job's root. */
  readonly prefix: string;
}

/**
 * Those of a job's scrapers that extract, as their files are now. `instead` takes the place of the job's scraper of the same name, or of
 * its root.
 */
export const loadCurrentScrapers = async (
  spec: Pick<JobSpec, "id" | "source" | "scrapers">,
  instead?: string,
): Promise<CurrentScraper[]> => {
  const given = instead === undefined ? undefined : await load(instead);
  const isForTarget = spec.scrapers.findIndex(({ name }) => name === given?.scraper.name) > 0;
  const root = given && !isForTarget ? given : await load(spec.source);
  const known = new Map([...root.targets, ...(given ? [[given.scraper.name, given] as const] : [])]);
  const current: CurrentScraper[] = [];
  for (const [at, { name }] of spec.scrapers.entries()) {
    const ready = at === 0 ? root : known.get(name);
    if (!ready) throw gone(spec.id, name, root.scraper.name);
    refuseUnkept(spec.id, ready);
    if (ready.extraction) current.push({ was: name, ready, prefix: at === 0 ? "" : `${name}.` });
  }
  if (current.length > 0) return current;
  throw new ReextractError(
    "no-extract",
    `${spec.id}: scraper ${root.scraper.name} has no \`extract\` block, so there is nothing to make of its pages. ` +
      "Add one, or name another scraper with --scraper FILE.",
  );
};

const gone = (job: string, name: string, root: string): ReextractError =>
  new ReextractError(
    "no-extract",
    `${job}: some of its items are of scraper ${name}, which ${root} does not emit to any more. ` +
      `Put it back into \`emit\` of ${root}, so that their pages can be read.`,
  );

const load = async (named: string): Promise<ReadyScraper> => await readyScraper(await loadScraper(named));

const refuseUnkept = (job: string, { scraper }: ReadyScraper): void => {
  if (scraper.archive === "none")
    throw new ReextractError(
      "nothing-stored",
      `${job}: scraper ${scraper.name} keeps no pages (\`archive: "none"\`), so they cannot be extracted again. ` +
        "Take that line out and run the job again to keep them.",
    );
};
