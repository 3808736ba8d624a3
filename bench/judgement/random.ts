/** The same numbers for the same seed, on every machine. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  shuffled<T>(from: readonly T[]): T[];
}

/** Marsaglia's xorshift over 32 bits, with the seed spread first so that neighbours do not run alike. */
export const seededRandom = (seed: number): Random => {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 8; i++) next();
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (from) => from[Math.floor(next() * from.length)]!,
    shuffled: (from) => {
      const list = [...from];
      for (let i = list.length - 1; i > 0; i--) {
        const other = between(0, i);
        [list[i], list[other]] = [list[other]!, list[i]!];
      }
      return list;
    },
  };
};
