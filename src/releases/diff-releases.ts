import type { Release } from "../domain/release.ts";
import type { Blobs } from "../ports/blobs.ts";
import { compareKeys, type ReleaseRow, releaseRows } from "./read-release.ts";

interface Tally {
  count: number;
  readonly keys: string[];
}

interface FieldTally {
  changed: number;
  readonly examples: { readonly key: string; readonly before: unknown; readonly after: unknown }[];
}

/** What differs between two releases, by key. */
export interface ReleaseDifference {
  readonly new: Tally;
  readonly gone: Tally;
  readonly changed: Tally;
  unchanged: number;
  /** Only fields in which some row differs. */
  readonly fields: Record<string, FieldTally>;
}

/** Both are sorted by key, so each is read once, side by side. */
export const diffReleases = async (
  blobs: Blobs,
  before: Release,
  after: Release,
  most: number,
): Promise<ReleaseDifference> => {
  const found: ReleaseDifference = {
    new: { count: 0, keys: [] },
    gone: { count: 0, keys: [] },
    changed: { count: 0, keys: [] },
    unchanged: 0,
    fields: {},
  };
  const note = (tally: Tally, key: string): void => {
    tally.count++;
    if (tally.keys.length < most) tally.keys.push(key);
  };
  const compare = (was: ReleaseRow, is: ReleaseRow): void => {
    const names = new Set([...Object.keys(was.values), ...Object.keys(is.values)]);
    const changed = [...names].filter((name) => !isSame(was.values[name], is.values[name]));
    if (changed.length === 0) found.unchanged++;
    else note(found.changed, is.key);
    for (const name of changed) {
      const field = (found.fields[name] ??= { changed: 0, examples: [] });
      field.changed++;
      if (field.examples.length < most)
        field.examples.push({
          key: is.key,
          before: was.values[name] ?? null,
          after: is.values[name] ?? null,
        });
    }
  };
  const [old, now] = [releaseRows(blobs, before), releaseRows(blobs, after)];
  let [was, is] = [await old.next(), await now.next()];
  while (was.done !== true || is.done !== true) {
    const order = was.done ? 1 : is.done ? -1 : compareKeys(was.value.key, is.value.key);
    if (order === 0 && !was.done && !is.done) compare(was.value, is.value);
    else if (order < 0 && !was.done) note(found.gone, was.value.key);
    else if (!is.done) note(found.new, is.value.key);
    if (order <= 0) was = await old.next();
    if (order >= 0) is = await now.next();
  }
  return found;
};

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (a ?? null) === (b ?? null) || JSON.stringify(a) === JSON.stringify(b);
