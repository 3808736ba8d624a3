import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneBacklog } from "../domain/scale.ts";
import type { Backlog } from "../ports/ledger.ts";
import { Scaler } from "./scaler.ts";

const lanes = (count: number, kind: LaneBacklog["kind"] = "http"): LaneBacklog => ({
  kind,
  perSecond: Infinity,
  places: 1,
  ready: 1,
  lanes: count,
  items: count * 1000,
});

const open = (own: Partial<ConstructorParameters<typeof Scaler>[0]> = {}) => {
  const state: { backlog: LaneBacklog[]; asked?: unknown } = { backlog: [] };
  const readBacklog = async (of?: unknown): Promise<Backlog> => {
    state.asked = of;
    return { lanes: state.backlog, workers: [], work: {} };
  };
  return { state, scaler: new Scaler({ ledger: { readBacklog }, min: 0, max: 8, ...own }) };
};

test("processes are added at once, and removed only after they were not needed for a while", async () => {
  const { state, scaler } = open();
  assert.equal(await scaler.look(0), 0);
  state.backlog = [lanes(500)];
  assert.equal(await scaler.look(1000), 4);
  state.backlog = [];
  assert.equal(await scaler.look(2000), 4);
  state.backlog = [lanes(200)];
  assert.equal(await scaler.look(5000), 4);
  assert.equal(await scaler.look(6000), 2);
  state.backlog = [];
  assert.equal(await scaler.look(10_000), 2);
  assert.equal(await scaler.look(11_000), 0);
});

test("the number stays within its bounds, and counts only the kinds and lanes that it takes", async () => {
  const both = [lanes(500), lanes(30, "browser")];
  for (const [own, expected] of [
    [{}, 8],
    [{ max: 64 }, 15],
    [{ kinds: ["http"] }, 4],
    [{ kinds: ["browser", "auto"], max: 64 }, 11],
    [{ kinds: ["http"], max: 3 }, 3],
    [{ kinds: ["http"], min: 6 }, 6],
  ] as const) {
    const { state, scaler } = open(own);
    state.backlog = both;
    assert.equal(await scaler.look(0), expected, JSON.stringify(own));
  }
  const { state, scaler } = open({ lanes: ["a.test"] });
  await scaler.look(0);
  assert.deepEqual(state.asked, { lanes: ["a.test"] });
});
