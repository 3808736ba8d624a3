/** Who shares something by weight: a client in a lane, or among all that the workers do. */
export interface Turn {
  readonly weight: number;
  /** Items it has had, by its weight. */
  had: number;
}

/** About one booking window: a client may be behind its share by so many items and still catch up. */
const LARGEST_CREDIT = 64;

/**
 * Who has had least comes first (start-time fair queueing). `floor` is where the hindmost of those with work last stood: one that comes new,
 * or comes back, starts there, so that idle time earns no credit.
 */
export const levelTurns = <Row extends { readonly weight: number; readonly had: number | null }>(
  rows: readonly Row[],
  floor: number,
): (Row & Turn)[] => {
  const most = Math.max(...rows.map(({ had }) => had ?? 0));
  return rows.map((row) => ({
    ...row,
    had: Math.max(row.had ?? 0, floor, most - LARGEST_CREDIT / row.weight),
  }));
};

/**
 * Where somebody stands, and the floor, after `count` more (fewer, below 0). Who is given something back may fall behind the floor: it then lies
 * where that one stands, or what was given back would be lost. Who was behind it already has been away, and moves it no further.
 */
export const chargeTurn = (
  { had, weight }: Turn,
  floor: number,
  count: number,
): { readonly had: number; readonly floor: number } => {
  const after = had + count / weight;
  return { had: after, floor: had < floor ? floor : Math.min(floor, after) };
};

export const hindmost = (turns: readonly Turn[]): number => Math.min(...turns.map(({ had }) => had));
