import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { itemPages } from "../../archive/manifest.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import {
  captureCase,
  type CapturedItem,
  caseName,
  LARGEST_PAGE,
  storedPages,
  tooLarge,
} from "../../devtools/capture-case.ts";
import { fixturesFolder } from "../../devtools/fixture.ts";
import type { Failure } from "../../domain/failure.ts";
import type { ItemView } from "../../domain/item.ts";
import type { JobLedger } from "../../ports/ledger.ts";
import { type CompiledScraper, compileScraper } from "../../scrapers/compiled-scraper.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { openExistingStorage } from "../existing-storage.ts";
import { EXIT, UsageError } from "../exit.ts";
import { checkScraperName, findJob } from "../find-job.ts";
import { renderCapture } from "../render/trial.ts";
import { print } from "../terminal.ts";
import { bytesText } from "../text.ts";
import { exitCodeOf, type TryOptions, tryShown } from "./try.ts";

export interface CaptureOptions extends TryOptions {
  readonly fromJob?: string;
  readonly key?: string;
  readonly case?: string;
  readonly force: boolean;
}

export const captureCommand = async (named: string, options: CaptureOptions): Promise<number> => {
  const ready = await compileScraper(await loadScraper(await resolveScraper(named)));
  checkOptions(named, ready, options);
  const item =
    options.fromJob === undefined
      ? await fetched(ready, options)
      : await stored(ready, options.fromJob, options);
  if ("exitCode" in item) return refuse(item);
  const large = tooLarge(item.pages);
  if (large.length > 0 && !options.force)
    throw new UsageError(
      `page ${large[0]!.name} is ${bytesText(large[0]!.bytes)}, more than the limit of ${bytesText(LARGEST_PAGE)} for a file in a repository. ` +
        "Use --force to save it anyway.",
    );
  const folderOf = (key: string): string => folderFor(ready, options.case ?? caseName(key), options.force);
  const captured = captureCase(folderOf, item, new Date());
  if ("failure" in captured) return refuse(failedCode(captured.failure));
  const shown = { ...captured, folder: relative(process.cwd(), captured.folder) || captured.folder };
  if (options.json) print([JSON.stringify({ type: "fixture", ...shown })]);
  else print(renderCapture(shown, named));
  return EXIT.ok;
};

const checkOptions = (named: string, ready: CompiledScraper, options: CaptureOptions): void => {
  const { fromJob, input, from, key, case: name, force } = options;
  if (!ready.source.startsWith("file:"))
    throw new UsageError(
      `${named}: a built-in scraper has no folder for fixtures. Name one of your own scrapers.`,
    );
  if (ready.extraction === undefined && ready.emits.length === 0)
    throw new UsageError(
      `${named}: the scraper extracts and emits nothing, so a fixture has nothing to check. Add an \`extract\` block.`,
    );
  if (fromJob !== undefined && (input !== undefined || from !== undefined))
    throw new UsageError(
      `--from-job uses a stored item, --${input === undefined ? "from" : "input"} fetches one. Use only one of them.`,
    );
  if (fromJob === undefined && key !== undefined)
    throw new UsageError("--key selects an item of a job. Name the job with --from-job JOB.");
  if (name !== undefined && name !== caseName(name))
    throw new UsageError(`--case ${name}: use letters, digits, - and _, for example ${caseName(name)}.`);
  // If the name is known, check it before fetching.
  if (name !== undefined) folderFor(ready, name, force);
};

/** Compares names without case: some file systems treat `A` and `a` as the same. */
const folderFor = ({ source }: CompiledScraper, name: string, isForced: boolean): string => {
  const fixtures = fixturesFolder(source);
  const names = existsSync(fixtures) ? readdirSync(fixtures) : [];
  const same = names.find((one) => one.toLowerCase() === name.toLowerCase());
  const folder = join(fixtures, same ?? name);
  if (same === undefined || isForced) return folder;
  throw new UsageError(
    `${relative(process.cwd(), folder)}: this fixture exists. Choose another name with --case NAME, or replace it with --force.`,
  );
};

/** Why no fixture was written. */
interface Refusal {
  readonly why: string;
  readonly exitCode: number;
}

const refuse = ({ why, exitCode }: Refusal): number => {
  process.stderr.write(`error: no fixture was written: ${why}\n`);
  return exitCode;
};

const failedCode = ({ detail }: Failure): Refusal => ({
  why: `the scraper's code failed: ${detail}. Fix it, then capture again.`,
  exitCode: EXIT.someFailed,
});

const fetched = async (ready: CompiledScraper, options: CaptureOptions): Promise<CapturedItem | Refusal> => {
  const tried = await tryShown(ready, options);
  const { key, input, outcome, pages, failure } = tried;
  if (failure?.kind === "scraper-error") return failedCode(failure);
  const isReadable = outcome === "done" || (outcome === "failed" && failure?.kind === "structure-changed");
  if (isReadable && pages.length > 0) return { ready, key, input, outcome, pages };
  const why = outcome === "absent" ? "an absent item stores no page" : "the item stored no page";
  return {
    why: `${why}, so there is nothing to extract. Choose another item.`,
    exitCode: exitCodeOf(tried) || EXIT.someFailed,
  };
};

const stored = async (
  ready: CompiledScraper,
  job: string,
  { location, key }: CaptureOptions,
): Promise<CapturedItem | Refusal> => {
  await using storage = await openExistingStorage(location);
  const { spec } = await findJob(storage.ledger, job);
  const scraper = ready.scraper.name;
  checkScraperName(spec, scraper);
  const found = await findItem(storage.ledger, spec.id, scraper, key);
  const { failure, state, input } = found;
  const isSameCode = spec.scrapers.some(({ name, version }) => name === scraper && version === ready.version);
  if (failure?.kind === "scraper-error" && isSameCode) return failedCode(failure);
  const pages = await storedPages(storage.blobs, found);
  if (pages.length === 0)
    throw new UsageError(
      `${found.key}: this item (${state}) has no stored page, so there is nothing to extract. Choose another item.`,
    );
  return { ready, key: found.key, input, outcome: state === "done" ? "done" : "failed", pages };
};

/** Only items of this scraper: others may have the same key. */
const findItem = async (
  ledger: JobLedger,
  job: string,
  scraper: string,
  key: string | undefined,
): Promise<ItemView> => {
  let found: ItemView | undefined;
  for await (const items of itemPages(ledger, job, { scraper })) {
    if (key !== undefined) {
      found = items.find((item) => item.key === key);
      if (found !== undefined) return found;
    } else if (found !== undefined || items.length > 1)
      throw new UsageError(
        `job ${job} has several items of scraper ${scraper}. Choose one with --key KEY; \`sluice items ls ${job}\` lists them.`,
      );
    else [found] = items;
  }
  if (found !== undefined) return found;
  throw new UsageError(
    `${key ?? job}: job ${job} has no such item of scraper ${scraper}. \`sluice items ls ${job}\` lists its items.`,
  );
};
