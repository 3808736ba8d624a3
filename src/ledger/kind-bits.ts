import { COLLECTOR_KINDS, type CollectorKind } from "../domain/job-version.ts";

/** One bit for each kind, in the order of COLLECTOR_KINDS. */
export const kindBits = (kinds: Iterable<CollectorKind>): number => {
  let bits = 0;
  for (const kind of kinds) bits |= 1 << COLLECTOR_KINDS.indexOf(kind);
  return bits;
};

/** Whether somebody who takes `taken` (all when null) can run all that needs `needed`. */
export const takesAll = (taken: number | null, needed: number): boolean =>
  taken === null || (needed & ~taken) === 0;
