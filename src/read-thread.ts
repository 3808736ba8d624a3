import { parentPort, workerData } from "node:worker_threads";
import { openStorage } from "./compose.ts";
import { serveReads } from "./api/reading/serve-reads.ts";

/** Started by `startReads`: reads of one data folder, on a connection of its own. Calls that come before it is open wait in the port. */
const { data } = workerData as { readonly data: string };
serveReads(parentPort!, await openStorage(data, { isPacing: true, cacheMb: 4 }));
