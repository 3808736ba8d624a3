import type { JobView } from "../model/job.ts";
import { countText } from "./number-text.ts";
import { DEFAULT_DATA } from "./options.ts";

interface Step {
  readonly command: string;
  readonly why: string;
}

/** What a person can do now, as commands to copy. */
export const nextSteps = (
  view: JobView,
  { data, output }: { readonly data: string; readonly output?: string },
): string[] => {
  const steps = stepsFor(view, dataFlag(data), output);
  if (steps.length === 0) return [];
  return ["Next", ...steps.flatMap(({ command, why }) => [`  ${why}:`, `    ${command}`])];
};

/** ` --data DIR` where the commands would otherwise look in another folder. */
export const dataFlag = (data: string): string => {
  if (data === DEFAULT_DATA) return "";
  return ` --data ${/^[\w@%+=:,./-]+$/.test(data) ? data : `'${data.replaceAll("'", String.raw`'\''`)}'`}`;
};

const stepsFor = (view: JobView, flag: string, output: string | undefined): Step[] => {
  const { id } = view.spec;
  const { failed } = view.counts.states;
  const steps: Step[] = [];
  if (view.state === "running" || view.state === "loading" || view.state === "paused") {
    const input = view.isSealed ? "" : " --input FILE";
    const why = view.held.length > 0 ? "go on once the site is well" : "go on where it stopped";
    steps.push({ command: `sluice resume ${id}${input}${flag}`, why });
  }
  const raise = raiseFlags(view);
  if (raise !== "")
    steps.push({ command: `sluice resume ${id}${raise}${flag}`, why: "go on with the capped inputs" });
  if (failed > 0) {
    steps.push({ command: `sluice items ls ${id} --state failed${flag}`, why: "see what failed" });
    if (view.state !== "cancelled")
      steps.push({
        command: `sluice jobs retry ${id}${flag}`,
        why: `put the ${countText(failed)} failed back`,
      });
  }
  if (output === undefined)
    steps.push({ command: `sluice export ${id} --output FILE.csv${flag}`, why: "write the results" });
  return steps;
};

/** Limits under which the capped inputs fit, as flags of `resume`; empty where nothing was capped, or the job cannot go on. */
const raiseFlags = ({ state, cappedBy, counts, spec, budgetSpentAt }: JobView): string => {
  if (state === "cancelled" || budgetSpentAt !== undefined) return "";
  const { items, depth, chain } = cappedBy;
  const chains = spec.scrapers.flatMap(({ maxChain }) => maxChain ?? []);
  return [
    items > 0 && ` --max-items ${Math.max(counts.accepted + counts.capped, 2 * spec.maxItems)}`,
    depth > 0 && ` --max-depth ${Math.max(1, spec.maxDepth * 2)}`,
    chain > 0 && ` --max-chain ${Math.max(1, ...chains) * 2}`,
  ]
    .filter((flags) => flags !== false)
    .join("");
};
