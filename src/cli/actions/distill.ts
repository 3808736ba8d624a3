import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { laneOf, openStorage, SOFTWARE, work } from "../../compose.ts";
import { resolveScraper } from "../../config/find-scrapers.ts";
import { distill, type Distilled } from "../../distill/distill.ts";
import { type Proof, prove } from "../../distill/prove.ts";
import { evidenceOf } from "../../distill/evidence.ts";
import { explainChain } from "../../distill/explain-chain.ts";
import type { Run } from "../../distill/run.ts";
import { DistillSession } from "../../distill/session.ts";
import { DistillError } from "../../distill/settle-chain.ts";
import { optionsTakenOver, writeChain } from "../../distill/write-chain.ts";
import { readInputs } from "../../inputs/read-inputs.ts";
import { planInput } from "../../pipeline/plan.ts";
import type { StorageLocation } from "../../ports/storage.ts";
import { type CompiledScraper, compileScraper } from "../../scrapers/compiled-scraper.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { EXIT, UsageError } from "../exit.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { print } from "../terminal.ts";
import { fittingInput } from "./try.ts";

type Input = Run["input"];

export interface DistillCommandOptions {
  readonly location: StorageLocation;
  readonly json: boolean;
  readonly input?: readonly Input[];
  readonly absent?: readonly Input[];
  readonly from?: string;
  readonly prove: number;
  readonly budget: number;
  readonly output?: string;
  readonly force: boolean;
}

/** The written scraper keeps comparing one in this many of its items. */
const CHECKED_ONE_IN = 200;
/** The runs that are compared. */
const COMPARED = 2;
/** Inputs of a file that the sample is drawn from. */
const MOST_ROWS = 100_000;
/** Further inputs to look for fields that the first two have no value for. */
const SPARE = 8;

export const distillCommand = async (named: string, options: DistillCommandOptions): Promise<number> => {
  const ready = inBrowser(await compileScraper(await loadScraper(await resolveScraper(named))));
  const { scraper } = ready;
  if ((scraper.kind ?? "http") === "http")
    throw new UsageError(`${scraper.name}: this scraper uses plain HTTP already.`);
  const file = outputFile(ready, options);
  const { present, absent, spare, proof } = await chooseInputs(ready, options);
  using interrupt = listenForInterrupts(() => process.exit(EXIT.interrupted));
  const say = (text: string): void => void (options.json || process.stderr.write(`${text}\n`));
  await using storage = await openStorage(options.location);
  const session = new DistillSession({
    storage,
    laneOf,
    signal: interrupt.signal,
    work: (order) => work({ location: storage.location, logLevel: "warn", ...order }),
  });
  const draft = join(dirname(file), `.distill-${process.pid}.scraper.ts`);
  try {
    const distilled = await distill({
      session,
      ready,
      present,
      spare,
      absent,
      budget: options.budget,
      onProgress: say,
    });
    say(
      `Found ${distilled.chain.steps.length} requests, after sending ${distilled.chain.requests} of at most ${options.budget} to the site`,
    );
    const parts = { ready, file, present, distilled };
    writeFileSync(draft, sourceOf(parts));
    const proved = await prove({
      session,
      ready,
      written: await compileScraper(await loadScraper(draft)),
      inputs: [...proof, ...absent],
      lostFiles: distilled.lostFiles,
      onProgress: say,
    });
    writeFileSync(draft, sourceOf(parts, proved));
    writeFileSync(
      evidenceFile(file),
      evidenceOf({ ...distilled, proof: proved, source: sourcePath(ready, file), software: SOFTWARE }),
    );
    renameSync(draft, file);
    print(
      options.json
        ? [JSON.stringify({ type: "distilled", file, ...jsonOf(distilled, proved) })]
        : reportOf(file, distilled, proved),
    );
    return EXIT.ok;
  } catch (error) {
    if (interrupt.signal.aborted) return EXIT.interrupted;
    if (!(error instanceof DistillError)) throw error;
    if (options.json) print([JSON.stringify({ type: "refused", reason: error.message })]);
    throw new DistillError(
      `${scraper.name} cannot be turned into plain requests: ${error.message}. Nothing was written. Keep using the browser scraper.`,
    );
  } finally {
    rmSync(draft, { force: true });
  }
};

/** A scraper of kind `auto` may run over HTTP, where nothing is to be found out. */
const inBrowser = (ready: CompiledScraper): CompiledScraper =>
  ready.scraper.kind === "auto" ? { ...ready, scraper: { ...ready.scraper, kind: "browser" } } : ready;

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const scraperName = (file: string): string => basename(file).replace(/(?:\.scraper)?\.[cm]?[jt]s$/, "");

