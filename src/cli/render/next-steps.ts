import type { Evidence } from "../../domain/breaker-evidence.ts";
import { type Failure, FAILURE_KINDS, type FailureKind } from "../../domain/failure.ts";
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

interface Advice {
  /** For the author of a scraper, after `sluice try`. */
  readonly trial: string;
  /** For a lane that is held because of such failures. */
  readonly held: string;
  /** A corrected scraper helps: the job can continue with its new version. */
  readonly isForAuthor?: true;
}

const ADVICE: Readonly<Record<FailureKind, Advice>> = {
  timeout: {
    trial: "Try again. A slow site needs a higher `limits.requestMs`.",
    held: "The site does not respond in time. Check whether it is up; a lower --rate reduces the load.",
  },
  connection: {
    trial: "Check `site`, the network and whether the site is up, then try again.",
    held: "The site cannot be reached. Check its address, and that this machine can connect to it.",
  },
  "rate-limited": {
    trial: "The site asks for fewer requests: lower `pace.perSecond`. Sluice slows the lane down by itself.",
    held: "The site asks for fewer requests. Continue later or with a lower --rate.",
  },
  blocked: {
    trial: "Look at the stored page. Slow down, or send the headers that the site expects.",
    held: "The site blocks this machine. Continue later and slower, or from another address.",
  },
  captcha: {
    trial: "The site shows a captcha. Slow down and try again later.",
    held: "The site shows captchas. Continue later and slower, or from another address.",
  },
  maintenance: {
    trial: "Try again when the site is up.",
    held: "The site is under maintenance. Continue later.",
  },
  "server-error": {
    trial: "Try again. If it persists, compare the request with what a browser sends.",
    held: "The site returns server errors. Open one of the pages in a browser; continue later.",
  },
  "structure-changed": {
    trial: "Correct the selectors; the report above shows what each of them finds.",
    held: "The pages have changed. Correct the scraper's selectors, then continue with the new version.",
    isForAuthor: true,
  },
  navigation: {
    trial:
      "The page lacks a link, form or field that `collect` needs. Compare it with the page in a browser.",
    held: "A link, form or page that the scraper follows is missing. Correct the scraper, then continue with the new version. If the site answers 404 for what it does not have, see `accept` and `absent()` in docs/scrapers.md.",
    isForAuthor: true,
  },
  "invalid-input": {
    trial: "Correct the input.",
    held: "The site does not accept the inputs. Check the input file.",
  },
  "forbidden-target": {
    trial: "`collect` requests an address that is not allowed. Correct the link.",
    held: "The scraper requests addresses that are not allowed. Correct it, then continue with the new version.",
    isForAuthor: true,
  },
  "robots-denied": {
    trial: 'robots.txt forbids it. If you have permission, set `robots: "ignore"` in the scraper.',
    held: "The site's robots.txt forbids these pages.",
  },
  "too-large": {
    trial: "If such a page is expected, raise `limits.bodyBytes` or `limits.decodedBytes`.",
    held: "The responses exceed the scraper's limits. Raise `limits`, then continue with the new version.",
    isForAuthor: true,
  },
  "bad-content": {
    trial: "The response is not what the scraper expects. Look at the stored page.",
    held: "The responses do not match their content type. Open one of the pages in a browser.",
  },
  "scraper-error": {
    trial: "Fix the scraper's code, then try again.",
    held: "The scraper's code fails; the log has the error. Fix it, then continue with the new version.",
    isForAuthor: true,
  },
  "worker-lost": { trial: "Try again.", held: "Worker processes die. The log shows how." },
  budget: { trial: "Raise the budget.", held: "The budget is spent." },
};

/** What the author of a scraper can do about a failure of `sluice try`. */
export const failureAdvice = ({ kind, status }: Pick<Failure, "kind" | "status">): string =>
  kind === "navigation" && (status === 404 || status === 410) ? notFoundAdvice(status) : ADVICE[kind].trial;

/** Many sites answer so for what they do not have, which is an answer and no failure. */
export const notFoundAdvice = (status: number): string =>
  `Check the URL. If the site answers ${status} for what it does not have, accept that as an answer: ` +
  `\`http.get(url, { accept: [${status}] })\`, then \`if (page.status === ${status}) throw absent()\`.`;

/** By what tripped the breaker: failures (the most frequent kind), absent items, or a missing field. */
export const holdAdvice = ({ chart, counts = {} }: Partial<Evidence>): string | undefined => {
  if (chart === "absent")
    return "Look for one of these items on the site: its search may be broken, or the inputs may be wrong.";
  const kind = kindOf({ ...(chart && { chart }), counts });
  return kind && ADVICE[kind].held;
};

/** Whether the job waits for a corrected scraper, or one could rescue some of the failed items. */
const needsAuthor = ({ held, paused, failures }: JobView): boolean =>
  paused?.cause === "scraper" ||
  [...held.map(({ evidence }) => kindOf(evidence ?? {})), ...failures.map(({ kind }) => kind)].some(
    (kind) => kind !== undefined && ADVICE[kind].isForAuthor,
  );

const kindOf = ({ chart, counts = {} }: Partial<Evidence>): FailureKind | undefined => {
  if (chart === undefined || chart === "absent") return undefined;
  if (chart !== "failures") return "structure-changed";
  const [most] = FAILURE_KINDS.filter((kind) => (counts[kind] ?? 0) > 0).toSorted(
    (a, b) => (counts[b] ?? 0) - (counts[a] ?? 0),
  );
  return most;
};
