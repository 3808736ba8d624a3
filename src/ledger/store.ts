import type { Transaction, Want } from "./transaction.ts";

/**
 * What the ledger's rules need of an engine. `transact` loads `wants` in one go and runs `work`, which is pure: where it asks for more, that is
 * loaded and `work` runs again; where another transaction was first, it runs again from the beginning. What `work` has changed is written as a
 * whole, or not at all. `isDurable: false` for what may be forgotten in a power cut, never in a crash of a process.
 */
export interface LedgerStore {
  readonly transact: <T>(
    wants: readonly Want[] | ((now: number) => readonly Want[]),
    work: (tx: Transaction) => T,
    isDurable?: boolean,
  ) => Promise<T>;
  /** The same for a rule that changes nothing, on one view of all that it reads. */
  readonly read: <T>(
    wants: readonly Want[] | ((now: number) => readonly Want[]),
    work: (tx: Transaction) => T,
  ) => Promise<T>;
  /** The ledger's clock, in ms. */
  readonly now: () => number;
}
