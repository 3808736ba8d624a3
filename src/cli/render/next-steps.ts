import type { StorageLocation } from "../../ports/storage.ts";
import type { Evidence } from "../../domain/breaker.ts";
import { type Failure, FAILURE_KINDS, failureInfo, type FailureKind } from "../../domain/failure.ts";
import type { JobView } from "../../domain/job.ts";
import { RANGES } from "../../domain/number-range.ts";
import { dataFlag } from "../options.ts";
import { counted, shellWord } from "../text.ts";

interface Facts {
  readonly input?: string;
  readonly output?: string;
}

interface Step {
  readonly command: string;
  readonly why: string;
}

/** What the user can do now, as commands to copy. */
export const nextSteps = (
  view: JobView,
  facts: Facts & { readonly location: Pick<StorageLocation, "data"> },
): string[] => shown(localSteps(view, dataFlag(facts.location), facts));

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
            why:
              view.held.length > 0 ? "continue when the site responds normally" : "continue where it stopped",
          },
          ...sealStep(view, flag),
        ]
      : []),
    ...(raise === ""
      ? []
      : [{ command: `sluice resume ${id}${raise}${flag}`, why: "continue with the capped inputs" }]),
    ...failedSteps(view, flag),
    ...(output === undefined && view.counts.accepted > 0
      ? [{ command: `sluice export ${id} --output ${id}.csv${flag}`, why: "write the results to a file" }]
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
      ? [{ command: `sluice jobs resume ${id}${raise}${flag}`, why: "let workers continue it" }]
      : []),
    ...failedSteps(view, flag),
    ...(view.counts.accepted > 0
      ? [
          {
            command: `sluice jobs results ${id} --output ${id}.csv${flag}`,
            why: "write the results to a file",
          },
        ]
      : []),
  ];
};

/** If the job can continue with a corrected scraper. */
const authorSteps = (view: JobView, command: string, flags: string): Step[] =>
  view.state === "cancelled" || !needsAuthor(view)
    ? []
    : [
        {
          command: `${command} ${view.spec.id} --new-version${flags}`,
          why: "continue after you fix the scraper",
        },
      ];

const sealStep = ({ spec: { id }, isSealed }: JobView, flag: string): Step[] =>
  isSealed ? [] : [{ command: `sluice jobs seal ${id}${flag}`, why: "finish with the inputs that it has" }];

const failedSteps = ({ spec: { id }, state, counts }: JobView, flag: string): Step[] => {
  const { failed } = counts.states;
  if (failed === 0) return [];
  return [
    { command: `sluice items ls ${id} --state failed${flag}`, why: "list the failed items" },
    ...(state === "cancelled"
      ? []
      : [{ command: `sluice jobs retry ${id}${flag}`, why: `retry the ${counted(failed, "failed item")}` }]),
  ];
};

/** Limits under which the capped inputs fit, as flags of `resume`; empty if nothing was capped or the job cannot continue. */
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

/** What the author of a scraper can do about a failure of `sluice try`. */
export const failureAdvice = ({ kind, status }: Pick<Failure, "kind" | "status">): string =>
  kind === "navigation" && (status === 404 || status === 410)
    ? notFoundAdvice(status)
    : failureInfo(kind).advice;

/** Many sites answer so for what they do not have, which is an answer and no failure. */
export const notFoundAdvice = (status: number): string =>
  `Check the URL. If the site answers ${status} for what it does not have, accept that as an answer: ` +
  `\`http.get(url, { accept: [${status}] })\`, then \`if (page.status === ${status}) throw absent()\`.`;

/** By what tripped the breaker: failures (the most frequent kind), absent items, or a missing field. */
export const holdAdvice = ({ chart, counts = {} }: Partial<Evidence>): string | undefined => {
  if (chart === "absent")
    return "Look for one of these items on the site: its search may be broken, or the inputs may be wrong.";
  const kind = kindOf({ ...(chart && { chart }), counts });
  return kind && failureInfo(kind).holdAdvice;
};

/** Whether the job waits for a corrected scraper, or one could rescue some of the failed items. */
const needsAuthor = ({ held, paused, failures }: JobView): boolean =>
  paused?.cause === "scraper" ||
  [...held.map(({ evidence }) => kindOf(evidence ?? {})), ...failures.map(({ kind }) => kind)].some(
    (kind) => kind !== undefined && failureInfo(kind).isOfScraper,
  );

const kindOf = ({ chart, counts = {} }: Partial<Evidence>): FailureKind | undefined => {
  if (chart === undefined || chart === "absent") return undefined;
  if (chart !== "failures") return "structure-changed";
  const [most] = FAILURE_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).toSorted(
    (a, b) => (counts[b] ?? 0) - (counts[a] ?? 0),
  );
  return most;
};
