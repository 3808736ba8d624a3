import { hash } from "node:crypto";

/** Lower-case hex after the name of the algorithm: how refs, WARC headers and CDXJ spell a digest. */
export const sha256 = (bytes: Uint8Array): string => `sha256:${hash("sha256", bytes, "hex")}`;
