import assert from "node:assert/strict";
import type { CanaryNews } from "../../domain/canary.ts";
import type { JobCanary, VersionChange } from "../../domain/job-version.ts";
import type { Outcome } from "../../domain/item.ts";
import { DONE, failed } from "./sim-worker.ts";
import { jobSpec, type Kit, type LedgerTest } from "./test-kit.ts";

const FIELDS = { fields: ["name", "tax"], required: ["name"] };
const ABSENT: Outcome = { state: "absent", detail: "no such page" };
const GOOD = [1, 0, 0, 0, 1, 0, 0, 0];
/** The canary's fields are in another order, and one of them is new. */
const NO_TAX = [0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0];

const canary = (): JobCanary => {
  const fields = ["tax", "name", "new"];
  const { scrapers, required, maxDepth } = jobSpec("job", { ...FIELDS, fields, version: "v2" });
  return { scrapers, fields, required, maxDepth, share: 0.5 };
};

const begin = async (kit: Kit, keys: readonly string[]) => {
  await kit.job("job", [...keys], { ...FIELDS, canary: canary() });
  await kit.ledger.sealJob("job");
  return kit.worker();
};

const news = async ({ ledger }: Kit): Promise<CanaryNews | undefined> => {
  const [found] = await ledger.documents.list("canary", {
    prefix: `${jobSpec("job").scraper}/v2/`,
    limit: 10,
  });
  return found?.body as CanaryNews | undefined;
};

const change = (kit: Kit, to: "rolled-back" | "promoted"): Promise<boolean> =>
  kit.ledger.changeVersions("job", { to } satisfies VersionChange);

const versionOf = async (kit: Kit, key: string): Promise<string | undefined> =>
  (await kit.item("job", key)).version;

