import { blobPath, type StorageLocation } from "../../ports/storage.ts";
import { storageLocation } from "../../config/storage-location.ts";
import { join } from "node:path";
import { manifestName } from "../../archive/manifest.ts";
import type { Evidence } from "../../domain/breaker.ts";
import { CHANGES } from "../../domain/freshness.ts";
import type { StateCounts } from "../../domain/item.ts";
import { versionsOf } from "../../domain/job-version.ts";
import type { FailureTally, HeldLane, JobView } from "../../domain/job.ts";
import { FIELD_STATUSES } from "../../domain/record.ts";
import type { StoredExtraction } from "../../archive/extractions.ts";
import { dataFlag } from "../options.ts";
import { DEFAULT_DATA } from "../../config/define-config.ts";
import { withCommandName } from "../terminal.ts";
import {
  bytesText,
  counted,
  countText,
  durationText,
  fitText,
  percentText,
  plainText,
  textTable,
  textWidth,
} from "../text.ts";
import { costLines, type Prices } from "./cost.ts";
import { scraperTallies, type ScraperTallies } from "./job-json.ts";
import { holdAdvice, nextSteps, nextStepsAt, notFoundAdvice } from "./next-steps.ts";

interface ReportFacts {
  /** Where the results were written, if they were. */
  readonly output?: string;
  /** Where the inputs came from, if this run read them. */
  readonly input?: string;
  readonly location: StorageLocation;
  readonly tookMs: number;
  /** The log, if it is not the job's own. */
  readonly log?: string;
  /** The current set of records, if the job has several: the view is of that one. */
  readonly set?: StoredExtraction | "first";
  /** The job as its run left it, if the view is of an extraction: commands work on its items. */
  readonly run?: JobView;
  /** Of proxies; without them, the report does not say what the next tier would have cost. */
  readonly prices?: Prices | undefined;
}

const WIDTH = 80;
const SHOWN_REJECTS = 5;

/** The report of a job: all items by state, every problem, and what to do next. */
export const renderReport = (view: JobView, facts: ReportFacts): string[] =>
  spaced([...account(view, facts), places(view, facts), nextSteps(itemsOf(view, facts), facts)]);

const itemsOf = (view: JobView, { run = view }: ReportFacts): JobView =>
  view.counts.states.failed === 0 ? view : run;

/** The same for a job on a server, without the paths of its files. */
export const renderAccount = (view: JobView, tookMs: number, flag: string, prices?: Prices): string[] =>
  spaced([
    ...account(view, { location: storageLocation({ data: DEFAULT_DATA }), tookMs, prices }),
    nextStepsAt(view, flag),
  ]);

const account = (view: JobView, facts: ReportFacts): string[][] => [
  heading(view, facts),
  setLines(facts.set),
  states(view),
  failures(view),
  costLines(view, facts.prices),
  fields(view),
  rejects(view, facts.input),
  held(view),
  ways(view),
  ladders(view),
];

const spaced = (sections: readonly string[][]): string[] =>
  sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines) => ["", ...lines])
    .map((line) => withCommandName(line));

const heading = (view: JobView, { tookMs, location }: ReportFacts): string[] => {
  const { spec, state, requests, bytes, paused, budgetSpentAt, pagesRemoved } = view;
  return [
    `Job ${spec.id} (${spec.scrapers.map(({ name }) => name).join(", ")}): ${state} after ${durationText(tookMs)}, ` +
      `${counted(requests, "request")}, ${bytesText(bytes)}`,
    ...(spec.extracts
      ? []
      : [`  fetched only: run \`sluice extract ${spec.id}${dataFlag(location)}\` to get records`]),
    ...earlierVersions(spec),
    ...(paused ? wrapped(`paused since ${timeText(paused.at)}: ${plainText(paused.reason)}`) : []),
    ...(budgetSpentAt === undefined ? [] : wrapped(`budget spent at ${timeText(budgetSpentAt)}`)),
    ...(pagesRemoved
      ? wrapped(
          `pages removed on ${timeText(pagesRemoved.at)} (${counted(pagesRemoved.captures, "capture")}, ${bytesText(pagesRemoved.bytes)}), records kept`,
        )
      : []),
  ];
};

const earlierVersions = (spec: JobView["spec"]): string[] =>
  versionsOf(spec)
    .filter(({ earlier }) => earlier !== undefined)
    .map(
      ({ name, version, earlier = [] }) => `  ${name}: version ${version}, previously ${earlier.join(", ")}`,
    );

const STATE_NAMES: readonly (readonly [keyof StateCounts, string])[] = [
  ["done", "done"],
  ["absent", "absent"],
  ["failed", "failed"],
  ["skipped", "skipped"],
  ["cancelled", "cancelled"],
  ["waiting", "waiting"],
  ["leased", "in flight"],
  ["queued", "queued"],
];
const ALWAYS_SHOWN: readonly string[] = ["done", "absent", "failed"];

