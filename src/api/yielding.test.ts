import assert from "node:assert/strict";
import { test } from "node:test";
import { caller, yielding } from "./yielding.ts";

class Ledger {
  readonly #name = "ledger";
  readonly size = 3;
  readonly events = { last: async (after: number) => after + 1 };

  async work(): Promise<string> {
    for (const from = performance.now(); performance.now() - from < 2;);
    return this.#name;
  }
}

test("a long series of calls lets other work of the process run in between", async () => {
  const ledger = yielding(new Ledger());
  let isOver = false;
  let others = 0;
  const other = (): void => {
    others++;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  for (let n = 0; n < 50; n++) await ledger.work();
  isOver = true;
  assert.ok(others > 0);
});

test("many calls of one client do not delay those of another", async () => {
  const ledger = yielding(new Ledger());
  let done = 0;
  const many = Array.from({ length: 100 }, () =>
    caller.run("one", async () => {
      await ledger.work();
      done++;
    }),
  );
  await caller.run("another", () => ledger.work());
  assert.ok(done < 50, `${done} calls came first`);
  await Promise.all(many);
});

test("everything else stays as it is", async () => {
  const ledger = yielding(new Ledger());
  assert.equal(ledger.size, 3);
  assert.equal(await ledger.work(), "ledger");
  assert.equal(await ledger.events.last(1), 2);
  assert.equal(ledger.events, ledger.events);
  assert.equal("work" in ledger, true);
});
