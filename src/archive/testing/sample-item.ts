import type { ItemView } from "../../domain/item.ts";

/** An item that was done at `endedAt` 1000, unless told otherwise. For tests. */
export const sampleItem = (key: string, rest: Partial<ItemView> = {}): ItemView => ({
  ref: { queue: 1, seq: 1 },
  lane: "example.org",
  scraper: "county",
  key,
  depth: 0,
  input: {},
  state: "done",
  quality: "complete",
  attempts: 1,
  endedAt: 1_000,
  history: [],
  captures: [],
  records: null,
  ...rest,
});
