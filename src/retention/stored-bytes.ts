import type { RemovalScope } from "../model/removal.ts";
import type { Blobs } from "../ports/blobs.ts";

/** Where that part of a job lies in the archive. */
export const prefixesOf = (job: string, what: RemovalScope): readonly string[] =>
  what === "job" ? [`jobs/${job}/`] : [`jobs/${job}/captures/`, `jobs/${job}/files/`];

/** How much a removal would delete, at most. */
export const storedBytes = async (blobs: Blobs, job: string, what: RemovalScope): Promise<number> => {
  let bytes = 0;
  for (const prefix of prefixesOf(job, what)) for await (const { size } of blobs.list(prefix)) bytes += size;
  return bytes;
};
