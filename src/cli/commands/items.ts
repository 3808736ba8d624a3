import type { Command } from "commander";
import { FAILURE_KINDS, type FailureKind } from "../../domain/failure.ts";
import { ITEM_STATES, type ItemState } from "../../domain/item.ts";
import { EXIT } from "../exit.ts";
import { checkScraperName } from "../find-job.ts";
import { namesOf, wholeNumber } from "../option-values.ts";
import { given, JOB_HELP, placeOptions, type PlaceOptions, lazy, type ToAction } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import type { ItemRow } from "../service/verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { countText, fitText, plainText, textTable } from "../text.ts";

const LIST_HELP = `
Examples:
  sluice items ls last --state failed --kind blocked
  sluice items ls last --scraper town --state failed          of one scraper, if the job has several
  sluice items ls last --state done,absent --limit 1000000 --json`;

const SHOW_HELP = `
Examples:
  sluice items show last 0100000001
  sluice items show last 0100000001 --open                    the stored page in a browser
  sluice items show last 0100000001 --html --capture detail | grep -n owner`;

interface ListItemsOptions extends PlaceOptions {
  readonly state?: readonly ItemState[];
  readonly kind?: readonly FailureKind[];
  readonly scraper?: string;
  readonly limit: number;
}

export const register = (program: Command, toAction: ToAction): void => {
  const items = program.command("items").description("List and show the items of a job").helpCommand(false);
  const list = items
    .command("ls")
    .description("List the items of a job")
    .argument("<job>", JOB_HELP)
    .option("--state <state>", `only items in this state: ${ITEM_STATES.join(", ")}`, namesOf(ITEM_STATES))
    .option("--kind <kind>", "only items with this failure kind", namesOf(FAILURE_KINDS))
    .option("--scraper <name>", "only items of this scraper, if the job has several")
    .option("--limit <n>", "list at most N items", wholeNumber, 50)
    .addHelpText("after", LIST_HELP);
  placeOptions(list).action(toAction(listItems));

  const show = items
    .command("show")
    .description("Show an item: its attempts, its stored pages and files, and where each field was found")
    .argument("<job>", JOB_HELP)
    .argument("<key>", "key of the item, as shown by `items ls`")
    .option("--scraper <name>", "the scraper, if items of several scrapers have this key")
    .option("--html", "print the stored page", false)
    .option("--open", "open the stored page in a browser, with scripts disabled", false)
    .option("--capture <name|n>", "which capture --html or --open shows")
    .addHelpText("after", SHOW_HELP);
  placeOptions(show).action(
    toAction(lazy(async () => (await import("../actions/show-item.ts")).showItemCommand)),
  );
};

const listItems = async (named: string, options: ListItemsOptions): Promise<number> => {
  const { state: states, kind: kinds, scraper, limit, json } = options;
  await using verbs = await openVerbs(options);
  const { spec } = await verbs.findJob(named);
  checkScraperName(spec, scraper);
  const table: ItemRow[] = [];
  let left = limit;
  let isMore = false;
  for await (const page of verbs.items(spec.id, given({ states, kinds, scraper }))) {
    const items = page.slice(0, left);
    // JSON is not collected first: there may be millions of items.
    if (json) print(items.map((item) => JSON.stringify(item.json)));
    else table.push(...items);
    isMore = page.length > left;
    left -= items.length;
    if (isMore) break;
  }
  if (!json)
    print(
      itemTable(table, { hasSeveral: spec.scrapers.length > 1, isCrawling: spec.maxDepth > 0 }, printWidth()),
    );
  if (isMore) process.stderr.write(`  Only the first ${countText(limit)}. Use --limit N to list more.\n`);
  return EXIT.ok;
};

const MAX_KEY = 40;

const itemTable = (
  items: readonly ItemRow[],
  { hasSeveral, isCrawling }: { readonly hasSeveral: boolean; readonly isCrawling: boolean },
  width: number,
): string[] => {
  if (items.length === 0) return ["No matching items."];
  return textTable(
    [
      "key",
      ...(hasSeveral ? ["scraper"] : []),
      ...(isCrawling ? ["parent"] : []),
      "state",
      { right: "tries" },
      "failure",
      "detail",
    ],
    items.map(({ key, scraper, parent, state, attempts, failure, quality, skipReason }) => [
      fitText(plainText(key), MAX_KEY),
      ...(hasSeveral ? [scraper] : []),
      ...(isCrawling ? [fitText(plainText(parent ?? ""), MAX_KEY)] : []),
      quality === "partial" ? `${state}, partial` : state,
      String(attempts),
      failure?.kind ?? "",
      plainText(failure?.detail ?? skipReason ?? ""),
    ]),
    width,
  );
};
