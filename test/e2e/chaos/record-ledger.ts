/**
 * Loaded into every process of a service by `NODE_OPTIONS=--import=…`, without the service knowing of it: each ledger that is opened records
 * its calls in a file of SLUICE_HISTORY's folder. A call is written when it begins and again when it ends, so that one without an answer is known.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import type { LedgerOptions } from "../../../src/backends/sqlite/open.ts";
import type { Ledger } from "../../../src/ports/ledger.ts";
import { HistoryRecorder } from "../../../src/ports/ledger-suite/history/history-recorder.ts";
import { callText } from "./read-history.ts";

const OPEN = new URL("../../../src/backends/sqlite/open.ts", import.meta.url).href;
const REAL = `${OPEN}?real`;

/** Counts the same in all processes of a machine. */
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
let opened = 0;

const recorded = (ledger: Ledger): Ledger => {
  const name = `${process.pid}-${Math.round(nowMs())}-${opened++}.jsonl`;
  const file = openSync(join(process.env["SLUICE_HISTORY"]!, name), "a");
  const recorder = new HistoryRecorder({
    nowMs,
    stamp: nowMs,
    onChange: (call) => writeSync(file, callText(call)),
  });
  const wrapped = recorder.wrap(ledger);
  return new Proxy(wrapped, {
    get: (target, verb) => {
      if (verb !== "close") return Reflect.get(target, verb, target);
      return async () => {
        await target.close();
        closeSync(file);
      };
    },
  });
};

Object.assign(globalThis, {
  openRecorded: async (file: string, options?: LedgerOptions) => {
    const { openSqlite } = (await import(REAL)) as typeof import("../../../src/backends/sqlite/open.ts");
    return recorded(await openSqlite(file, options));
  },
});

registerHooks({
  load: (url, context, next) =>
    url === OPEN
      ? { format: "module", source: "export const openSqlite = globalThis.openRecorded;", shortCircuit: true }
      : next(url, context),
});
