import { dirname, join, resolve } from "node:path";
import { backendFor, MIGRATE_FILE, needPostgres, refuseUnfinished } from "./compose.ts";
import type { LedgerTables, LedgerTarget } from "./ports/ledger-tables.ts";
import { parseStorageUrl } from "./ports/storage.ts";

interface MovableLedger {
  readonly open: (url: string) => Promise<LedgerTables>;
  readonly openTarget: (url: string) => Promise<LedgerTarget>;
}

const openPostgresTables = async (url: string, isTarget: boolean): Promise<LedgerTarget> => {
  needPostgres();
  const { openPostgresTables: open } = await import("./backends/postgres/ledger-tables.ts");
  return await open(url, { isTarget });
};

const movablePostgres: MovableLedger = {
  open: (url) => openPostgresTables(url, false),
  openTarget: (url) => openPostgresTables(url, true),
};

/** Ledgers that `sluice migrate` reads and writes, by the scheme of their URL. */
const MOVABLE_LEDGERS: Readonly<Record<string, MovableLedger>> = {
  sqlite: {
    async open(url) {
      const file = resolve(parseStorageUrl(url)!.path);
      refuseUnfinished(dirname(file));
      return (await import("./backends/sqlite/ledger-tables.ts")).openSqliteTables(file);
    },
    async openTarget(url) {
      const file = resolve(parseStorageUrl(url)!.path);
      const { openSqliteTarget } = await import("./backends/sqlite/ledger-tables.ts");
      return await openSqliteTarget(file, join(dirname(file), MIGRATE_FILE));
    },
  },
  postgres: movablePostgres,
  postgresql: movablePostgres,
};

/** For `sluice migrate`: the tables of a ledger that nothing runs on. */
export const openLedgerTables = async (url: string): Promise<LedgerTables> =>
  await backendFor("ledger", url, MOVABLE_LEDGERS).open(url);

export const openLedgerTarget = async (url: string): Promise<LedgerTarget> =>
  await backendFor("ledger", url, MOVABLE_LEDGERS).openTarget(url);
