import { propertyPage } from "./property-page.ts";

const PAGES = 300;
const WARM_UP_MS = 1_000;
const MEASURED_MS = 3_000;

export interface MatchRun {
  readonly perSecond: number;
  /** The fields of one page, to compare the programs' results. */
  readonly sample: readonly string[];
}

/** How many pages one thread takes from their bytes to their fields in a second of CPU time, helpers of the engine included. */
export const timePages = (fieldsOf: (text: string) => string[]): MatchRun => {
  const pages = Array.from({ length: PAGES }, (_, n) => Buffer.from(propertyPage(n)));
  const runFor = (ms: number): number => {
    let done = 0;
    const startedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    while (performance.now() - startedAt < ms) {
      for (const page of pages) fieldsOf(page.toString("utf8"));
      done += PAGES;
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    return (done / (user + system)) * 1_000_000;
  };
  runFor(WARM_UP_MS);
  return { perSecond: runFor(MEASURED_MS), sample: fieldsOf(propertyPage(7)) };
};
