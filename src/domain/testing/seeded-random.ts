/** Numbers in [0, 1) that are the same in every run, for simulations (xorshift32; the seed is not 0). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
