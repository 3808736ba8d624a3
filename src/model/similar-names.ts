/** Of these names, those that somebody may have meant by this one: the most alike first. */
export const similarNames = (meant: string, names: Iterable<string>, most = 3): string[] =>
  [...new Set(names)]
    .filter((name) => name !== meant && name !== "")
    .map((name) => ({ name, likeness: likeness(meant, name) }))
    .filter((each) => each.likeness >= 0.5)
    .sort((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);

const SHORTEST_PART = 4;

/** From 0 to 1. The same but for case and marks is as good as the same. */
export const likeness = (a: string, b: string): number => {
  const [one, other] = [bare(a), bare(b)];
  if (one === "" || other === "") return 0;
  if (one === other) return 1;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const byLetters = 1 - distance(short, long) / long.length;
  // `market` is likely meant by `lblMarketValue`.
  const byPart =
    short.length >= SHORTEST_PART && long.includes(short) ? 0.6 + 0.3 * (short.length / long.length) : 0;
  return Math.max(byLetters, byPart);
};

const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, "")
    .slice(0, 100);

/** Levenshtein's, one row at a time. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: a.length + 1 }, (_, at) => at);
  for (let i = 1; i <= b.length; i++) {
    const next = [i];
    for (let j = 1; j <= a.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[j - 1] === b[i - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[a.length] ?? 0;
};
