import type { Blobs } from "../../ports/blobs.ts";
import type { Connection } from "./connection.ts";

export const remoteBlobs = (_connection: Connection): Blobs => ({}) as Blobs;
