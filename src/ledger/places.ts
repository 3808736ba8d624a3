/** Places of a queue as pairs of first and last, ascending: `[3, 7, 9, 9]` is 3 to 7, and 9. */
export type Places = readonly number[];

export const hasPlace = (places: Places, seq: number): boolean => {
  for (let i = 0; i < places.length; i += 2) if (places[i]! <= seq && seq <= places[i + 1]!) return true;
  return false;
};

export const countPlaces = (places: Places): number => {
  let count = 0;
  for (let i = 0; i < places.length; i += 2) count += places[i + 1]! - places[i]! + 1;
  return count;
};

export const placesOf = (seqs: readonly number[]): Places => {
  const pairs: number[] = [];
  for (const seq of seqs.toSorted((a, b) => a - b))
    if (pairs.at(-1) === seq - 1) pairs[pairs.length - 1] = seq;
    else pairs.push(seq, seq);
  return pairs;
};

export function* eachPlace(places: Places): Generator<number> {
  for (let i = 0; i < places.length; i += 2)
    for (let seq = places[i]!; seq <= places[i + 1]!; seq++) yield seq;
}

/** Without these, which must be among them. */
export const withoutPlaces = (places: Places, gone: ReadonlySet<number>): Places => {
  const left: number[] = [];
  for (const seq of eachPlace(places)) if (!gone.has(seq)) left.push(seq);
  return placesOf(left);
};
