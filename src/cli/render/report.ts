import { join } from "node:path";
import { manifestName } from "../../archive/manifest.ts";
import type { Evidence } from "../../domain/breaker-evidence.ts";
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
import { scraperTallies, type ScraperTallies } from "./job-json.ts";
import { holdAdvice, nextSteps, nextStepsAt, notFoundAdvice } from "./next-steps.ts";

interface ReportFacts {
  /** Where the results were written; absent when nowhere yet. */
  readonly output?: string;
  /** Where the inputs came from, when they were read in this run. */
  readonly input?: string;
  readonly data: string;
  readonly tookMs: number;
  /** Its log, where it is not the job's own. */
  readonly log?: string;
  /** Which set of records is current, where the job has several: the view is of that one. */
  readonly set?: StoredExtraction | "first";
  /** The job as its run left it, where the view is of an extraction: its items are what commands work on. */
  readonly run?: JobView;
}

const WIDTH = 80;
const SHOWN_REJECTS = 5;

/** What came of a job, for a person: every item accounted for, and what to do next. */
export const renderReport = (view: JobView, facts: ReportFacts): string[] =>
  spaced([...account(view, facts), places(view, facts), nextSteps(itemsOf(view, facts), facts)]);

const itemsOf = (view: JobView, { run = view }: ReportFacts): JobView =>
  view.counts.states.failed === 0 ? view : run;

/** The same of a job on a server, whose files are not here. */
export const renderAccount = (view: JobView, tookMs: number, flag: string): string[] =>
  spaced([...account(view, { data: DEFAULT_DATA, tookMs }), nextStepsAt(view, flag)]);

const account = (view: JobView, facts: ReportFacts): string[][] => [
  heading(view, facts),
  setLines(facts.set),
  states(view),
  failures(view),
  fields(view),
  rejects(view, facts.input),
  held(view),
];

const spaced = (sections: readonly string[][]): string[] =>
  sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines) => ["", ...lines])
    .map((line) => withCommandName(line));

const heading = (view: JobView, { tookMs, data }: ReportFacts): string[] => {
  const { spec, state, requests, bytes, paused, budgetSpentAt, pagesRemoved } = view;
  return [
    `Job ${spec.id} (${spec.scrapers.map(({ name }) => name).join(", ")}): ${state} after ${durationText(tookMs)}, ` +
      `${counted(requests, "request")}, ${bytesText(bytes)}`,
    ...(spec.extracts
      ? []
      : [`  collected only: run \`sluice extract ${spec.id}${dataFlag(data)}\` for the records`]),
    ...earlierVersions(spec),
    ...(paused ? wrapped(`paused since ${timeText(paused.at)}: ${plainText(paused.reason)}`) : []),
    ...(budgetSpentAt === undefined ? [] : wrapped(`its budget was spent at ${timeText(budgetSpentAt)}`)),
    ...(pagesRemoved
      ? wrapped(
          `its pages were removed on ${timeText(pagesRemoved.at)} (${counted(pagesRemoved.captures, "capture")}, ${bytesText(pagesRemoved.bytes)}); the records are kept`,
        )
      : []),
  ];
};

const earlierVersions = (spec: JobView["spec"]): string[] =>
  versionsOf(spec)
    .filter(({ earlier }) => earlier !== undefined)
    .map(({ name, version, earlier = [] }) => `  ${name}: version ${version}, before ${earlier.join(", ")}`);

const STATE_NAMES: readonly (readonly [keyof StateCounts, string])[] = [
  ["done", "done"],
  ["absent", "absent"],
  ["failed", "failed"],
  ["skipped", "skipped"],
  ["cancelled", "cancelled"],
  ["waiting", "waiting"],
  ["leased", "in hand"],
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
      name === "done" && partial > 0 ? `${countText(partial)} partial: some required fields not read` : "",
    ]);
  const table = textTable(
    ["state", { right: "items" }, { right: "" }, ""],
    [...rows, ["all", countText(counts.accepted), "", ""]],
    WIDTH,
  );
  return [...table, ...inputs(view), ...changes(view), ...caps(view)];
};

