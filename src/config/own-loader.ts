import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import type { JobSpec } from "../model/job.ts";
import { OwnTroubleError } from "../model/own-trouble.ts";
import type { Ledger } from "../ports/ledger.ts";
import { jobLoader } from "../scrapers/load-pinned.ts";
import { ScraperLoadError } from "../scrapers/scraper-load-error.ts";
import { findScraper } from "./find-scrapers.ts";
import { loadConfig } from "./load-config.ts";

/**
 * For a worker on another machine than its controller: scrapers are found where the job has them from, else by name in the project of this machine. A machine
 * that lacks one, or has another version, gives the items back and slows down: other machines may have it.
 */
export const ownLoader = (ledger: Pick<Ledger, "readJob">): ReturnType<typeof jobLoader> => {
  const load = jobLoader(ledger, ownSource);
  return async (job, revision) => {
    try {
      return await load(job, revision);
    } catch (error) {
      if (!(error instanceof ScraperLoadError)) throw error;
      const detail = `${job}: this machine (${hostname()}) does not have the job's scraper in its version. ${error.message}`;
      throw new OwnTroubleError(error.code, detail, { cause: error });
    }
  };
};

const ownSource = async ({ source, scraper }: JobSpec): Promise<string> =>
  !source.startsWith("file:") || existsSync(fileURLToPath(source))
    ? source
    : await findScraper(scraper, await loadConfig());
