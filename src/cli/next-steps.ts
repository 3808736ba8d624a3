import type { JobView } from "../model/job.ts";
import { needsAuthor } from "./hold-advice.ts";
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

const newVersionStep = (command: string, id: string, flags: string): Step => ({
  command: `${command} ${id} --new-version${flags}`,
  why: "go on when you have corrected the scraper",
});

/** The same of a job on a server; there, only what a corrected scraper needs. */
export const remoteSteps = (view: JobView, flag: string): string[] => {
  if (view.state === "cancelled" || !needsAuthor(view)) return [];
  const { command, why } = newVersionStep("sluice jobs resume", view.spec.id, flag);
  return ["", "Next", `  ${why}:`, `    ${command}`];
};

const stepsFor = (view: JobView, flag: string, output: string | undefined): Step[] => {
  const { id } = view.spec;
  const { failed } = view.counts.states;
  const steps: Step[] = [];
  if (view.state === "running" || view.state === "loading" || view.state === "paused") {
    const input = view.isSealed ? "" : " --input FILE";
    const why = view.held.length > 0 ? "go on once the site is well" : "go on where it stopped";
    if (needsAuthor(view)) steps.push(newVersionStep("sluice resume", id, `${input}${flag}`));
    steps.push({ command: `sluice resume ${id}${input}${flag}`, why });
  } else if (view.state === "done" && needsAuthor(view))
    steps.push(newVersionStep("sluice resume", id, flag));
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
