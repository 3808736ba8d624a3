import type { Call, Run } from "./run.ts";

/** The same call in each of the runs, by its place there; undefined if a run has none like it. */
export const pairCalls = (runs: readonly Run[], at: number): readonly number[] | undefined => {
  const [first, ...others] = runs;
  const call = first?.calls[at];
  if (first === undefined || call === undefined) return undefined;
  // Of similar calls, the n-th of one run matches the n-th of another.
  const nth = first.calls.slice(0, at).filter((one) => likeness(call, one) === likeness(call, call)).length;
  const places = others.map(({ calls }) => {
    const scores = calls.map((one) => likeness(call, one));
    const best = Math.max(...scores);
    if (best <= 0) return -1;
    const alike = scores.flatMap((score, place) => (score === best ? [place] : []));
    return alike[Math.min(nth, alike.length - 1)] ?? -1;
  });
  return places.includes(-1) ? undefined : [at, ...places];
};

/** How similar two calls are: 0 if they cannot be the same. Names and the fixed parts of a path count, values do not. */
const likeness = (a: Call, b: Call): number => {
  if (a.method !== b.method || a.url.origin !== b.url.origin) return 0;
  const [pathA, pathB] = [segmentsOf(a), segmentsOf(b)];
  if (pathA.length !== pathB.length) return 0;
  const same = pathA.filter((segment, at) => segment === pathB[at]).length;
  // A path whose segments are all different is another one, unless it has only one.
  if (same === 0 && pathA.length > 1) return 0;
  const names = (call: Call): ReadonlySet<string> => new Set(call.url.searchParams.keys());
  const shared = names(a).intersection(names(b)).size;
  const different = names(a).symmetricDifference(names(b)).size;
  const isSameType = a.mediaType === b.mediaType && a.status === b.status;
  const score = 10 * same + 2 * shared - different + (a.type === b.type ? 2 : 0) + (isSameType ? 2 : 0);
  return Math.max(score, 1);
};

const segmentsOf = ({ url }: Call): string[] => url.pathname.split("/").slice(1);
