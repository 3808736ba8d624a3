import { openStorage } from "../../src/compose.ts";
import { storageLocation } from "../../src/config/storage-location.ts";
import type { Blobs } from "../../src/ports/blobs.ts";
import type { Documents } from "../../src/ports/documents.ts";
import { LOCAL_ACTOR } from "../../src/services/context.ts";
import { auditRelease, publishRelease, writeRelease } from "../../src/services/releases.ts";

/**
 * Writes, audits and publishes a release, and kills its own process before or after one of the operations on the stores:
 * `node killed-release.ts DATA DATASET STEP`. Prints the number of steps if it comes to its end.
 */
const [data = "", dataset = "", last = ""] = process.argv.slice(2);
let steps = 0;
const step = (): void => {
  if (++steps === Number(last)) process.kill(process.pid, "SIGKILL");
};

/** A step before and after each call of the named verbs, and within a stream that is put. */
const watched = <Port extends object>(port: Port, verbs: readonly (keyof Port)[]): Port =>
  new Proxy(port, {
    get(target, name, receiver) {
      const found: unknown = Reflect.get(target, name, receiver);
      if (typeof found !== "function") return found;
      const call = (...given: unknown[]): unknown => Reflect.apply(found, target, given);
      if (!verbs.includes(name as keyof Port)) return call;
      return async (...given: unknown[]): Promise<unknown> => {
        step();
        const reply: unknown = await call(...given.map(inSteps));
        step();
        return reply;
      };
    },
  });

const inSteps = (given: unknown): unknown => {
  if (typeof given !== "object" || given === null || !(Symbol.asyncIterator in given)) return given;
  const chunks = given as AsyncIterable<Uint8Array>;
  return (async function* () {
    for await (const chunk of chunks) {
      yield chunk;
      step();
    }
  })();
};

await using storage = await openStorage(storageLocation({ data }));
const { ledger } = storage;
const documents: Documents = watched(ledger.documents, ["commit"]);
const blobs: Blobs = watched(storage.blobs, ["put", "remove"]);
const context = {
  blobs,
  now: Date.now,
  ledger: new Proxy(ledger, {
    get: (target, name) => {
      if (name === "documents") return documents;
      const found: unknown = Reflect.get(target, name, target);
      return typeof found === "function" ? (found.bind(target) as unknown) : found;
    },
  }),
};
const { number } = await writeRelease(context, LOCAL_ACTOR, dataset);
await auditRelease(context, LOCAL_ACTOR, dataset, number);
await publishRelease(context, LOCAL_ACTOR, dataset, number);
process.stdout.write(`${steps}\n`);
