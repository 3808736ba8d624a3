/** Answers with more values are searched only in part. */
export const MOST_PATHS = 5000;

/** A path as `parseJsonPath` reads it. */
export const stepTo = (path: string, key: string, isList: boolean): string => {
  if (isList) return `${path}[${key}]`;
  const isPlain = /^[^.[\]"*$]+$/.test(key);
  if (!isPlain) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
};

export function* leafPaths(value: unknown, path: string): Iterable<string> {
  if (typeof value !== "object" || value === null) yield path;
  else
    for (const [key, inside] of Object.entries(value))
      yield* leafPaths(inside, stepTo(path, key, Array.isArray(value)));
}

/** Paths of all lists, in every one of these values: `data.items[]`. */
export const listPaths = (values: readonly unknown[]): readonly string[] => {
  const found = new Set<string>();
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null || found.size > MOST_PATHS) return;
    if (Array.isArray(value)) {
      found.add(`${path}[]`);
      return;
    }
    for (const [key, inside] of Object.entries(value)) visit(inside, stepTo(path, key, false));
  };
  for (const value of values) visit(value, "");
  return [...found];
};
