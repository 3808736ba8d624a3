import { fileURLToPath } from "node:url";
import { testFixtures } from "./test-fixtures.ts";

/** How a scraper fares with its fixtures. */
export interface FixtureStatus {
  readonly cases: number;
  readonly passed: number;
  /** Names of the cases that are not as expected. */
  readonly failed: readonly string[];
  /** Why they could not be tested at all. */
  readonly problem?: string;
}

/** Somebody waits for it: a scraper that takes longer says so. */
const LIMIT_MS = 10_000;

/** In a thread of its own: what the scraper's code does there, an endless loop too, does not touch this one. */
export const fixtureStatus = async (source: string): Promise<FixtureStatus> => {
  // Built-ins have no file, and no fixtures beside it.
  if (!source.startsWith("file:")) return { cases: 0, passed: 0, failed: [] };
  const files = [fileURLToPath(source)];
  for await (const { cases, problem } of testFixtures({ files, threads: 1, limitMs: LIMIT_MS })) {
    const failed = cases.filter((one) => one.problem !== undefined || one.findings.length > 0);
    return {
      cases: cases.length,
      passed: cases.length - failed.length,
      failed: failed.map(({ name }) => name),
      ...(problem !== undefined && { problem }),
    };
  }
  throw new Error(`${source}: no fixtures were tested`);
};
