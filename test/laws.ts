/**
 * `npm run laws`: every law, on every storage, as one table. Contract suites, and a run under kills whose calls are all checked. It takes some minutes;
 * words select storages: `npm run laws -- postgres`.
 */
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { LAWS } from "../src/ports/ledger.suite.ts";
import { STORAGES } from "./e2e/chaos/storages.ts";
import { type Cell, lawTable, LeafResults, summed } from "./law-table.ts";
import { installPackagesFor } from "./packages.ts";
import { TEST_TIMEOUT, testEnv } from "./test-files.ts";

const BACKENDS = "src/backends";
const KILLS = "test/e2e/laws.test.ts";

/** The suites of each storage's ledger and archive, and what holds it to a cost that does not grow with its backlog. */
const SUITES: Readonly<
  Record<string, { readonly ledger: string; readonly blobs: string; readonly flat: string }>
> = {
  "sqlite+files": {
    ledger: `${BACKENDS}/sqlite/open.test.ts`,
    blobs: `${BACKENDS}/files/open-files.test.ts`,
    flat: `${BACKENDS}/sqlite/flat-cost.test.ts`,
  },
  remote: {
    ledger: `${BACKENDS}/remote/open-remote.test.ts`,
    blobs: `${BACKENDS}/remote/remote-blobs.test.ts`,
    flat: `${BACKENDS}/sqlite/flat-cost.test.ts`,
  },
  "postgres+files": {
    ledger: `${BACKENDS}/postgres/open.test.ts`,
    blobs: `${BACKENDS}/files/open-files.test.ts`,
    flat: `${BACKENDS}/postgres/store.test.ts`,
  },
  "postgres+s3": {
    ledger: `${BACKENDS}/postgres/open.test.ts`,
    blobs: `${BACKENDS}/s3/open-s3.test.ts`,
    flat: `${BACKENDS}/postgres/store.test.ts`,
  },
};

const words = process.argv.slice(2);
const storages = Object.keys(STORAGES).filter(
  (name) => words.length === 0 || words.some((word) => name.includes(word)),
);
if (storages.length === 0) {
  console.error(`No storage is named ${words.join(" or ")}. There are ${Object.keys(STORAGES).join(", ")}.`);
  process.exit(2);
}
const files = [KILLS, ...new Set(storages.flatMap((name) => Object.values(SUITES[name]!)))];
process.env = { ...testEnv(), SLUICE_LAWS: storages.join(",") };
installPackagesFor(files.map((path) => ({ path })));
const results = new LeafResults();
/** Each file by itself: the tests of a contract suite are the same in all of them. */
const runFile = async (file: string): Promise<void> => {
  for await (const { type, data } of run({ files: [file], execArgv: [TEST_TIMEOUT] })) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const isGood = type === "test:pass";
    results.add(file, isGood, data);
    if (data.nesting === 0) console.error(`${isGood ? "ok" : "FAILED"}: ${data.name}`);
    if (type === "test:fail" && data.details.error.cause !== undefined)
      console.error(data.details.error.cause);
  }
};
const waiting = [...files];
const runNext = async (): Promise<void> => {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) await runFile(file);
};
await Promise.all(Array.from({ length: availableParallelism() }, runNext));
const rows = new Map<string, readonly Cell[]>();
for (const law of Object.keys(LAWS))
  rows.set(
    law,
    storages.map((name) => summed(results.of(SUITES[name]!.ledger, law))),
  );
rows.set(
  "bytes before truth",
  storages.map((name) => summed(results.of(SUITES[name]!.blobs))),
);
rows.set(
  "flat cost",
  storages.map((name) => summed(results.of(SUITES[name]!.flat))),
);
rows.set(
  "kill test, history check",
  storages.map((name) => summed(results.of(KILLS, `kill test and history check: ${name}`))),
);
const { text, isGood } = lawTable(storages, rows);
console.log(text);
process.exitCode = isGood ? 0 : 1;