const outputFile = (
  { scraper, source }: CompiledScraper,
  { output, force }: DistillCommandOptions,
): string => {
  const file = resolve(output ?? join(dirname(fileURLToPath(source)), `${scraper.name}-http.scraper.ts`));
  if (!file.endsWith(".ts") || !NAME.test(scraperName(file)))
    throw new UsageError(
      `${file}: expected a name such as county-http.scraper.ts, of a-z, 0-9, dots, dashes and underscores.`,
    );
  if (existsSync(file) && !force)
    throw new UsageError(`${file}: this file exists. Choose another --output, or replace it with --force.`);
  if (!existsSync(dirname(file)))
    throw new UsageError(`${dirname(file)}: no such folder. Create it, or choose another --output.`);
  return file;
};

const evidenceFile = (file: string): string => file.replace(/(?:\.scraper)?\.ts$/, ".evidence.json");
const sourcePath = ({ source }: CompiledScraper, file: string): string => {
  const path = relative(dirname(file), fileURLToPath(source)).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
};

interface Inputs {
  readonly present: readonly Input[];
  readonly absent: readonly Input[];
  readonly spare: readonly Input[];
  readonly proof: readonly Input[];
}

const chooseInputs = async (ready: CompiledScraper, options: DistillCommandOptions): Promise<Inputs> => {
  const { input = [], absent = [], from, prove: wanted } = options;
  if (input.length < COMPARED)
    throw new UsageError(
      `distill compares runs: name at least two inputs that exist, with --input (${input.length} given).`,
    );
  if (absent.length === 0)
    throw new UsageError(
      "distill needs an input that does not exist, to see how the site responds: name one with --absent.",
    );
  const fitting = input.map((one) => fittingInput(ready, one));
  const used = new Set([...input, ...absent].map((one) => JSON.stringify(one)));
  const rows =
    from === undefined ? [] : (await readRows(ready, from)).filter((row) => !used.has(JSON.stringify(row)));
  const more = [...fitting.slice(COMPARED), ...spread(rows, wanted + SPARE)];
  if (more.length < wanted)
    throw new UsageError(
      `the proof needs ${wanted} more inputs, but only ${more.length} are available. Name a file of inputs with --from, or lower --prove.`,
    );
  return {
    present: fitting.slice(0, COMPARED),
    absent: absent.map((one) => fittingInput(ready, one)),
    proof: more.slice(0, wanted),
    spare: more.slice(wanted),
  };
};

/** The inputs of a file that the scraper takes. */
const readRows = async ({ scraper }: CompiledScraper, from: string): Promise<Input[]> => {
  const found: Input[] = [];
  for await (const rows of readInputs(from)) {
    for (const row of rows)
      if ("value" in row && "item" in planInput(scraper, row, laneOf)) found.push(row.value);
    if (found.length >= MOST_ROWS) break;
  }
  return found;
};

/** Evenly over the whole file: neighbours are alike. */
const spread = <Row>(rows: readonly Row[], count: number): Row[] =>
  Array.from(
    { length: Math.min(count, rows.length) },
    (_, at) => rows[Math.floor((at * rows.length) / Math.min(count, rows.length))]!,
  );

interface SourceParts {
  readonly ready: CompiledScraper;
  readonly file: string;
  readonly present: readonly Input[];
  readonly distilled: Distilled;
}

const sourceOf = ({ ready, file, present, distilled }: SourceParts, proof?: Proof): string => {
  const path = sourcePath(ready, file);
  return writeChain({
    chain: distilled.chain,
    name: scraperName(file),
    source: path,
    takenOver: optionsTakenOver(ready.scraper),
    site: ready.scraper.site,
    sample: present[0]!,
    options: [`checkAgainst: { scraper: source, oneIn: ${CHECKED_ONE_IN} }`],
    about: [
      `Written by \`sluice distill\` from ${path}: the same records by plain requests.`,
      ...(proof
        ? [
            `Compared with the browser for ${proof.inputs} inputs, ${proof.absent} of them absent: all ${proof.fields} fields were equal.`,
          ]
        : []),
      `What was found and tried is in ${basename(evidenceFile(file))}. You can edit this file.`,
      "",
    ],
  });
};

const jsonOf = ({ chain, lostFiles }: Distilled, proof: Proof) => ({
  requests: chain.requests,
  chain: explainChain(chain),
  proof: { ...proof, differences: undefined },
  lostFiles,
});

const reportOf = (file: string, { chain, lostFiles }: Distilled, proof: Proof): string[] => [
  ...explainChain(chain),
  ...(lostFiles.length === 0
    ? []
    : [`The browser also kept files (${lostFiles.join(", ")}); the written scraper does not.`]),
  "",
  `Proved with ${proof.inputs} inputs, ${proof.absent} of them absent: ${proof.fields} fields are equal.`,
  `Wrote ${relative(process.cwd(), file)} and ${basename(evidenceFile(file))}.`,
];
