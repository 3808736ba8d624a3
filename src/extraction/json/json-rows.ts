import type { JsonPlace } from "../place.ts";
import type { QueryLists } from "../query-book.ts";
import type { Scope } from "../scope.ts";
import { endsInEmptyList, entriesAt } from "./json-path.ts";
import type { JsonEntry, JsonPath } from "./json-path.ts";
import { jsonRoots } from "./json-roots.ts";
import type { JsonRoot } from "./json-roots.ts";

/**
 * Finds the rows of an `each` over JSON. Where the path ends at a list, its entries are the rows, with or without `[]` behind it. Undefined:
 * the path leads nowhere. That is not the same as a list without entries.
 */
export function compileJsonRows(
  { source, path }: JsonPlace,
  book: QueryLists,
): (scope: Scope) => readonly JsonRoot[] | undefined {
  const rootsOf = jsonRoots(source, book);
  return (scope) => {
    const rows: JsonRoot[] = [];
    let isThere = false;
    for (const root of rootsOf(scope)) {
      const entries = listAt(root, path.at(-1) === "[]" ? path.slice(0, -1) : path);
      if (entries === undefined) continue;
      isThere = true;
      const { places } = root;
      for (const entry of entries)
        rows.push({ ...entry, at: entry.at ?? root.at, ...(places && { places }) });
      // A script may give something to its variable more than once: the first list that has entries is meant.
      if (source.in === "variable" && rows.length > 0) break;
    }
    return isThere ? rows : undefined;
  };
}

function listAt(root: JsonRoot, path: JsonPath): readonly JsonEntry[] | undefined {
  const found = entriesAt(root, path, root.places);
  if (found.length === 0) return endsInEmptyList(root, path) ? [] : undefined;
  return found.flatMap((entry) => (entry.value === null ? [] : entriesAt(entry, ["[]"], root.places)));
}
