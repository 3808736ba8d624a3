import { parentPort, workerData } from "node:worker_threads";
import { openStorage } from "../compose.ts";
import type { StorageLocation } from "../ports/storage.ts";
import { serveReads } from "../api/reading/serve-reads.ts";

/** Started by `startReads`: reads of one data folder, on a connection of its own. Calls that come before it is open wait in the port. */
const { location } = workerData as { readonly location: StorageLocation };
serveReads(parentPort!, await openStorage(location, { isPacing: true, cacheMb: 4 }));
