import { resolve } from "node:path";
import { listScrapers, resolveScraper } from "../../config/find-scrapers.ts";
import { loadConfig } from "../../config/load-config.ts";
import { writeExpected } from "../../devtools/capture-case.ts";
import { type ScraperResult, testFixtures, watchSources } from "../../devtools/test-fixtures.ts";
import { EXIT, UsageError } from "../exit.ts";
import { isFailed, renderResult, renderSummary, summaryOf } from "../render/tests.ts";
import { colors, print, screenWidth } from "../terminal.ts";

export interface TestCommandOptions {
  readonly update: boolean;
  readonly watch: boolean;
  readonly requireFixtures: boolean;
  readonly json: boolean;
}

export const testCommand = async (named: readonly string[], options: TestCommandOptions): Promise<number> => {
  if (options.watch && options.json) throw new UsageError("--watch and --json cannot be combined.");
  if (!options.watch) return (await runOnce(await filesOf(named), options)).exitCode;
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort()).once("SIGTERM", () => stop.abort());
  using watcher = watchSources(stop.signal);
  while (!stop.signal.aborted) {
    const files = await filesOf(named);
    watcher.begin(files);
    const { results } = await runOnce(files, options);
    watcher.add(results.flatMap(({ sources }) => sources));
    print([colors.dim("Watching for changes. Press Ctrl-C to stop."), ""]);
    const changed = await watcher.changed();
    if (changed !== undefined) print([colors.dim(`${changed} changed`)]);
  }
  return EXIT.ok;
};

const filesOf = async (named: readonly string[]): Promise<string[]> => {
  if (named.length > 0)
    return await Promise.all(named.map(async (one) => resolve(await resolveScraper(one))));
  const files = listScrapers(await loadConfig());
  if (files.length > 0) return files;
  throw new UsageError(
    "no scraper found: the project's folders have no *.scraper.ts file. Name one, or create one with `sluice new scraper`.",
  );
};

const runOnce = async (
  files: readonly string[],
  { update, requireFixtures, json }: TestCommandOptions,
): Promise<{ readonly exitCode: number; readonly results: readonly ScraperResult[] }> => {
  const startedAt = performance.now();
  const results: ScraperResult[] = [];
  const onOutput = (text: string): void => void process.stderr.write(text);
  for await (const result of testFixtures({ files, onOutput })) {
    results.push(result);
    if (json) print([JSON.stringify({ type: "scraper", ...withoutGot(result) })]);
    else print(renderResult(result, { width: screenWidth(), colors, isUpdating: update }));
  }
  const updated = update ? rewrite(results) : 0;
  const summary = summaryOf(results, { updated, tookMs: performance.now() - startedAt });
  print(json ? [JSON.stringify({ type: "end", ...summary })] : renderSummary(summary, colors));
  const isUntested = requireFixtures && summary.untested.length > 0;
  const hasFailed =
    results.some((result) => isFailed(result, update)) || isUntested || summary.orphans.length > 0;
  return { exitCode: hasFailed ? EXIT.someFailed : EXIT.ok, results };
};

/** `got`, which `--update` writes, is large and follows from the findings. */
const withoutGot = (result: ScraperResult) => ({
  ...result,
  cases: result.cases.map((one) => ({ ...one, got: undefined })),
});

/** Writes only fixtures that differ: the others keep their files unchanged. */
const rewrite = (results: readonly ScraperResult[]): number => {
  let written = 0;
  for (const { folder, got, findings, isNew } of results.flatMap(({ cases }) => cases)) {
    if (got === undefined || (findings.length === 0 && isNew !== true)) continue;
    writeExpected(folder, got);
    written++;
  }
  return written;
};