const states = (view: JobView): string[] => {
  const { counts, partial } = view;
  const rows = STATE_NAMES.map(([state, name]) => [name, counts.states[state]] as const)
    .filter(([name, count]) => count > 0 || ALWAYS_SHOWN.includes(name))
    .map(([name, count]) => [
      name,
      countText(count),
      percentText(count, counts.accepted),
      name === "done" && partial > 0
        ? `${countText(partial)} partial: required fields missing or malformed`
        : "",
    ]);
  const table = textTable(
    ["state", { right: "items" }, { right: "" }, ""],
    [...rows, ["all", countText(counts.accepted), "", ""]],
    WIDTH,
  );
  return [...table, ...inputs(view), ...changes(view), ...caps(view)];
};

/** Shown only if the numbers of inputs and items differ. */
const inputs = ({ counts, spec }: JobView): string[] => {
  const { received, accepted, folded, rejected, capped } = counts;
  const limited =
    spec.limit !== undefined && received >= spec.limit
      ? wrapped(`Only the first ${counted(spec.limit, "input")} read (--limit).`)
      : [];
  if (received === accepted) return limited;
  const parts = [
    counted(accepted, "item"),
    ...(folded > 0 ? [counted(folded, "duplicate")] : []),
    ...(rejected > 0 ? [`${countText(rejected)} rejected`] : []),
    ...(capped > 0 ? [`${countText(capped)} capped`] : []),
  ];
  return [
    ...wrapped(
      `${counted(received, "input")}${spec.maxDepth > 0 ? ", submitted and found" : ""}: ${parts.join(", ")}`,
    ),
    ...limited,
  ];
};

/** Only for a job that asks for freshness. */
const changes = ({ changes: counts }: JobView): string[] =>
  counts === undefined
    ? []
    : wrapped(
        `Since the previous run: ${CHANGES.map((change) => `${countText(counts[change])} ${change}`).join(", ")}`,
      );

/** Inputs that a limit kept out: nothing else shows them. */
const caps = ({ cappedBy, spec, state, counts }: JobView): string[] => {
  const { maxItems, maxDepth, scrapers } = spec;
  const isCut = state === "cancelled" && counts.accepted < maxItems;
  const chains = scrapers.flatMap(({ maxChain }) => maxChain ?? []);
  const { items, depth, chain, budget, quota } = cappedBy;
  const lines = [
    items > 0 &&
      (isCut
        ? `${counted(items, "input")} found after the job was cancelled`
        : `${counted(items, "input")} over the limit of ${countText(maxItems)} items (--max-items)`),
    depth > 0 &&
      `${counted(depth, "input")} found more than ${counted(maxDepth, "step")} away from a submitted input (\`limits.depth\`)`,
    chain > 0 &&
      `${counted(chain, "input")} found after ${countText(Math.max(...chains))} consecutive next pages (\`limits.chain\`)`,
    budget > 0 && `${counted(budget, "input")} found after the budget was spent`,
    quota > 0 &&
      `${counted(quota, "input")} found over the client's daily quota of items (after 00:00 UTC, \`sluice resume\` admits them)`,
  ];
  return lines.flatMap((line) => (line === false ? [] : wrapped(`Capped: ${line}.`)));
};

const failures = (view: JobView): string[] => {
  if (view.failures.length === 0) return [];
  const columns = ["failure", { right: "items" }, "example"];
  const rows = view.failures.map(({ kind, count, exampleKey, exampleDetail }) => [
    kind,
    countText(count),
    plainText(`${fitText(plainText(exampleKey), 30)}: ${exampleDetail}`),
  ]);
  const [, status] = NOT_FOUND.exec(view.failures.find(isNotFound)?.exampleDetail ?? "") ?? [];
  return [
    ...textTable(columns, rows, WIDTH),
    ...(status === undefined ? [] : wrapped(`${status}: ${notFoundAdvice(Number(status))}`)),
  ];
};

const NOT_FOUND = /^the site answered (404|410)\b/;
const isNotFound = ({ kind, exampleDetail }: FailureTally): boolean =>
  kind === "navigation" && NOT_FOUND.test(exampleDetail);

const MAX_FIELD_NAME = 26;
const MAX_PARENT = 32;

const fields = (view: JobView): string[] => {
  const tallies = scraperTallies(view).filter(({ tallies: rows }) =>
    rows.some(({ counts }) => counts.some((n) => n > 0)),
  );
  return tallies.flatMap((one, at) => [
    ...(at > 0 ? [""] : []),
    ...fieldTable(one, view.spec.scrapers.length > 1 ? `field of ${one.scraper}` : "field"),
  ]);
};

/** Which records the states, failures and fields are of. */
const setLines = (set: ReportFacts["set"]): string[] => {
  if (set === undefined) return [];
  if (set === "first") return ["The records of the original run are current."];
  const { id, counts } = set;
  const parts = [
    `${counted(counts.records, "record")} of ${counted(counts.items, "stored item")}`,
    ...(counts.partial > 0 ? [`${counted(counts.partial, "item")} partial`] : []),
    ...(counts.failed > 0 ? [`${counted(counts.failed, "item")} failed`] : []),
  ];
  return [`Extraction ${id} is current; this report shows it:`, `  ${parts.join(", ")}`];
};

