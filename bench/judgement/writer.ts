import type { Random } from "./random.ts";

/** A cell that has a value: as the page has it, and what a careful person reads there. */
export interface Written {
  readonly text: string;
  readonly value: unknown;
  /** For links: what the page shows instead of the address. */
  readonly shown?: string;
}

/** Writes the values of one column on one site: readable ones, and malformed ones. */
export interface Writer {
  readonly write: (random: Random) => Written;
  /** Not readable as what the column holds, and no way of saying "nothing" either. Absent where every text would do. */
  readonly spoil?: (random: Random) => string;
}
