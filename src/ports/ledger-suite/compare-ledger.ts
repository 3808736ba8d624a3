import assert from "node:assert/strict";
import { identityOf, type LedgerModel } from "./ledger-model.ts";
import type { Kit } from "./test-kit.ts";

/** The most that any row of the failure policy allows. */
const MOST_ATTEMPTS = 4;

/** Law 1, and that the list and the counters both say what the model says. */
export const compareLedger = async (kit: Kit, model: LedgerModel): Promise<void> => {
  for (const job of model.jobs) {
    const view = await kit.ledger.readJob(job.id);
    const accepted = job.items.size;
    const { folded, rejected } = job;
    const capped = job.capped.size;
    const received = accepted + folded + rejected + capped;
    assert.deepEqual(view?.counts, {
      received,
      accepted,
      folded,
      rejected,
      capped,
      states: model.states(job),
    });
    const cappedBy = { items: 0, depth: 0, chain: 0, budget: 0, quota: 0 };
    for (const { cap } of job.capped.values()) cappedBy[cap]++;
    assert.deepEqual(view.cappedBy, cappedBy);
    assert.equal(view.state, job.state);
    const names = view.spec.scrapers.map(({ name }) => name);
    const items = await kit.items(job.id);
    assert.equal(items.length, accepted);
    for (const { key, scraper, depth, parent, state, attempts, failure } of items) {
      const item = job.items.get(identityOf({ key, scraper: names.indexOf(scraper) }));
      assert.deepEqual({ key, depth, parent }, { key, depth: item?.depth, parent: item?.parent });
      assert.deepEqual({ key, state, attempts }, { key, state: item?.state, attempts: item?.attempts });
      assert.ok(attempts <= MOST_ATTEMPTS, `${attempts} attempts`);
      if (state !== "failed") continue;
      assert.equal(failure?.kind, item?.kind);
      assert.ok(failure?.kind !== "worker-lost" || item?.hasActed, "worker-lost is nobody's end");
    }
  }
};
