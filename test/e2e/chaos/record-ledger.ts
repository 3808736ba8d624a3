/**
 * Loaded into every process of a service by `NODE_OPTIONS=--import=…`, without the service knowing of it: each ledger that is opened records
 * its calls in a file of SLUICE_HISTORY's folder. A call is written when it begins and again when it ends, so that one without an answer is known.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import type { LedgerOptions } from "../../../src/backends/sqlite/open.ts";
import type { PostgresOptions } from "../../../src/backends/postgres/open.ts";
import type { RemoteOptions } from "../../../src/backends/remote/connection.ts";
import type { Ledger } from "../../../src/ports/ledger.ts";
import { HistoryRecorder } from "../../../src/ports/ledger-suite/history/history-recorder.ts";
import { callText } from "./read-history.ts";

const SQLITE = new URL("../../../src/backends/sqlite/open.ts", import.meta.url).href;
const POSTGRES = new URL("../../../src/backends/postgres/open.ts", import.meta.url).href;
const REMOTE = new URL("../../../src/backends/remote/open-remote.ts", import.meta.url).href;

/** The same clock in all processes of a machine. */
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
  const unrecorded = ledger as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
  return new Proxy(wrapped, {
    get: (target, verb) => {
      const own: unknown = Reflect.get(target, verb, target);
      if (verb === "close")
        return async () => {
          await target.close();
          closeSync(file);
        };
      if (typeof own !== "function") return own;
      return (...args: readonly unknown[]) =>
        isRecordedElsewhere(verb, args)
          ? unrecorded[String(verb)]!(...args)
          : (own.apply(target, args) as unknown);
    },
  });
};

const SENT: ReadonlySet<PropertyKey> = new Set([
  "claim",
  "pulse",
  "settle",
  "reap",
] satisfies (keyof Ledger)[]);

/** Calls from the network have a number or a name; the worker that sent them records them. */
const isRecordedElsewhere = (verb: PropertyKey, [request, , id]: readonly unknown[]): boolean =>
  SENT.has(verb) &&
  (typeof id === "string" ||
    (typeof request === "object" && request !== null && ("number" in request || "id" in request)));

Object.assign(globalThis, {
  openRecorded: async (file: string, options?: LedgerOptions) => {
    const { openSqlite } = (await import(
      `${SQLITE}?real`
    )) as typeof import("../../../src/backends/sqlite/open.ts");
    return recorded(await openSqlite(file, options));
  },
  openRecordedPostgres: async (url: string, options?: PostgresOptions) => {
    const { openPostgres } = (await import(
      `${POSTGRES}?real`
    )) as typeof import("../../../src/backends/postgres/open.ts");
    return recorded(await openPostgres(url, options));
  },
  openRecordedRemote: async (options: RemoteOptions) => {
    const { openRemote } = (await import(
      `${REMOTE}?real`
    )) as typeof import("../../../src/backends/remote/open-remote.ts");
    const { ledger, blobs } = await openRemote(options);
    return { ledger: recorded(ledger), blobs };
  },
});

const SOURCES: Readonly<Record<string, string>> = {
  [SQLITE]: "export const openSqlite = globalThis.openRecorded;",
  [POSTGRES]: "export const openPostgres = globalThis.openRecordedPostgres;",
  [REMOTE]: "export const openRemote = globalThis.openRecordedRemote;",
};

registerHooks({
  load: (url, context, next) =>
    SOURCES[url] === undefined
      ? next(url, context)
      : { format: "module", source: SOURCES[url], shortCircuit: true },
});
