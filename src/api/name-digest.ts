import { createHash } from "node:crypto";

/** An id made of the name that was drawn for something: made again under that name, it is the same thing. Hex digits. */
export const nameDigest = (name: string, length: number): string =>
  createHash("sha256").update(name).digest("hex").slice(0, length);
