import type { FailureKind } from "../../domain/failure.ts";
import type { ItemState } from "../../domain/item.ts";
import { EXIT } from "../exit-codes.ts";
import { checkScraperName } from "../find-job.ts";
import { fitText, plainText } from "../fit-text.ts";
import { countText } from "../number-text.ts";
import type { PlaceOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { openVerbs } from "../service/open-verbs.ts";
import type { ItemRow } from "../service/verbs.ts";
import { textTable } from "../text-table.ts";

export interface ListItemsOptions extends PlaceOptions {
  readonly state?: readonly ItemState[];
  readonly kind?: readonly FailureKind[];
  readonly scraper?: string;
  readonly limit: number;
}

export const listItemsCommand = async (
  named: string,
  { state, kind, scraper, limit, ...place }: ListItemsOptions,
): Promise<number> => {
  const { json } = place;
  await using verbs = await openVerbs(place);
  const { spec } = await verbs.findJob(named);
  const { id } = spec;
  checkScraperName(spec, scraper);
  const filter = {
    ...(state && { states: state }),
    ...(kind && { kinds: kind }),
    ...(scraper && { scraper }),
  };
  const table: ItemRow[] = [];
  let left = limit;
  let isMore = false;
  for await (const page of verbs.items(id, filter)) {
    const items = page.slice(0, left);
    // What a program reads is not gathered first: there may be millions.
    if (json) print(items.map((item) => JSON.stringify(item.json)));
    else table.push(...items);
    isMore = page.length > left;
    left -= items.length;
    if (isMore) break;
  }
  if (!json)
    print(
      itemTable(table, { hasSeveral: spec.scrapers.length > 1, isFinding: spec.maxDepth > 0 }, printWidth()),
    );
  if (isMore) process.stderr.write(`  the first ${countText(limit)}; --limit N shows more\n`);
  return EXIT.ok;
};

const MAX_KEY = 40;

const itemTable = (
  items: readonly ItemRow[],
  { hasSeveral, isFinding }: { readonly hasSeveral: boolean; readonly isFinding: boolean },
  width: number,
): string[] => {
  if (items.length === 0) return ["No such items."];
  return textTable(
    [
      { title: "key" },
      ...(hasSeveral ? [{ title: "scraper" }] : []),
      ...(isFinding ? [{ title: "parent" }] : []),
      { title: "state" },
      { title: "tries", align: "right" },
      { title: "failure" },
      { title: "detail" },
    ],
    items.map(({ key, scraper, parent, state, attempts, failure, quality, skipReason }) => [
      fitText(plainText(key), MAX_KEY),
      ...(hasSeveral ? [scraper] : []),
      ...(isFinding ? [fitText(plainText(parent ?? ""), MAX_KEY)] : []),
      quality === "partial" ? `${state}, partial` : state,
      String(attempts),
      failure?.kind ?? "",
      plainText(failure?.detail ?? skipReason ?? ""),
    ]),
    width,
  );
};