/** Said only where inputs and items are not the same number. */
const inputs = ({ counts, spec }: JobView): string[] => {
  const { received, accepted, folded, rejected, capped } = counts;
  const limited =
    spec.limit !== undefined && received >= spec.limit
      ? wrapped(`Only the first ${counted(spec.limit, "input")} were read (--limit).`)
      : [];
  if (received === accepted) return limited;
  const parts = [
    counted(accepted, "item"),
    ...(folded > 0 ? [`${countText(folded)} folded into items with the same key`] : []),
    ...(rejected > 0 ? [`${countText(rejected)} rejected`] : []),
    ...(capped > 0 ? [`${countText(capped)} capped`] : []),
  ];
  return [
    ...wrapped(
      `${counted(received, "input")}${spec.maxDepth > 0 ? ", given and found" : ""}: ${parts.join(", ")}`,
    ),
    ...limited,
  ];
};

/** Only of a job that asks for freshness. */
const changes = ({ changes: counts }: JobView): string[] =>
  counts === undefined
    ? []
    : wrapped(
        `Since the last time: ${CHANGES.map((change) => `${countText(counts[change])} ${change}`).join(", ")}`,
      );

/** What a limit keeps out is not there, and nothing else says so. */
const caps = ({ cappedBy, spec, state, counts }: JobView): string[] => {
  const { maxItems, maxDepth, scrapers } = spec;
  const isCut = state === "cancelled" && counts.accepted < maxItems;
  const chains = scrapers.flatMap(({ maxChain }) => maxChain ?? []);
  const { items, depth, chain, budget, quota } = cappedBy;
  const lines = [
    items > 0 &&
      (isCut
        ? `${counted(items, "input")} found after the job was cancelled`
        : `${counted(items, "input")} beyond the ${countText(maxItems)} items of the job (--max-items)`),
    depth > 0 &&
      `${counted(depth, "input")} found more than ${counted(maxDepth, "step")} from one scraper to another away from a given input (\`limits.depth\`)`,
    chain > 0 &&
      `${counted(chain, "input")} found after ${countText(Math.max(...chains))} next pages in a row (\`limits.chain\`)`,
    budget > 0 && `${counted(budget, "input")} found after the budget was spent`,
    quota > 0 &&
      `${counted(quota, "input")} found beyond the client's items of the day (its quota is new at 00:00 UTC, and \`sluice resume\` lets them in)`,
  ];
  return lines.flatMap((line) => (line === false ? [] : wrapped(`Capped: ${line}.`)));
};

const failures = (view: JobView): string[] => {
  if (view.failures.length === 0) return [];
  const columns = ["failure", { right: "items" }, "for example"];
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

/** Whose states, failures and fields are shown. */
const setLines = (set: ReportFacts["set"]): string[] => {
  if (set === undefined) return [];
  if (set === "first") return ["The records of the run itself are current."];
  const { id, counts } = set;
  const parts = [
    `${counted(counts.records, "record")} of ${counted(counts.items, "stored item")}`,
    ...(counts.partial > 0 ? [`${counted(counts.partial, "item")} partial`] : []),
    ...(counts.failed > 0 ? [`${counted(counts.failed, "item")} failed`] : []),
  ];
  return [`Extraction ${id} is current, and shown here:`, `  ${parts.join(", ")}`];
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

const evidenceText = ({ heldAt, probeAt }: HeldLane, { counts = {} }: Partial<Evidence>): string => {
  const seen = Object.entries(counts).map(([result, count]) => `${count} ${result}`);
  const last = seen.length > 0 ? `the last outcomes: ${seen.join(", ")}; ` : "";
  const then =
    probeAt === undefined ? "waits for you" : `is tried again with one item from ${timeText(probeAt)}`;
  return `${last}held at ${timeText(heldAt)}, ${then}`;
};

const timeText = (at: number): string => new Date(at).toISOString().replace("T", " ").slice(0, 19) + "Z";

/** In lines of the report's width, indented by two. */
const wrapped = (text: string): string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
};

/** The log of one job, or of a process that works for many. */
export const jobLog = (data: string, name: string): string => join(data, "logs", `${name}.jsonl`);

const places = (
  { spec: { id } }: JobView,
  { output, data, log = jobLog(data, id) }: ReportFacts,
): string[] => [
  ...(output === undefined ? [] : [`Results   ${output === "-" ? "standard output" : output}`]),
  `Archive   ${join(data, "blobs", "jobs", id)}`,
  `Manifest  ${join(data, "blobs", manifestName(id))}`,
  `Log       ${log}`,
];
