/** One step into JSON: a name, an index (negative from the end), or `[]`, which is all entries of a list. */
export type JsonStep = string | number;
export type JsonPath = readonly JsonStep[];

const STEP = /\[\]|\[(-?\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/y;

/** Reads `a.b[0].c`, `a[].b` (of all), `a["odd.name"]`. Throws on a path that cannot be read. */
export function parseJsonPath(path: string): JsonPath {
  const steps: JsonStep[] = [];
  let at = path.startsWith("$") ? 1 : 0;
  while (at < path.length) {
    if (path[at] === ".") at++;
    STEP.lastIndex = at;
    const match = STEP.exec(path);
    if (match === null) throw new TypeError(`bad path "${path}": write it like a.b[0].c, or a[].b for all`);
    const [whole, index, quotedName, name] = match;
    if (index !== undefined) steps.push(Number(index));
    else if (quotedName !== undefined) steps.push(String(JSON.parse(`"${quotedName}"`)));
    else steps.push(name ?? "[]");
    at += whole.length;
  }
  return steps;
}

/**
 * All values at the end of the path, none when it leads nowhere. A name asked of a list is asked of its entries, and the first
 * that has it answers: sites write one thing sometimes bare and sometimes in a list.
 */
export function valuesAt(json: unknown, path: JsonPath): readonly unknown[] {
  let values: readonly unknown[] = [json];
  for (const step of path) {
    values = values.flatMap((value) => stepInto(value, step));
    if (values.length === 0) return values;
  }
  return values;
}

function stepInto(value: unknown, step: JsonStep): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (step === "[]") return Array.isArray(value) ? value : [value];
  if (!Array.isArray(value)) {
    // `image[0]` of a single image is that image.
    if (typeof step === "number") return step === 0 || step === -1 ? [value] : [];
    return Object.hasOwn(value, step) ? [(value as Readonly<Record<string, unknown>>)[step]] : [];
  }
  if (typeof step === "number") {
    const entry: unknown = value.at(step);
    return entry === undefined ? [] : [entry];
  }
  for (const entry of value) {
    const found = stepInto(entry, step);
    if (found.length > 0) return found;
  }
  return [];
}
