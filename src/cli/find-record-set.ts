import type { JobView } from "../domain/job.ts";
import type { Ledger } from "../ports/ledger.ts";
import { findJob } from "./find-job.ts";

/** A set of records as it is named on the command line: `JOB` for the current one, `JOB@first`, `JOB@EXTRACTION`. */
export const findRecordSet = async (
  ledger: Ledger,
  named: string,
): Promise<{ readonly view: JobView; readonly which: string }> => {
  const at = named.indexOf("@");
  const view = await findJob(ledger, at < 0 ? named : named.slice(0, at));
  return { view, which: at < 0 ? "current" : named.slice(at + 1) };
};