const fieldTable = ({ tallies, required }: ScraperTallies, title: string): string[] => {
  const optional = tallies.map(({ field }) => field).filter((field) => !required.includes(field));
  const columns = FIELD_STATUSES.map((right) => ({ right }));
  const table = (cell: (count: number, all: number) => string): string[] => {
    const rows = tallies.map(({ field, counts }) => {
      const all = counts.reduce((sum, count) => sum + count, 0);
      const name = fitText(plainText(field) + (optional.includes(field) ? "?" : ""), MAX_FIELD_NAME);
      return [name, ...counts.map((count) => (count === 0 ? "–" : cell(count, all)))];
    });
    return textTable([title, ...columns], rows, Infinity);
  };
  const full = table((count, all) => `${countText(count)} ${percentText(count, all).padStart(6)}`);
  const isTooWide = full.some((line) => textWidth(line) > WIDTH);
  return [...(isTooWide ? table(percentText) : full), ...(optional.length > 0 ? ["  ?: optional"] : [])];
};

const rejects = ({ rejects: examples, counts: { rejected } }: JobView, input?: string): string[] => {
  if (rejected === 0) return [];
  const shown = examples.slice(0, SHOWN_REJECTS);
  const given = shown.filter(({ parent }) => parent === undefined);
  const found = shown.filter(({ parent }) => parent !== undefined);
  const rest = rejected - shown.length;
  return [
    ...(given.length === 0
      ? []
      : textTable(
          [{ right: "line" }, input === undefined ? "rejected input" : `rejected input of ${input}`],
          given.map(({ line, problem }) => [String(line), plainText(problem)]),
          WIDTH,
        )),
    ...(found.length === 0
      ? []
      : textTable(
          ["found on", { right: "row" }, "rejected input"],
          found.map(({ parent = "", line, problem }) => [
            fitText(plainText(parent), MAX_PARENT),
            String(line),
            plainText(problem),
          ]),
          WIDTH,
        )),
    ...(rest > 0 ? [`  and ${countText(rest)} more`] : []),
  ];
};

const held = (view: JobView): string[] =>
  view.held.flatMap((lane) => {
    const evidence = (lane.evidence ?? {}) as Partial<Evidence>;
    const advice = holdAdvice(evidence);
    return [
      fitText(`Held: ${plainText(lane.lane)}`, WIDTH),
      ...wrapped(plainText(lane.reason)),
      ...wrapped(evidenceText(lane, evidence)),
      ...(advice === undefined ? [] : wrapped(advice)),
    ];
  });

/** How `auto` scrapers get their pages, and why. */
const ways = (view: JobView): string[] =>
  (view.ways ?? []).flatMap(({ lane, scraper, template, way, reason }) => [
    fitText(
      `${way === "http" ? "HTTP first" : "In a browser"}: ${scraper} on ${plainText(template || lane)}`,
      WIDTH,
    ),
    ...wrapped(plainText(reason)),
  ]);

/** Which proxy tier lanes are on, where it is not the first, and which do not work. */
const ladders = (view: JobView): string[] =>
  (view.ladders ?? []).flatMap(({ lane, tier, why, outages }) => [
    ...(why === undefined
      ? []
      : [fitText(`On proxy tier ${tier}: ${plainText(lane)}`, WIDTH), ...wrapped(plainText(why))]),
    ...outages.flatMap((outage) => [
      fitText(`Down: proxy tier ${outage.tier}, ${plainText(lane)}`, WIDTH),
      ...wrapped(plainText(`${outage.why}; tried again at ${timeText(outage.untilAt)}`)),
    ]),
  ]);

const evidenceText = ({ heldAt, probeAt }: HeldLane, { counts = {} }: Partial<Evidence>): string => {
  const seen = Object.entries(counts).map(([result, count]) => `${count} ${result}`);
  const last = seen.length > 0 ? `last outcomes: ${seen.join(", ")}; ` : "";
  const then =
    probeAt === undefined ? "needs your attention" : `retried with one item at ${timeText(probeAt)}`;
  return `${last}held since ${timeText(heldAt)}, ${then}`;
};

const timeText = (at: number): string => new Date(at).toISOString().replace("T", " ").slice(0, 19) + "Z";

/** Wrapped to the width of the report, indented by two. */
const wrapped = (text: string): string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
};

/** The log of a job, or of a process that works for many jobs. */
export const jobLog = (data: string, name: string): string => join(data, "logs", `${name}.jsonl`);

const places = (
  { spec: { id } }: JobView,
  { output, location, log = jobLog(location.data, id) }: ReportFacts,
): string[] => [
  ...(output === undefined ? [] : [`Results   ${output === "-" ? "standard output" : output}`]),
  `Archive   ${blobPath(location, join("jobs", id))}`,
  `Manifest  ${blobPath(location, manifestName(id))}`,
  `Log       ${log}`,
];
