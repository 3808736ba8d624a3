import type { FailureKind } from "../../model/failure.ts";
import type { ItemState, ItemView } from "../../model/item.ts";
import { EXIT } from "../exit-codes.ts";
import { findJob } from "../find-job.ts";
import { fitText, plainText } from "../fit-text.ts";
import { jobItems } from "../job-items.ts";
import { countText } from "../number-text.ts";
import { openExistingHouse } from "../open-existing-house.ts";
import type { LookOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { textTable } from "../text-table.ts";

export interface ListItemsOptions extends LookOptions {
  readonly state?: readonly ItemState[];
  readonly kind?: readonly FailureKind[];
  readonly limit: number;
}

export const listItemsCommand = async (
  named: string,
  { data, json, state, kind, limit }: ListItemsOptions,
): Promise<number> => {
  await using house = await openExistingHouse(data);
  const { id } = (await findJob(house.ledger, named)).spec;
  const filter = { ...(state && { states: state }), ...(kind && { kinds: kind }) };
  const table: ItemView[] = [];
  let left = limit;
  let isMore = false;
  for await (const page of jobItems(house.ledger, id, filter)) {
    const items = page.slice(0, left);
    // What a program reads is not gathered first: there may be millions.
    if (json) print(items.map((item) => JSON.stringify(item)));
    else table.push(...items);
    isMore = page.length > left;
    left -= items.length;
    if (isMore) break;
  }
  if (!json) print(itemTable(table, printWidth()));
  if (!json && isMore) print([`  the first ${countText(limit)}; --limit N shows more`]);
  return EXIT.ok;
};

const MAX_KEY = 40;

const itemTable = (items: readonly ItemView[], width: number): string[] => {
  if (items.length === 0) return ["No such items."];
  return textTable(
    [
      { title: "key" },
      { title: "state" },
      { title: "tries", align: "right" },
      { title: "failure" },
      { title: "detail" },
    ],
    items.map(({ key, state, attempts, failure, quality }) => [
      fitText(plainText(key), MAX_KEY),
      quality === "partial" ? `${state}, partial` : state,
      String(attempts),
      failure?.kind ?? "",
      plainText(failure?.detail ?? ""),
    ]),
    width,
  );
};
