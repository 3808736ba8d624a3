import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AlertBook, dueAlerts, endAlert, keepChannels, markTold, raiseAlert } from "./alert-rules.ts";

const GROUP_MS = 30_000;
const NONE = { raised: [], over: [] };

test("alerts of a burst are told together, and only once while they last", () => {
  let book = raiseAlert({}, "a", "a is wrong", 0);
  book = raiseAlert(book, "b", "b is wrong", 20_000);
  assert.deepEqual(dueAlerts(book, "ops", GROUP_MS - 1), NONE);
  const due = dueAlerts(book, "ops", GROUP_MS);
  assert.deepEqual(due, { raised: ["a", "b"], over: [] });
  book = markTold(book, "ops", due);
  book = raiseAlert(book, "a", "a is still wrong", 90_000);
  assert.deepEqual(dueAlerts(book, "ops", 1e9), NONE);
});

test("what was told is taken back, and then forgotten", () => {
  let book = markTold(raiseAlert({}, "a", "wrong", 0), "ops", { raised: ["a"], over: [] });
  book = endAlert(book, "a", "right");
  const due = dueAlerts(book, "ops", 0);
  assert.deepEqual(due, { raised: [], over: ["a"] });
  assert.deepEqual(markTold(book, "ops", due), {});
});

test("what is over before anybody was told is never told", () => {
  assert.deepEqual(endAlert(raiseAlert({}, "a", "wrong", 0), "a", "right"), {});
});

test("what is wrong again before its end was told is not told anew", () => {
  let book = markTold(raiseAlert({}, "a", "wrong", 0), "ops", { raised: ["a"], over: [] });
  book = raiseAlert(endAlert(book, "a", "right"), "a", "wrong", 5);
  assert.deepEqual(dueAlerts(book, "ops", 1e9), NONE);
});

test("each channel hears for itself: one that was never told hears of no end", () => {
  let book = markTold(raiseAlert({}, "a", "wrong", 0), "ops", { raised: ["a"], over: [] });
  assert.deepEqual(dueAlerts(book, "mail", GROUP_MS).raised, ["a"]);
  book = endAlert(book, "a", "right");
  assert.deepEqual(dueAlerts(book, "mail", GROUP_MS), NONE);
  assert.deepEqual(dueAlerts(book, "ops", 0).over, ["a"]);
  assert.deepEqual(keepChannels(book, ["mail"]), {}, "a channel that is gone holds nothing up");
});

test("whatever happens, a channel hears wrong and right in turn, and in the end the truth", () => {
  const step = fc.record({
    id: fc.constantFrom("a", "b"),
    isBad: fc.boolean(),
    passMs: fc.nat(GROUP_MS),
    works: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let book: AlertBook = {};
      let now = 0;
      const isBad = new Map<string, boolean>();
      const heard = new Map<string, boolean>();
      const tell = (): void => {
        const due = dueAlerts(book, "ops", now);
        for (const [ids, wrong] of [[due.raised, true] as const, [due.over, false] as const])
          for (const id of ids) {
            assert.notEqual(heard.get(id) ?? false, wrong, "nothing is said twice");
            heard.set(id, wrong);
          }
        book = markTold(book, "ops", due);
      };
      for (const { id, isBad: bad, passMs, works } of steps) {
        now += passMs;
        isBad.set(id, bad);
        book = bad ? raiseAlert(book, id, "wrong", now) : endAlert(book, id, "right");
        if (works) tell();
      }
      now += GROUP_MS;
      tell();
      for (const id of ["a", "b"]) assert.equal(heard.get(id) ?? false, isBad.get(id) ?? false);
    }),
  );
});
