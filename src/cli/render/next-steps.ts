import type { Evidence } from "../../domain/breaker.ts";
import { type Failure, FAILURE_KINDS, failureInfo, type FailureKind } from "../../domain/failure.ts";
import type { JobView } from "../../domain/job.ts";
import { RANGES } from "../../domain/number-range.ts";
import { dataFlag } from "../options.ts";
import { countText, shellWord } from "../text.ts";

interface Facts {
  readonly input?: string;
  readonly output?: string;
}

interface Step {
  readonly command: string;
  readonly why: string;
}

/** What a person can do now, as commands to copy. */
export const nextSteps = (view: JobView, facts: Facts & { readonly data: string }): string[] =>
  shown(localSteps(view, dataFlag(facts.data), facts));

/** The same for a job on a server, whose workers run it. `flag` names the server. */
export const nextStepsAt = (view: JobView, flag: string): string[] => shown(remoteSteps(view, flag));

const shown = (steps: readonly Step[]): string[] =>
  steps.length === 0 ? [] : ["Next", ...steps.flatMap(({ command, why }) => [`  ${why}:`, `    ${command}`])];

const localSteps = (view: JobView, flag: string, { input, output }: Facts): Step[] => {
  const { id } = view.spec;
  const raise = raiseFlags(view);
  const again = input === undefined || input === "-" ? "FILE" : shellWord(input);
  const isOpen = view.state === "running" || view.state === "loading" || view.state === "paused";
  const rest = view.isSealed ? "" : ` --input ${again}`;
  return [
    ...authorSteps(view, "sluice resume", `${isOpen ? rest : ""}${flag}`),
    ...(isOpen
      ? [
          {
            command: `sluice resume ${id}${rest}${flag}`,
            why: view.held.length > 0 ? "go on once the site is well" : "go on where it stopped",
          },
          ...sealStep(view, flag),
        ]
      : []),
    ...(raise === ""
      ? []
      : [{ command: `sluice resume ${id}${raise}${flag}`, why: "go on with the capped inputs" }]),
    ...failedSteps(view, flag),
    ...(output === undefined && view.counts.accepted > 0
      ? [{ command: `sluice export ${id} --output ${id}.csv${flag}`, why: "write the results" }]
      : []),
  ];
};

const remoteSteps = (view: JobView, flag: string): Step[] => {
  const { id } = view.spec;
  const raise = raiseFlags(view);
  return [
    ...(view.state === "loading"
      ? [
          { command: `sluice submit --job ${id} --input FILE${flag}`, why: "send the rest of its inputs" },
          ...sealStep(view, flag),
        ]
      : []),
    ...authorSteps(view, "sluice jobs resume", flag),
    ...(view.state === "paused" || raise !== ""
      ? [{ command: `sluice jobs resume ${id}${raise}${flag}`, why: "let it go on" }]
      : []),
    ...failedSteps(view, flag),
    ...(view.counts.accepted > 0
      ? [{ command: `sluice jobs results ${id} --output ${id}.csv${flag}`, why: "write the results" }]
      : []),
  ];
};

/** Where a corrected scraper can go on with the job. */
const authorSteps = (view: JobView, command: string, flags: string): Step[] =>
  view.state === "cancelled" || !needsAuthor(view)
    ? []
    : [
        {
          command: `${command} ${view.spec.id} --new-version${flags}`,
          why: "go on when you have corrected the scraper",
        },
      ];

const sealStep = ({ spec: { id }, isSealed }: JobView, flag: string): Step[] =>
  isSealed
    ? []
    : [{ command: `sluice jobs seal ${id}${flag}`, why: "let it end with the inputs that it has" }];

const failedSteps = ({ spec: { id }, state, counts }: JobView, flag: string): Step[] => {
  const { failed } = counts.states;
  if (failed === 0) return [];
  return [
    { command: `sluice items ls ${id} --state failed${flag}`, why: "see what failed" },
    ...(state === "cancelled"
      ? []
      : [{ command: `sluice jobs retry ${id}${flag}`, why: `put the ${countText(failed)} failed back` }]),
  ];
};

/** Limits under which the capped inputs fit, as flags of `resume`; empty where nothing was capped, or the job cannot go on. */
const raiseFlags = ({ state, cappedBy, counts, spec, budgetSpentAt }: JobView): string => {
  if (state === "cancelled" || budgetSpentAt !== undefined) return "";
  const { items, depth, chain } = cappedBy;
  const chains = spec.scrapers.flatMap(({ maxChain }) => maxChain ?? []);
  return [
    items > 0 &&
      ` --max-items ${Math.min(Math.max(counts.accepted + counts.capped, 2 * spec.maxItems), RANGES.maxItems.max)}`,
    depth > 0 && ` --max-depth ${Math.min(Math.max(1, spec.maxDepth * 2), RANGES.maxDepth.max)}`,
    chain > 0 && ` --max-chain ${Math.min(Math.max(1, ...chains) * 2, RANGES.maxChain.max)}`,
  ]
    .filter((flags) => flags !== false)
    .join("");
};

/** By what tripped the breaker: failures (those seen most), absents, or a missing field. */
export const holdAdvice = ({ chart, counts = {} }: Partial<Evidence>): string | undefined => {
  if (chart === undefined) return undefined;
  if (chart === "absent")
    return "Look for one of them on the site: its search may be broken, or the inputs wrong.";
  const kind = kindOf({ chart, counts });
  return kind && failureInfo(kind).holdAdvice;
};

/** Whether a corrected scraper is what the job waits for, or could mend some of what failed. */
export const needsAuthor = ({ held, paused, failures }: JobView): boolean =>
  paused?.cause === "scraper" ||
  held.some(({ evidence }) => isOfAuthor(kindOf(evidence ?? {}))) ||
  failures.some(({ kind }) => isOfAuthor(kind));

const isOfAuthor = (kind: FailureKind | undefined): boolean =>
  kind !== undefined && failureInfo(kind).isOfScraper;

const kindOf = ({ chart, counts = {} }: Partial<Evidence>): FailureKind | undefined => {
  if (chart === undefined || chart === "absent") return undefined;
  if (chart !== "failures") return "structure-changed";
  const [most] = FAILURE_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).toSorted(
    (a, b) => (counts[b] ?? 0) - (counts[a] ?? 0),
  );
  return most;
};

/** What the author of a scraper can do about a failure that a trial run met. */
export const failureAdvice = ({ kind, status }: Pick<Failure, "kind" | "status">): string =>
  kind === "navigation" && (status === 404 || status === 410)
    ? notFoundAdvice(status)
    : failureInfo(kind).advice;

/** Many sites say so of what they do not have, which is an answer and no failure. */
export const notFoundAdvice = (status: number): string =>
  `Check the URL. If the site answers ${status} for what it does not have, take that as an answer: ` +
  `\`http.get(url, { accept: [${status}] })\`, then \`if (page.status === ${status}) throw absent()\`.`;