export const canaries = (test: LedgerTest): void => {
  test("how items end is counted by version and field, in the transaction that ends them", async (kit) => {
    const worker = await begin(kit, ["a", "b", "c", "d", "e"]);
    const [a, b, c, d, e] = await worker.take();
    assert.equal(a?.revision, 0);
    await worker.settle([a], DONE, { fieldCounts: GOOD, revision: 0 });
    await worker.settle([b!], DONE, { fieldCounts: NO_TAX, revision: 1 });
    await worker.settle([c!], ABSENT, { revision: 1 });
    assert.deepEqual(await news(kit), {
      job: "job",
      control: { items: 1, fields: { name: [1, 0], tax: [1, 0], "(item)": [1, 0] } },
      canary: { items: 2, fields: { name: [2, 1], tax: [2, 2], "(item)": [2, 1] } },
      late: 0,
    });
    assert.deepEqual([await versionOf(kit, "a"), await versionOf(kit, "b")], ["v1", "v2"]);
    assert.deepEqual((await kit.ledger.readJob("job"))?.fieldCounts, [2, 0, 0, 0, 1, 0, 1, 0]);
    // Whoever judges takes them out; what ends later is counted anew.
    const [{ name, revision } = { name: "", revision: 0 }] = await kit.ledger.documents.list("canary", {
      limit: 1,
    });
    await kit.ledger.documents.commit({
      changes: [{ kind: "canary", name, expected: revision, body: null }],
    });
    await worker.settle([d!], failed("timeout"), { revision: 0 });
    assert.deepEqual((await news(kit))?.control.fields, { name: [1, 1], tax: [1, 1], "(item)": [1, 1] });
    await worker.settle([e!], DONE, { fieldCounts: GOOD, revision: 0 });
  });

  test("rolled back, the next claim has another revision; what was in flight is known as the canary's", async (kit) => {
    const worker = await begin(kit, ["a", "b", "c"]);
    const [a, b] = await worker.take(2);
    await worker.settle([a!], DONE, { fieldCounts: NO_TAX, revision: 1 });
    assert.equal(await change(kit, "rolled-back"), true);
    assert.equal(await change(kit, "rolled-back"), false);
    const [c] = await worker.take();
    assert.deepEqual([c?.key, c?.revision], ["c", 2]);
    await worker.settle([b!], DONE, { fieldCounts: NO_TAX, revision: 1 });
    await worker.settle([c!], DONE, { fieldCounts: GOOD, revision: 2 });
    assert.deepEqual(
      [await versionOf(kit, "a"), await versionOf(kit, "b"), await versionOf(kit, "c")],
      ["v2", "v2", "v1"],
    );
    const view = (await kit.ledger.readJob("job"))!;
    assert.deepEqual(
      [view.spec.earlier, view.spec.version, view.spec.canary],
      [[["v1"], ["v2"]], "v1", undefined],
    );
    assert.deepEqual(view.fieldCounts, [3, 0, 0, 0, 1, 0, 2, 0]);
    assert.equal((await news(kit))?.late, 1);
    // The old version's reading takes the place of the canary's.
    const records = { blob: "new", offset: 0, length: 9 };
    const outcome = { state: "done", quality: "complete" } as const;
    const again = { outcome, records, fieldCounts: [], emitted: [], rejected: [] };
    await kit.ledger.amendItems(
      "job",
      2,
      [a!, b!].map(({ queue, seq }) => ({ queue, seq, ...again })),
    );
    for (const key of ["a", "b", "c"]) assert.equal(await versionOf(kit, key), "v1");
  });

  test("promoted, its versions are the job's, and what it has read stays", async (kit) => {
    const worker = await begin(kit, ["a", "b", "c"]);
    const [a, b] = await worker.take(2);
    await worker.settle([a!], DONE, { fieldCounts: NO_TAX, revision: 1 });
    assert.equal(await change(kit, "promoted"), true);
    await worker.settle([b!], DONE, { fieldCounts: GOOD, revision: 0 });
    const [c] = await worker.take();
    assert.equal(c?.revision, 1);
    await worker.settle([c], DONE, { fieldCounts: NO_TAX, revision: 1 });
    assert.deepEqual(
      [await versionOf(kit, "a"), await versionOf(kit, "b"), await versionOf(kit, "c")],
      ["v2", "v1", "v2"],
    );
    const view = (await kit.ledger.readJob("job"))!;
    assert.deepEqual(
      [view.state, view.spec.version, view.spec.fields],
      ["done", "v2", ["tax", "name", "new"]],
    );
    // The first item was counted when the job had no such field.
    assert.deepEqual(view.fieldCounts, [1, 0, 2, 0, 3, 0, 0, 0, 1, 0, 0, 0]);
  });

  test("a running job is moved to another version, with the next claim", async (kit) => {
    await kit.job("job", ["a", "b"], FIELDS);
    const worker = kit.worker();
    const [a] = await worker.take(1);
    const { share: _, ...pins } = canary();
    assert.equal(await kit.ledger.changeVersions("job", { to: "pins", pins }), true);
    assert.equal(await kit.ledger.changeVersions("job", { to: "pins", pins }), false);
    const [b] = await worker.take(1);
    assert.deepEqual([b?.key, b?.revision], ["b", 1]);
    await worker.settle([a!], DONE, { fieldCounts: GOOD, revision: 0 });
    await worker.settle([b!], DONE, { fieldCounts: NO_TAX, revision: 1 });
    assert.deepEqual([await versionOf(kit, "a"), await versionOf(kit, "b")], ["v1", "v2"]);
    assert.deepEqual((await kit.ledger.readJob("job"))?.fieldCounts, [1, 0, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0]);
  });

  test("absent items are put back with failed ones if that is asked for", async (kit) => {
    await kit.job("job", ["a", "b"], FIELDS);
    await kit.ledger.sealJob("job");
    const worker = kit.worker();
    const [a, b] = await worker.take();
    await worker.settle([a!], ABSENT);
    await worker.settle([b!], failed("timeout"));
    assert.equal(await kit.ledger.retryItems("job", { keys: ["a"] }), 0);
    assert.equal(await kit.ledger.retryItems("job", { keys: ["a", "b"], isAbsentToo: true }), 2);
    const view = await kit.ledger.readJob("job");
    const { queued, absent, failed: left } = view!.counts.states;
    assert.deepEqual([view?.state, queued, absent, left], ["running", 2, 0, 0]);
    assert.deepEqual((await worker.takeKeys()).toSorted(), ["a", "b"]);
  });
};
