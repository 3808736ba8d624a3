import type { StorageLocation } from "../../ports/storage.ts";
import { laneOf, openStorage } from "../../compose.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import { explainField } from "../../devtools/explain-field.ts";
import { type Tried, tryItem } from "../../devtools/try-item.ts";
import { jobId } from "../../domain/job.ts";
import { redactSecrets } from "../../domain/redact-secrets.ts";
import { readInputs } from "../../inputs/read-inputs.ts";
import { planInput } from "../../pipeline/plan.ts";
import { type CompiledScraper, compileScraper } from "../../scrapers/compiled-scraper.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { EXIT, UsageError } from "../exit.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { openTrialView, renderTrial } from "../render/trial.ts";
import { print } from "../terminal.ts";

export interface TryOptions extends ItemOptions {
  readonly location: StorageLocation;
  readonly json: boolean;
}

export const tryCommand = async (named: string, options: TryOptions): Promise<number> => {
  const ready = await compileScraper(await loadScraper(await resolveScraper(named)));
  const tried = await tryShown(ready, options);
  return exitCodeOf(tried);
};

/** Runs the item and shows it; `capture` does the same first. */
export const tryShown = async (
  ready: CompiledScraper,
  options: TryOptions,
): Promise<Tried & { readonly job: string }> => {
  const input = fittingInput(ready, await chosenInput(options));
  const job = jobId(new Date());
  const { location, json } = options;
  using interrupt = listenForInterrupts(() => process.exit(EXIT.interrupted));
  using view = openTrialView(ready, input, json);
  const { signal } = interrupt;
  const onOutput = (text: string): void => void process.stderr.write(`${text}\n`);
  const open = () => openStorage(location);
  const tried = await tryItem({
    openStorage: open,
    laneOf,
    job,
    ready,
    input,
    signal,
    watcher: view,
    onOutput,
  });
  if ("rejected" in tried) throw rejected(ready, input, tried.rejected);
  if (json)
    print([
      JSON.stringify({
        type: "end",
        job,
        ...triedJson(tried),
        explanations: explanationsOf(ready, tried),
      }),
    ]);
  else print(renderTrial({ ready, tried, job, location }));
  return { ...tried, job };
};

export const exitCodeOf = ({ outcome }: Tried): number => {
  if (outcome === "interrupted") return EXIT.interrupted;
  return outcome === "failed" ? EXIT.someFailed : EXIT.ok;
};

type Input = Readonly<Record<string, unknown>>;

/** The reading of the input that fits the schema: pairs on a command line have no types. */
export const fittingInput = (ready: CompiledScraper, input: Input): Input => {
  const problems: string[] = [];
  for (const value of readings(input)) {
    const planned = planInput(ready.scraper, { line: 1, value }, laneOf);
    if ("item" in planned) return value;
    problems.push(planned.rejected.problem);
  }
  throw rejected(ready, input, problems[0]!);
};

const rejected = ({ scraper }: CompiledScraper, input: Input, problem: string): UsageError =>
  new UsageError(
    `${redactSecrets(JSON.stringify(input))}: not a valid input of scraper ${scraper.name}: ${problem}. Correct --input.`,
  );

/** Without page texts, which are in the archive, and without secrets in URLs, which end up in logs. */
const triedJson = ({ pages, failure, unanswered, ...tried }: Tried) => ({
  ...tried,
  ...(failure && { failure: { ...failure, ...(failure.url && { url: redactSecrets(failure.url) }) } }),
  ...(unanswered !== undefined && { unanswered: redactSecrets(unanswered) }),
  pages: pages.map(({ text, url, ...page }) => ({
    ...page,
    url: redactSecrets(url),
    characters: text.length,
  })),
});

const explanationsOf = (ready: CompiledScraper, { pages, records }: Tried) =>
  records.flatMap(({ fields }, record) =>
    Object.entries(fields)
      .filter(([, { status }]) => status === "missing" || status === "malformed")
      .map(([field]) => ({ record, field, ...explainField(ready, pages, records, { record, field }) })),
  );

/** The item: given on the command line, or a row of a file. */
export interface ItemOptions {
  readonly input?: Readonly<Record<string, unknown>>;
  readonly from?: string;
  readonly line?: number;
}

export const chosenInput = async ({ input, from, line }: ItemOptions): Promise<Input> => {
  if (input !== undefined && from !== undefined)
    throw new UsageError("--input and --from both name an item. Use only one of them.");
  if (input !== undefined) return input;
  if (from === undefined)
    throw new UsageError(
      "no item. Name one with --input name=value (or JSON, or a URL), or with --from FILE --line N.",
    );
  for await (const rows of readInputs(from))
    for (const row of rows) {
      if (line !== undefined && row.line < line) continue;
      if (line !== undefined && row.line > line) throw noSuchLine(from, line);
      if ("problem" in row)
        throw new UsageError(`${from}:${row.line}: ${row.problem}. Choose another --line.`);
      return row.value;
    }
  throw noSuchLine(from, line ?? 1);
};

const noSuchLine = (from: string, line: number): UsageError =>
  new UsageError(`${from}: no input starts on line ${line}. The first line is line 1, including a header.`);

/** Values of pairs are text, but a schema may want numbers: both are tried, in this order. */
export const readings = (input: Input): readonly Input[] => {
  const read = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, asJson(value)]));
  return [input, read];
};

const asJson = (value: unknown): unknown => {
  if (typeof value !== "string" || !/^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null)$/.test(value))
    return value;
  return JSON.parse(value);
};
