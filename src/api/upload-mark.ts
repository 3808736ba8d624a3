import { z } from "zod";
import { type Blobs, BlobError } from "../ports/blobs.ts";

/**
 * How far the inputs of a job have been taken. Written after each batch is in the ledger: what it counts is there, and at most one batch more, which
 * is folded when it comes again.
 */
const markSchema = z.object({
  offset: z.int(),
  accepted: z.int(),
  folded: z.int(),
  rejected: z.int(),
  capped: z.int(),
});

export type UploadMark = Readonly<z.infer<typeof markSchema>>;

const nameOf = (job: string): string => `jobs/${job}/upload.json`;

export const readMark = async (blobs: Blobs, job: string): Promise<UploadMark> => {
  try {
    return markSchema.parse(JSON.parse(Buffer.from(await blobs.get(nameOf(job))).toString()));
  } catch (error) {
    if (error instanceof BlobError && error.code === "not-found")
      return { offset: 0, accepted: 0, folded: 0, rejected: 0, capped: 0 };
    throw error;
  }
};

export const writeMark = async (blobs: Blobs, job: string, mark: UploadMark): Promise<void> => {
  await blobs.put(nameOf(job), Buffer.from(JSON.stringify(mark)));
};
