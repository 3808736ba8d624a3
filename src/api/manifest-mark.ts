import { z } from "zod";
import { BlobError, type Blobs } from "../ports/blobs.ts";

/** Which end of a job its manifest tells of: one that is retried ends again. Written after the manifest. */
const markSchema = z.object({ endedAt: z.number() });

const nameOf = (job: string): string => `jobs/${job}/manifest-mark.json`;

/** When the job ended that its manifest tells of; undefined where there is none, or none that can be read. */
export const readManifestMark = async (blobs: Blobs, job: string): Promise<number | undefined> => {
  try {
    const text = Buffer.from(await blobs.get(nameOf(job))).toString();
    return markSchema.safeParse(parsed(text)).data?.endedAt;
  } catch (error) {
    if (error instanceof BlobError && error.code === "not-found") return undefined;
    throw error;
  }
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const removeManifestMark = (blobs: Blobs, job: string): Promise<void> => blobs.remove(nameOf(job));

export const writeManifestMark = async (blobs: Blobs, job: string, endedAt: number): Promise<void> => {
  await blobs.put(nameOf(job), Buffer.from(JSON.stringify({ endedAt })));
};
