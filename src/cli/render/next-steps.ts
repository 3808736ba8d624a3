import type { Evidence } from "../../domain/breaker-evidence.ts";
import { type Failure, FAILURE_KINDS, type FailureKind } from "../../domain/failure.ts";
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

/** What a person can do about a lane that is held because of failures of this kind. */
const HELD_ADVICE: Readonly<Record<FailureKind, string>> = {
  timeout: "The site does not answer in time. See whether it is up; a lower --rate spares it.",
  connection: "The site cannot be reached. Check its address, and that this machine may connect to it.",
  "rate-limited": "The site asks for fewer requests. Go on with a lower --rate, or later.",
  blocked: "The site refuses this machine. Go on later and slower, or from another address.",
  captcha: "The site wants to see a person. Go on later and slower, or from another address.",
  maintenance: "The site is being worked on. Go on later.",
  "server-error": "The site itself fails. See one of the pages in a browser; go on later.",
  "structure-changed":
    "The pages look different now. Correct the scraper's selectors, and go on with the new version.",
  navigation:
    "A link, form or page that the scraper follows is gone. Correct the scraper, and go on with the new version. Where the site answers 404 for what it does not have, see `accept` and `absent()` in docs/scrapers.md.",
  "invalid-input": "The inputs are not what the site knows. Check the file.",
  "forbidden-target":
    "The scraper asks for addresses that it may not use. Correct it, and go on with the new version.",
  "robots-denied": "The site's robots.txt forbids these pages.",
  "too-large":
    "The answers are larger than the scraper's limits allow. Raise `limits`, and go on with the new version.",
  "bad-content": "The answers are not what they say they are. See one of the pages in a browser.",
  "scraper-error":
    "The scraper's own code fails. The log has the error; correct it, and go on with the new version.",
  "worker-lost": "Worker processes die. The log says how.",
  budget: "The budget is used up.",
};

/** What the author of the scraper can mend, after which the job goes on with the new version. */
const OF_AUTHOR: ReadonlySet<FailureKind> = new Set([
  "structure-changed",
  "navigation",
  "forbidden-target",
  "too-large",
  "scraper-error",
]);

/** By what tripped the breaker: failures (those seen most), absents, or a missing field. */
export const holdAdvice = ({ chart, counts = {} }: Partial<Evidence>): string | undefined => {
  if (chart === undefined) return undefined;
  if (chart === "absent")
    return "Look for one of them on the site: its search may be broken, or the inputs wrong.";
  const kind = kindOf({ chart, counts });
  return kind && HELD_ADVICE[kind];
};

/** Whether a corrected scraper is what the job waits for, or could mend some of what failed. */
export const needsAuthor = ({ held, paused, failures }: JobView): boolean =>
  paused?.cause === "scraper" ||
  held.some(({ evidence }) => isOfAuthor(kindOf(evidence ?? {}))) ||
  failures.some(({ kind }) => isOfAuthor(kind));

const isOfAuthor = (kind: FailureKind | undefined): boolean => kind !== undefined && OF_AUTHOR.has(kind);

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
  kind === "navigation" && (status === 404 || status === 410) ? notFoundAdvice(status) : ADVICE[kind];

/** Many sites say so of what they do not have, which is an answer and no failure. */
export const notFoundAdvice = (status: number): string =>
  `Check the URL. If the site answers ${status} for what it does not have, take that as an answer: ` +
  `\`http.get(url, { accept: [${status}] })\`, then \`if (page.status === ${status}) throw absent()\`.`;

const ADVICE: Readonly<Record<FailureKind, string>> = {
  timeout: "Try again; a slow site needs a higher `limits.requestMs`.",
  connection: "Check `site`, the network and whether the site is up, then try again.",
  "rate-limited": "The site wants fewer requests: lower `pace.perSecond`. The lane is slowed down by itself.",
  blocked: "Look at the page in the archive. Slow down, or send the headers that the site wants.",
  captcha: "The site asks whether a person is there. Slow down and come back later.",
  maintenance: "Come back when the site is up again.",
  "server-error": "Try again; if it stays, compare the request with what a browser sends.",
  "structure-changed": "Correct the selectors; what each of them finds is shown above.",
  navigation:
    "A link, form or field that `collect` wants is not on the page: compare it with the page in a browser.",
  "invalid-input": "Correct the input.",
  "forbidden-target": "`collect` asks for an address that is not allowed: correct the link.",
  "robots-denied": 'robots.txt forbids it. If you may all the same, write `robots: "ignore"` in the scraper.',
  "too-large": "Raise `limits.bodyBytes` or `limits.decodedBytes` if such a page is right.",
  "bad-content": "What came is not what was wanted: look at the page in the archive.",
  "scraper-error": "Correct the scraper's code, and try again.",
  "worker-lost": "Try again.",
  budget: "Raise the budget.",
};
