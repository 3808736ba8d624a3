import type { Page, PageQuery } from "./api-types.ts";

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
