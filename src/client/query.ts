import type { Page, PageQuery } from "../schemas/describe.ts";

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The query string with its question mark; a list repeats the parameter. */
export const queryText = (query: Query): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
};

/** All entries of a list, page by page: `for await (const job of pages((page) => client.listJobs(page)))`. */
export async function* pages<Entry>(
  list: (page: PageQuery) => Promise<Page<Entry>>,
  limit?: number,
): AsyncGenerator<Entry> {
  let cursor: string | undefined;
  do {
    const page = await list({
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
    });
    yield* page.data;
    cursor = page.next;
  } while (cursor !== undefined);
}
