import assert from "node:assert/strict";
import type { TierSign } from "../../domain/proxy-ladder.ts";
import type { TierReport } from "../ledger.ts";
import { jobSpec, keysOf, type Kit, type LedgerTest, SITE } from "./test-kit.ts";

const LADDER = ["direct", "datacenter", "residential:us-tx"];
const PROXIED = ["datacenter"];

const report = (
  item: string,
  result: TierSign["result"],
  own: Partial<TierSign> = {},
  ladder = LADDER,
): TierReport => ({
  lane: SITE,
  ladder,
  sign: { at: 0, item, result, ...own },
});

const events = async (kit: Kit) =>
  (await kit.ledger.events.read({ types: ["lane.tier", "proxy.down"], limit: 99 })).map(
    ({ type, job, facts }) => ({ type, job, ...facts }),
  );

const DOWN = ["a", "b", "c"].map((item) => report(item, "proxy", { detail: "402 no credit" }, PROXIED));

export const proxyTiers = (test: LedgerTest): void => {
  test("a lane's tier is learned from the items of all workers, and returned with claims and pulses", async (kit) => {
    await kit.job("any", keysOf(9));
    await kit.job("elsewhere", ["x"], { lane: "other.test" });
    const [one, other] = [kit.worker("w1"), kit.worker("w2")];
    assert.equal((await one.claim(2)).tiers, undefined);
    const told = await one.pulse({ tiers: [report("k0", "good"), report("k0", "blocked")] });
    assert.deepEqual(
      told.tiers?.map(({ lane, ladder, state, now }) => [lane, ladder, state.at, state.blocked, now]),
      [[SITE, LADDER, 0, ["k0"], kit.nowMs]],
    );
    await other.claim(1);
    const moved = await other.pulse({ tiers: [report("k1", "blocked")] });
    assert.equal(moved.tiers?.[0]?.state.at, 1);
    assert.deepEqual(await events(kit), [
      {
        type: "lane.tier",
        job: "any",
        lane: SITE,
        from: "direct",
        to: "datacenter",
        why: moved.tiers[0].state.why,
      },
    ]);
    const grant = await kit.worker("w3").claim(1);
    assert.deepEqual(
      grant.tiers?.map(({ lane, ladder, state }) => [lane, ladder, state.at]),
      [[SITE, LADDER, 1]],
    );
    // A worker that reports nothing about the lane gets no answer about it, nor does one whose items are in other lanes.
    assert.equal((await one.pulse()).tiers, undefined);
    assert.equal((await kit.worker("w4").claim(9, { lanes: ["other.test"] })).tiers, undefined);
  });

  test("the learned tier survives its workers and the process", async (kit) => {
    await kit.job("any", keysOf(9));
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await one.claim(2);
    await two.claim(2);
    await one.pulse({ tiers: [report("k0", "blocked")] });
    await kit.ledger.reap({ worker: "w1", cause: { blame: "unknown", detail: "killed" } });
    await two.pulse({ tiers: [report("k2", "blocked")] });
    await kit.ledger.reap({ worker: "w2", cause: { blame: "unknown", detail: "killed" } });
    const grant = await kit.worker("w3", await kit.another()).claim(1);
    assert.equal(grant.tiers?.[0]?.state.at, 1);
  });

  test("a pulse that is sent again does not change the tier, and gets the same answer", async (kit) => {
    await kit.job("any", keysOf(9));
    const worker = kit.worker();
    await worker.claim(1, { number: 1 });
    const signs = [report("k0", "blocked"), report("k1", "blocked"), report("k2", "good", { at: 1 })];
    const pulse = { number: 2, tiers: signs };
    const first = await worker.pulse(pulse);
    assert.equal(first.tiers?.[0]?.state.at, 1);
    await worker.pulse({ number: 3, tiers: [report("k1", "blocked", { at: 1 })] });
    await worker.pulse(pulse);
    const again = await worker.pulse({ number: 3, tiers: [report("k2", "blocked", { at: 1 })] });
    assert.deepEqual([again.tiers?.[0]?.state.at, again.tiers?.[0]?.state.blocked], [1, ["k1"]]);
    assert.equal((await events(kit)).length, 1);
    // Nor does one of a worker that is no longer known.
    const lost = { number: 5, tiers: [report("k2", "blocked", { at: 1 })] };
    await kit.worker("w9").pulse(lost);
    await kit.worker("w9").pulse({ ...lost, tiers: [report("k3", "blocked", { at: 2 })] });
    const last = (await worker.pulse({ tiers: [report("k4", "good")] })).tiers?.[0]?.state;
    assert.deepEqual([last?.at, last?.blocked], [2, []]);
    assert.equal((await events(kit)).length, 2);
  });

  test("a tier that is down is reported, and a lane without another is held until it may work again", async (kit) => {
    await kit.job("any", keysOf(9));
    const worker = kit.worker();
    await worker.claim(2);
    const reply = await worker.pulse({ tiers: DOWN });
    assert.deepEqual(reply.unpaced, []);
    const why = "no proxy tier works: datacenter: 402 no credit";
    assert.deepEqual(await events(kit), [
      {
        type: "proxy.down",
        job: "any",
        lane: SITE,
        tier: "datacenter",
        why: "402 no credit",
        isHeld: true,
      },
    ]);
    const [lane] = await kit.ledger.listLanes({ limit: 9 });
    assert.deepEqual([lane?.holdMs, lane?.holdReason], [60_000, why]);
    const held = await kit.worker("w2").claim();
    assert.deepEqual([held.items, held.againInMs], [[], 60_000]);
    kit.pass(60_000);
    assert.ok((await kit.worker("w2").claim()).items.length > 0);
  });

  test("a good item on a tier that was down lets the lane continue", async (kit) => {
    await kit.job("any", keysOf(9));
    const worker = kit.worker();
    await worker.claim(2);
    await worker.pulse({ tiers: DOWN });
    await worker.pulse({ tiers: [report("k1", "good", {}, PROXIED)] });
    assert.equal((await kit.ledger.listLanes({ limit: 9 }))[0]?.holdMs, 0);
    assert.ok((await kit.worker("w2").claim()).items.length > 0);
  });

  test("a tier that is down is skipped if another works", async (kit) => {
    await kit.job("any", keysOf(9));
    const worker = kit.worker();
    await worker.claim(2);
    const { tiers } = await worker.pulse({ tiers: DOWN.map((one) => ({ ...one, ladder: LADDER })) });
    assert.equal(tiers?.[0]?.state.at, 1);
    assert.deepEqual(
      (await events(kit)).map(({ type }) => type),
      ["lane.tier", "proxy.down"],
    );
    assert.equal((await kit.ledger.listLanes({ limit: 9 }))[0]?.holdMs, 0);
  });

  test("a job shows the ladders of its own scrapers, and lanes show all", async (kit) => {
    const [root] = jobSpec("own").scrapers;
    await kit.job("own", keysOf(3), { scrapers: [{ ...root!, proxies: PROXIED }] });
    await kit.job("plain", keysOf(3));
    const worker = kit.worker();
    await worker.claim(2);
    await worker.pulse({ tiers: [...DOWN, report("a", "blocked"), report("b", "blocked")] });
    const held = "no proxy tier works: datacenter: 402 no credit";
    const outages = [{ tier: "datacenter", why: "402 no credit", untilAt: kit.nowMs + 60_000 }];
    const down = { ladder: PROXIED, tier: "datacenter", outages, held };
    assert.deepEqual((await kit.ledger.readJob("own"))?.ladders, [{ lane: SITE, ...down }]);
    assert.equal((await kit.ledger.readJob("plain"))?.ladders, undefined);
    const [lane] = await kit.ledger.listLanes({ limit: 1 });
    assert.deepEqual(
      lane?.ladders?.map(({ ladder, tier, sinceAt }) => [ladder, tier, sinceAt]),
      [
        [PROXIED, "datacenter", undefined],
        [LADDER, "datacenter", kit.nowMs],
      ],
    );
    kit.pass(60_000);
    assert.deepEqual((await kit.ledger.readJob("own"))?.ladders?.[0]?.outages, []);
  });

  test("an outage lasts as long when the clock is set back", async (kit) => {
    await kit.job("any", keysOf(9));
    const worker = kit.worker();
    await worker.claim(2);
    const { tiers } = await worker.pulse({ tiers: DOWN });
    const lastsMs = (reply: typeof tiers): number => reply![0]!.state.outages[0]!.until - reply![0]!.now;
    assert.equal(lastsMs(tiers), 60_000);
    kit.setClock(-3_600_000);
    const again = await worker.pulse({ tiers: [report("z", "proxy", {}, PROXIED)] });
    assert.equal(lastsMs(again.tiers), 60_000);
  });

  test("a lane remembers a few ladders, until an operator resets it", async (kit) => {
    await kit.job("any", keysOf(9));
    const worker = kit.worker();
    await worker.claim(1);
    const many = Array.from({ length: 30 }, (_, n) => report("k", "blocked", {}, ["direct", `t${n}`]));
    await worker.pulse({ tiers: many });
    const known = async () => (await kit.worker("w2").claim(1)).tiers?.map(({ ladder }) => ladder[1]);
    const kept = await known();
    assert.deepEqual([kept?.length, kept?.at(-1), kept?.includes("t9")], [20, "t29", false]);
    await kit.ledger.controlLane(SITE, { isReset: true });
    assert.equal(await known(), undefined);
  });
};
