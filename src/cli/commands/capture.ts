import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import picocolors from "picocolors";
import { resolveScraper } from "../../config/find-scrapers.ts";
import type { ItemView } from "../../model/item.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { readyScraper, type ReadyScraper } from "../../scrapers/ready-scraper.ts";
import { captureCase, type CapturedItem, LARGEST_PAGE, tooLarge } from "../../workshop/capture-case.ts";
import { fixturesFolder } from "../../workshop/read-fixture.ts";
import { storedPages } from "../../workshop/stored-item.ts";
import { caseName } from "../../workshop/write-fixture.ts";
import { EXIT } from "../exit-codes.ts";
import { findJob } from "../find-job.ts";
import { jobItems } from "../../export/job-items.ts";
import { bytesText } from "../number-text.ts";
import { openExistingHouse } from "../open-existing-house.ts";
import { print } from "../print.ts";
import { renderCapture } from "../render-capture.ts";
import { UsageError } from "../usage-error.ts";
import { exitCodeOf, type TryOptions, tryShown } from "./try.ts";

export interface CaptureOptions extends TryOptions {
  readonly fromJob?: string;
  readonly key?: string;
  readonly case?: string;
  readonly force: boolean;
}

/** Saves an item's pages, fetched now or stored by a job, as a fixture of the scraper. */
export const captureCommand = async (named: string, options: CaptureOptions): Promise<number> => {
  const ready = await readyScraper(await loadScraper(await resolveScraper(named)));
  if (ready.extraction === undefined || !ready.source.startsWith("file:"))
    throw new UsageError(
      `${named}: it extracts nothing, so there is nothing that a fixture could hold it to. Add an \`extract\` block.`,
    );
  if (options.case !== undefined && options.case !== caseName(options.case))
    throw new UsageError(
      `--case ${options.case}: use letters, digits, - and _; for example ${caseName(options.case)}.`,
    );
  // Before anything is fetched, where the name is known already.
  if (options.case !== undefined) folderFor(ready, options.case, options.force);
  const item =
    options.fromJob === undefined
      ? await fetched(ready, options)
      : await stored(ready, options.fromJob, options);
  if (typeof item === "number") return item;
  const large = tooLarge(item.pages);
  if (large.length > 0 && !options.force)
    throw new UsageError(
      `page ${large[0]!.name} has ${bytesText(large[0]!.bytes)}: more than the ${bytesText(LARGEST_PAGE)} that belong into a repository. ` +
        `Give --force to keep it all the same.`,
    );
  const folder = folderFor(ready, options.case ?? caseName(item.key), options.force);
  const captured = captureCase(folder, item, new Date());
  const shown = { ...captured, folder: relative(process.cwd(), folder) || folder };
  if (options.json) print([JSON.stringify({ type: "fixture", ...shown })]);
  else print(renderCapture(shown, named, picocolors));
  return EXIT.ok;
};

const folderFor = ({ source }: ReadyScraper, name: string, isForced: boolean): string => {
  const folder = join(fixturesFolder(source), name);
  if (!existsSync(folder) || isForced) return folder;
  throw new UsageError(
    `${relative(process.cwd(), folder)}: there is a fixture of this name. Choose another with --case NAME, or replace it with --force.`,
  );
};

/** A number is the exit code of an item of which there is nothing to keep. */
const fetched = async (ready: ReadyScraper, options: CaptureOptions): Promise<CapturedItem | number> => {
  const tried = await tryShown(ready, options);
  const { key, outcome, pages, failure } = tried;
  const isReadable = outcome === "done" || (outcome === "failed" && failure?.kind === "structure-changed");
  if (isReadable && pages.length > 0) return { ready, key, input: tried.input, outcome, pages };
  const why = outcome === "absent" ? "an absent item keeps no page" : "the item kept no page";
  if (!options.json) print(["", `  No fixture was written: ${why}, so there is nothing to extract from.`]);
  return outcome === "absent" ? EXIT.someFailed : exitCodeOf(tried) || EXIT.someFailed;
};

const stored = async (
  ready: ReadyScraper,
  job: string,
  { data, key }: CaptureOptions,
): Promise<CapturedItem> => {
  await using house = await openExistingHouse(data);
  const view = await findJob(house.ledger, job);
  const { id } = view.spec;
  let found: ItemView | undefined;
  let others = 0;
  for await (const items of jobItems(house.ledger, id))
    for (const item of items)
      if (key === undefined || item.key === key) {
        others += found === undefined ? 0 : 1;
        found ??= item;
      }
  if (found === undefined)
    throw new UsageError(`${key ?? id}: job ${id} has no such item. \`sluice items ls ${id}\` lists them.`);
  if (others > 0 && key === undefined)
    throw new UsageError(
      `job ${id} has several items. Choose one with --key KEY; \`sluice items ls ${id}\` lists them.`,
    );
  const pages = await storedPages(house.blobs, found);
  if (pages.length === 0)
    throw new UsageError(
      `${found.key}: no page of it is stored (it is ${found.state}), so there is nothing to extract from. Choose another item.`,
    );
  return {
    ready,
    key: found.key,
    input: found.input,
    outcome: found.state === "done" ? "done" : "failed",
    pages,
  };
};
