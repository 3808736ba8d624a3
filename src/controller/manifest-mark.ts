import { z } from "zod";
import { BlobError, type Blobs } from "../ports/blobs.ts";

/** Which end of a job its manifest tells of: one that is retried ends again. Written after the manifest. */
const markSchema = z.object({ endedAt: z.number() });

const nameOf = (job: string): string => `jobs/${job}/manifest-mark.json`;

/** When the job ended that its manifest tells of; undefined where there is none. */
export const readManifestMark = async (blobs: Blobs, job: string): Promise<number | undefined> => {
  try {
    return markSchema.parse(JSON.parse(Buffer.from(await blobs.get(nameOf(job))).toString())).endedAt;
  } catch (error) {
    if (error instanceof BlobError && error.code === "not-found") return undefined;
    throw error;
  }
};

export const removeManifestMark = (blobs: Blobs, job: string): Promise<void> => blobs.remove(nameOf(job));

export const writeManifestMark = async (blobs: Blobs, job: string, endedAt: number): Promise<void> => {
  await blobs.put(nameOf(job), Buffer.from(JSON.stringify({ endedAt })));
};
