import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addresses } from "./ledger-suite/addresses.ts";
import { backlog } from "./ledger-suite/backlog.ts";
import { breaker } from "./ledger-suite/breaker.ts";
import { canaries } from "./ledger-suite/canaries.ts";
import { documents } from "./ledger-suite/documents.ts";
import { emitting } from "./ledger-suite/emitting.ts";
import { events } from "./ledger-suite/events.ts";
import { failureTimes } from "./ledger-suite/failure-times.ts";
import { fairness } from "./ledger-suite/fairness.ts";
import { freshKeeping } from "./ledger-suite/fresh-keeping.ts";
import { freshness } from "./ledger-suite/freshness.ts";
import { items } from "./ledger-suite/items.ts";
import { jobLimits } from "./ledger-suite/job-limits.ts";
import { jobs } from "./ledger-suite/jobs.ts";
import { kinds } from "./ledger-suite/kinds.ts";
import { lanes } from "./ledger-suite/lanes.ts";
import { laws } from "./ledger-suite/laws.ts";
import { leases } from "./ledger-suite/leases.ts";
import { lists } from "./ledger-suite/lists.ts";
import { money } from "./ledger-suite/money.ts";
import { operator } from "./ledger-suite/operator.ts";
import { ownPace } from "./ledger-suite/own-pace.ts";
import { pace } from "./ledger-suite/pace.ts";
import { proxyTiers } from "./ledger-suite/proxy-tiers.ts";
import { reaping } from "./ledger-suite/reaping.ts";
import { removing } from "./ledger-suite/removing.ts";
import { robots } from "./ledger-suite/robots.ts";
import { shares } from "./ledger-suite/shares.ts";
import { stopping } from "./ledger-suite/stopping.ts";
import { versions } from "./ledger-suite/versions.ts";
import { workSums } from "./ledger-suite/work-sums.ts";
import { type LedgerTest, type OpenLedger, Kit } from "./ledger-suite/test-kit.ts";

interface LedgerSuiteOptions {
  /** The sentence of a test, and why this backend cannot keep it. */
  readonly skips?: Readonly<Record<string, string>>;
  /** Every call crosses a network: fewer random cases are tried, except by `npm run laws`. */
  readonly isRemote?: boolean;
}

const REMOTE_SHARE = process.env["SLUICE_LAWS"] === undefined ? 0.25 : 1;

/** The laws of the ledger, with the tests that hold it to each. All of them end with a check of the test's own history of calls. */
export const LAWS = {
  conservation: [
    jobs,
    jobLimits,
    items,
    lists,
    emitting,
    events,
    removing,
    versions,
    canaries,
    documents,
    failureTimes,
  ],
  "one holder": [leases],
  pace: [pace, ownPace, addresses, robots, lanes, operator],
  "no idling": [kinds, backlog, workSums, freshness, freshKeeping],
  "attempt cap": [reaping, breaker],
  fairness: [fairness, shares],
  "stop means stop": [stopping],
  budgets: [money, proxyTiers],
  "random histories": [laws],
} as const satisfies Readonly<Record<string, readonly ((test: LedgerTest) => void)[]>>;

/**
 * The contract of `Ledger`. `open` is called with an empty folder that is removed afterwards; opening the same folder again simulates another
 * process. Time passes only when a test moves it: `now` is the ledger's only clock.
 */
export const ledgerSuite = (
  name: string,
  open: OpenLedger,
  { skips = {}, isRemote = false }: LedgerSuiteOptions = {},
): void => {
  describe(`ledger: ${name}`, () => {
    const unused = new Set(Object.keys(skips));
    const test: LedgerTest = (sentence, run) => {
      unused.delete(sentence);
      it(sentence, { skip: skips[sentence] ?? false }, async (t) => {
        const kit = await Kit.create(t, open, isRemote ? REMOTE_SHARE : 1);
        await run(kit);
        assert.deepEqual(kit.violations(), []);
      });
    };
    for (const [law, nouns] of Object.entries(LAWS))
      describe(law, () => {
        for (const noun of nouns) noun(test);
      });
    assert.deepEqual([...unused], [], "skips of tests that do not exist");
  });
};
