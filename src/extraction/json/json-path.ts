import type { JsonPlaces } from "./page-json.ts";

/** One step into JSON: a name, an index (negative from the end), `[]` for all entries of a list, or `*` for all members of an object. */
type JsonStep = string | number;
export type JsonPath = readonly JsonStep[];

const STEP = /\[\]|\[(-?\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/y;

/** Parses `a.b[0].c`, `a[].b` (all), `a.*.b`, `a["odd.name"]`; a leading `$` is ignored. Throws on an invalid path. */
export function parseJsonPath(path: string): JsonPath {
  const steps: JsonStep[] = [];
  let at = path.startsWith("$") ? 1 : 0;
  while (at < path.length) {
    if (path[at] === ".") at++;
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (match === null)
      throw new TypeError(`invalid path "${path}": expected for example a.b[0].c, or a[].b for all`);
    const [whole, index, quotedName, name] = match;
    if (index !== undefined) steps.push(Number(index));
    else if (quotedName !== undefined) steps.push(String(JSON.parse(`"${quotedName}"`)));
    else steps.push(name ?? "[]");
    at += whole.length;
  }
  return steps;
}

/** A JSON value, and where it begins in the text of the page, if known. */
export interface JsonEntry {
  readonly value: unknown;
  readonly at: number | undefined;
}

/** All values at the end of the path; none if it does not exist. */
export const valuesAt = (json: unknown, path: JsonPath): readonly unknown[] =>
  entriesAt({ value: json, at: undefined }, path).map(({ value }) => value);

/**
 * All values at the end of the path; none if it does not exist. A name applied to a list takes the first entry that has it, and a single
 * value counts as a list of one: sites write one thing sometimes bare and sometimes in a list. Every member of null is null: the site
 * says that there is nothing.
 */
export function entriesAt(root: JsonEntry, path: JsonPath, places?: JsonPlaces): readonly JsonEntry[] {
  let entries: readonly JsonEntry[] = [root];
  for (const step of path) {
    entries = entries.flatMap((entry) => stepInto(entry, step, places));
    if (entries.length === 0) return entries;
  }
  return entries;
}

function stepInto(entry: JsonEntry, step: JsonStep, places: JsonPlaces | undefined): readonly JsonEntry[] {
  const { value, at } = entry;
  if (value === null) return [entry];
  const isOne = step === "[]" || step === 0 || step === -1;
  if (typeof value !== "object") return isOne ? [entry] : [];
  const child = (key: string | number): JsonEntry => ({
    value: (value as Readonly<Record<string | number, unknown>>)[key],
    at: at === undefined ? undefined : places?.offsetOf(value, key, at),
  });
  if (!Array.isArray(value)) {
    // `image[0]` of a single image is that image.
    if (isOne) return [entry];
    if (step === "*") return Object.keys(value).map(child);
    return typeof step === "string" && Object.hasOwn(value, step) ? [child(step)] : [];
  }
  if (step === "[]" || step === "*") return value.map((_, index) => child(index));
  if (typeof step === "number") {
    const index = step < 0 ? value.length + step : step;
    return index in value ? [child(index)] : [];
  }
  for (const index of value.keys()) {
    if (value[index] === null) continue;
    const found = stepInto(child(index), step, places);
    if (found.length > 0) return found;
  }
  return [];
}

/** Whether the path ends early because a list (or object) on its way is empty: `groups[].items` without a group. */
export function endsInEmptyList(root: JsonEntry, path: JsonPath): boolean {
  const isEmpty = (value: unknown): boolean =>
    typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return path.some((step, at) => {
    if (step !== "[]" && step !== "*") return false;
    const lists = entriesAt(root, path.slice(0, at));
    return lists.length > 0 && lists.every(({ value }) => isEmpty(value));
  });
}
