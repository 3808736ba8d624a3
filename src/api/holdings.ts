import type { ServiceContext } from "./service-context.ts";
import { Problem } from "./problem.ts";

/** Open jobs are looked at every second: they may not be without number. */
const MOST_OPEN_JOBS = 1000;

/** Throws where the client may not start another job, or with `isNew: false`, where it may not add to those it has. */
export const checkHoldings = async (
  { ledger, registry }: Pick<ServiceContext, "ledger" | "registry">,
  client: string,
  { isNew }: { readonly isNew: boolean },
): Promise<void> => {
  const card = await registry.readClient(client);
  const { maxOpenJobs = MOST_OPEN_JOBS, maxStoredBytes = Infinity } = card ?? {};
  const openJobs = isNew ? await ledger.countOpenJobs(client) : 0;
  if (isNew && openJobs >= maxOpenJobs)
    throw new Problem(
      "too-many-jobs",
      `${client} has ${openJobs} open jobs, and may have ${maxOpenJobs}. Cancel or seal those that are not needed: a job ends when it is sealed and all of its items have ended.`,
      { retryAfterSeconds: 60 },
    );
  const bytes = maxStoredBytes === Infinity ? 0 : await ledger.countKeptBytes(client);
  if (bytes >= maxStoredBytes)
    throw new Problem(
      "storage-full",
      `${client} keeps ${bytes} bytes, and may keep ${maxStoredBytes}. Remove jobs or their pages that are not needed any more.`,
    );
};
