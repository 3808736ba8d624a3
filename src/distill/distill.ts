import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { ChainFile } from "./chain.ts";
import { findSteps } from "./find-chain.ts";
import { findLocations } from "./find-locations.ts";
import { pairCalls } from "./pair-calls.ts";
import { findTargets, type Target } from "./find-target.ts";
import type { Run } from "./run.ts";
import type { DistillSession, RanItem } from "./session.ts";
import { DistillError, settleChain, type SettledChain } from "./settle-chain.ts";

export interface DistillOptions {
  readonly session: DistillSession;
  readonly ready: CompiledScraper;
  /** Two inputs that exist, and others that are used where these two have no value for a field. */
  readonly present: readonly Run["input"][];
  readonly spare: readonly Run["input"][];
  readonly absent: readonly Run["input"][];
  readonly budget: number;
  readonly onProgress: (text: string) => void;
}

export interface Distilled {
  readonly chain: SettledChain;
  /** Inputs that the chain was found with. */
  readonly inputs: readonly Run["input"][];
  /** Names of files that the browser kept, and the chain does not. */
  readonly lostFiles: readonly string[];
}

/** Targets whose chains are tried. */
const MOST_TARGETS = 3;
/** Further inputs that are recorded to see each field with a value. */
const MOST_SPARE = 8;

/** Records the inputs in the browser, and finds the smallest chain of plain requests that gives the same records. Throws `DistillError`. */
export const distill = async (options: DistillOptions): Promise<Distilled> => {
  const { session, ready, absent, budget, onProgress } = options;
  const { scraper, extraction } = ready;
  if (!extraction)
    throw new DistillError(
      `scraper ${scraper.name} has no \`extract\`: without fields, distill cannot tell which requests are needed`,
    );
  if (ready.emits.length > 0)
    throw new DistillError(`scraper ${scraper.name} emits inputs. Distill the scrapers that it emits to`);
  onProgress(`Recording ${options.present.length + absent.length} runs in the browser`);
  const ran = await session.run(ready, [...options.present, ...absent], { isRecorded: true });
  const gone = ran.slice(options.present.length);
  for (const one of ran) refuseFailed(one);
  for (const { input, records } of gone)
    if (records !== undefined)
      throw new DistillError(`${shown(input)} was named with --absent, but the browser found it`);
  const present = await withSpare(options, ran.slice(0, options.present.length));
  const targets = findTargets(ready, present);
  const complete = targets.filter(({ missing }) => missing.length === 0);
  if (complete.length === 0) throw noTarget(targets, present);
  const sorted = bySteps(complete, present);
  const settling = { present, absent: gone, required: extraction.required, budget, onProgress };
  const chain = await session.probing(ready, async (probe) => {
    let first: unknown;
    let used = 0;
    for (const target of sorted.slice(0, MOST_TARGETS))
      try {
        const settled = await settleChain(target, { ...settling, budget: budget - used, probe: counted });
        return { ...settled, requests: used };
      } catch (error) {
        if (!(error instanceof DistillError)) throw error;
        first ??= error;
      }
    throw first;

    async function counted(of: Parameters<typeof probe>[0]): ReturnType<typeof probe> {
      const probed = await probe(of);
      used += probed.requests;
      return probed;
    }
  });
  const files = findFiles(present, chain);
  const kept = new Set(ran.flatMap((one) => one.files.map(({ name }) => name)));
  const lost = [...kept].filter((name) => !files.some((file) => file.name === name));
  return { chain: { ...chain, files }, inputs: present.map(({ input }) => input), lostFiles: lost };
};

/** Files whose address is a link in an answer of the chain, in every run that kept them. */
const findFiles = (present: readonly RanItem[], { steps }: SettledChain): ChainFile[] => {
  const names = new Set(present.flatMap(({ files }) => files.map(({ name }) => name)));
  return [...names].flatMap((name): ChainFile[] => {
    const runs = present.filter(({ files }) => files.some((file) => file.name === name));
    const urls = runs.map(({ files }) => files.find((file) => file.name === name)!.url);
    // The chain's calls are those of the first run.
    if (runs[0] !== present[0]) return [];
    for (const [step, { call }] of [...steps.entries()].toReversed()) {
      const places = pairCalls(runs, call - 1);
      const calls = places?.map((place, run) => runs[run]!.calls[place]!) ?? [];
      const found = findLocations(calls, urls).find(({ encoding }) => encoding === "plain");
      if (found !== undefined) return [{ name, step, location: found.location }];
    }
    return [];
  });
};

const shown = (input: Run["input"]): string => JSON.stringify(input);

const refuseFailed = ({ input, failure }: RanItem): void => {
  if (failure)
    throw new DistillError(`${shown(input)} failed in the browser: ${failure.kind}: ${failure.detail}`);
};

/** A field without a value in all runs could be anywhere. */
const withSpare = async (
  { session, ready, spare, onProgress }: DistillOptions,
  ran: readonly RanItem[],
): Promise<readonly RanItem[]> => {
  const present = [...ran];
  for (const { input, records } of present)
    if (records === undefined)
      throw new DistillError(
        `the browser says that ${shown(input)} is absent. Name inputs that exist with --input`,
      );
  const unseen = (): string[] =>
    (ready.extraction?.fieldNames ?? []).filter(
      (name) => !present.some(({ records }) => records?.some((record) => record[name]?.status === "present")),
    );
  for (const input of spare.slice(0, MOST_SPARE)) {
    const lacking = unseen();
    if (lacking.length === 0) break;
    onProgress(`Recording one more run: no value of ${lacking.join(", ")} was seen yet`);
    const [more] = await session.run(ready, [input], { isRecorded: true });
    const isUseful = more?.records?.some((record) =>
      lacking.some((name) => record[name]?.status === "present"),
    );
    if (more !== undefined && isUseful) present.push(more);
  }
  return present;
};

/** The fewest parts that nothing explains, then the fewest requests. */
const bySteps = (targets: readonly Target[], present: readonly Run[]): readonly Target[] =>
  targets
    .map((target) => ({ target, found: findSteps(present, target.calls, "values") }))
    .toSorted(
      (a, b) =>
        (a.found?.unexplained.length ?? 99) - (b.found?.unexplained.length ?? 99) ||
        (a.found?.steps.length ?? 99) - (b.found?.steps.length ?? 99),
    )
    .map(({ target }) => target);

const noTarget = ([best]: readonly Target[], present: readonly Run[]): DistillError => {
  const calls = present[0]?.calls.length ?? 0;
  const elsewhere = "The page's script computes it, or gets it from a WebSocket or a stream";
  if (best === undefined)
    return new DistillError(`none of the ${calls} responses has the fields. ${elsewhere}`);
  const [at = 0] = best.calls.values();
  const call = present[0]!.calls[at]!;
  const where = `request ${at + 1} ${call.method} ${call.url.pathname} has the most fields`;
  return new DistillError(
    `field \`${best.missing[0]}\` is in no response: ${where}, and not ${best.missing.map((name) => `\`${name}\``).join(", ")}. ${elsewhere}`,
  );
};
