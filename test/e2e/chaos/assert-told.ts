import assert from "node:assert/strict";
import type { Item, Job } from "../../../src/client.ts";
import { assertConserved } from "../service-process.ts";
import type { Told, WebhookReceiver } from "./webhook-receiver.ts";

/** Compares what the receiver got with what the ledger says. */
export const assertTold = (receiver: WebhookReceiver, job: Job, items: ReadonlyMap<string, Item>): void => {
  assert.deepEqual(receiver.forged, [], "every signature is valid");
  for (const { id, data } of receiver.taken.values()) assert.equal(data["job"], job.id, id);
  assert.equal(receiver.ofType("job.started").length, 1);
  assertFailures(receiver.ofType("item.failed"), items);
  assertProgress(receiver.ofType("job.progress"), job);
  const completed = receiver.ofType("job.completed");
  assert.equal(completed.length, 1);
  const { done, absent, failed, skipped } = completed[0]!.data;
  const { states } = job.counts;
  assert.deepEqual(
    { done, absent, failed, skipped },
    { done: states.done, absent: states.absent, failed: states.failed, skipped: states.skipped },
  );
};

/** Each failed item is in exactly one event; a second event would be a second end. */
const assertFailures = (events: readonly Told[], items: ReadonlyMap<string, Item>): void => {
  const told = events.flatMap(
    ({ data }) => data["items"] as { readonly key: string; readonly kind: string }[],
  );
  const failed = [...items.values()].filter(({ state }) => state === "failed");
  const inOrder = (lines: readonly string[]): string[] => [...lines].sort();
  assert.deepEqual(
    inOrder(told.map(({ key, kind }) => `${key} ${kind}`)),
    inOrder(failed.map(({ key, failure }) => `${key} ${failure?.kind}`)),
  );
};

const assertProgress = (events: readonly Told[], job: Job): void => {
  assert.ok(events.length > 0, "it was told of progress");
  let before = 0;
  for (const { id, data } of events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
    const counts = data["counts"] as Job["counts"];
    assertConserved({ counts });
    const { done, absent, failed } = counts.states;
    assert.ok(done + absent + failed >= before, `${id}: progress goes forward`);
    before = done + absent + failed;
  }
  assert.ok(before <= job.counts.accepted);
};
