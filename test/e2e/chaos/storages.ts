import type { TestContext } from "node:test";
import { newDatabase, noPostgres } from "../../kits/postgres.ts";
import { noRadosgw, Radosgw } from "../../radosgw.ts";
import type { ChaosStorage } from "./run-chaos.ts";

type Opened = ChaosStorage | { readonly skip: string };

/** Each storage that an installation can have, with the workers that use it; or why there is none on this machine. */
export const STORAGES: Readonly<Record<string, (t: TestContext) => Promise<Opened>>> = {
  "sqlite+files": async () => ({ workers: 2, remoteWorkers: 0 }),
  remote: async () => ({ workers: 0, remoteWorkers: 2 }),
  "postgres+files": async (t) =>
    noPostgres ? { skip: noPostgres } : { ledger: await newDatabase(t), workers: 1, remoteWorkers: 1 },
  "postgres+s3": async (t) => {
    const skip = noPostgres || noRadosgw();
    if (skip) return { skip };
    const store = await Radosgw.start();
    t.after(() => store[Symbol.asyncDispose]());
    Object.assign(process.env, store.env);
    const [ledger, blobs] = [await newDatabase(t), store.url("chaos")];
    // The store listens on loopback only, which a network namespace cannot reach.
    return { ledger, blobs, env: store.env, workers: 2, remoteWorkers: 0 };
  },
};
