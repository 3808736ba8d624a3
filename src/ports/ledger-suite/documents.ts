import assert from "node:assert/strict";
import { MOST_BODY_BYTES, MOST_CHANGES } from "../documents.ts";
import { jobSpec, type Kit, type LedgerTest } from "./test-kit.ts";

const names = async ({ ledger }: Kit, query: Parameters<typeof ledger.documents.list>[1]) =>
  (await ledger.documents.list("firing", query)).map(({ name }) => name);

export const documents = (test: LedgerTest): void => {
  test("a document is written, read by every process, replaced and removed", async (kit) => {
    const { documents: own } = kit.ledger;
    const body = { cron: "0 6 * * 1", note: "Zürich \u0000 \ud800", list: [1, null, { a: false }] };
    assert.equal(await own.read("schedule", "weekly"), undefined);
    const change = { kind: "schedule", name: "weekly" } as const;
    assert.deepEqual(await own.commit({ changes: [{ ...change, expected: 0, body }] }), {
      committed: true,
      revisions: [1],
    });
    const { documents: other } = await kit.another();
    const first = { ...change, revision: 1, changedAt: kit.nowMs, body };
    assert.deepEqual(await other.read("schedule", "weekly"), first);
    assert.equal(await other.read("dataset", "weekly"), undefined);
    kit.nowMs += 1000;
    await own.commit({ changes: [{ ...change, body: { cron: "0 7 * * 1" } }] });
    assert.deepEqual(await other.read("schedule", "weekly"), {
      ...first,
      revision: 2,
      changedAt: kit.nowMs,
      body: { cron: "0 7 * * 1" },
    });
    assert.deepEqual(await own.commit({ changes: [{ ...change, expected: 2, body: null }] }), {
      committed: true,
      revisions: [0],
    });
    assert.equal(await other.read("schedule", "weekly"), undefined);
  });

  test("a change that is based on an older revision changes nothing, nor does what is committed with it", async (kit) => {
    const { documents: own, events } = kit.ledger;
    await own.commit({ changes: [{ kind: "dataset", name: "bills", body: { current: 1 } }] });
    const before = await events.last();
    const reply = await own.commit({
      changes: [
        { kind: "release", name: "bills/000002", expected: 0, body: {} },
        { kind: "dataset", name: "bills", expected: 0, body: { current: 2 } },
      ],
      job: jobSpec("late"),
      events: [{ type: "job.progress", job: "late", facts: {} }],
    });
    assert.deepEqual(reply, {
      committed: false,
      conflicts: [{ kind: "dataset", name: "bills", revision: 1 }],
    });
    assert.equal(await own.read("release", "bills/000002"), undefined);
    assert.equal(await kit.ledger.readJob("late"), undefined);
    assert.equal(await events.last(), before);
  });

  test("of many concurrent writes to one document, one is committed", async (kit) => {
    const handles = [kit.ledger, await kit.another(), await kit.another()];
    const replies = await Promise.all(
      handles.flatMap((ledger, at) =>
        [0, 1, 2].map((n) =>
          ledger.documents.commit({
            changes: [{ kind: "firing", name: "weekly/1", expected: 0, body: { at, n } }],
            job: jobSpec(`job-${at}-${n}`),
          }),
        ),
      ),
    );
    assert.equal(replies.filter(({ committed }) => committed).length, 1);
    const jobs = await kit.ledger.listJobs();
    const { body } = (await kit.ledger.documents.read("firing", "weekly/1"))!;
    const { at, n } = body as { at: number; n: number };
    assert.deepEqual(
      jobs.map(({ spec }) => spec.id),
      [`job-${at}-${n}`],
    );
  });

  test("a commit that is sent twice with the same id takes effect once", async (kit) => {
    const commit = {
      changes: [{ kind: "firing", name: "weekly/1", expected: 0, body: {} }],
      job: jobSpec("a"),
    } as const;
    const first = await kit.ledger.documents.commit(commit, "call-1");
    assert.deepEqual(await (await kit.another()).documents.commit(commit, "call-1"), first);
    assert.equal((await kit.ledger.documents.commit(commit, "call-2")).committed, false);
  });

  test("documents are listed by the bytes of their names, page by page, in both directions", async (kit) => {
    const all = ["a/1", "a/10", "a/2", "a/é", "aa", "b/1"];
    for (const name of all.toReversed())
      await kit.ledger.documents.commit({ changes: [{ kind: "firing", name, body: { name } }] });
    assert.deepEqual(await names(kit, { limit: 10 }), ["a/1", "a/10", "a/2", "a/é", "aa", "b/1"]);
    assert.deepEqual(await names(kit, { prefix: "a/", limit: 10 }), ["a/1", "a/10", "a/2", "a/é"]);
    assert.deepEqual(await names(kit, { prefix: "a/", newest: true, limit: 2 }), ["a/é", "a/2"]);
    assert.deepEqual(await names(kit, { prefix: "a/", newest: true, after: "a/2", limit: 2 }), [
      "a/10",
      "a/1",
    ]);
    assert.deepEqual(await names(kit, { after: "a/10", limit: 2 }), ["a/2", "a/é"]);
  });

  test("documents without a name, and too large or too many ones, are refused", async (kit) => {
    const { documents: own } = kit.ledger;
    const refuses = (changes: Parameters<typeof own.commit>[0]["changes"]) =>
      assert.rejects(own.commit({ changes }), { code: "bad-document" });
    await refuses([{ kind: "dataset", name: "", body: {} }]);
    await refuses([{ kind: "dataset", name: "a", body: { text: "x".repeat(MOST_BODY_BYTES) } }]);
    await refuses(
      Array.from({ length: MOST_CHANGES + 1 }, (_, i) => ({
        kind: "dataset" as const,
        name: `${i}`,
        body: {},
      })),
    );
  });
};
