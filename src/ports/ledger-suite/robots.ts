import assert from "node:assert/strict";
import { type LedgerTest, LEASE_MS } from "./test-kit.ts";

const ORIGIN = "https://site.test";

export const robots = (test: LedgerTest): void => {
  test("one worker at a time may fetch robots.txt, and all get the result", async (kit) => {
    const other = await kit.another();
    await kit.worker("w1").claim();
    await kit.worker("w2", other).claim();
    assert.deepEqual(await kit.ledger.readRobots(ORIGIN, "w1"), { mayFetch: true });
    const wait = await other.readRobots(ORIGIN, "w2");
    assert.ok("mayFetch" in wait && !wait.mayFetch && wait.againInMs > 0);
    assert.deepEqual(await other.readRobots("https://other.test", "w2"), { mayFetch: true });
    await kit.ledger.keepRobots(ORIGIN, { text: "User-agent: *\nDisallow: /x", keepMs: 1000 });
    kit.pass(400);
    assert.deepEqual(await other.readRobots(ORIGIN, "w2"), {
      known: { text: "User-agent: *\nDisallow: /x", keepMs: 600 },
    });
    assert.deepEqual(await other.readRobots(ORIGIN, "w1"), {
      known: { text: "User-agent: *\nDisallow: /x", keepMs: 600 },
    });
  });

  test("that there is no robots.txt is kept as well", async ({ ledger }) => {
    await ledger.keepRobots(ORIGIN, { text: null, keepMs: 1000 });
    assert.deepEqual(await ledger.readRobots(ORIGIN, "w1"), { known: { text: null, keepMs: 1000 } });
  });

  test("when it expires, one worker fetches it again", async (kit) => {
    const { ledger } = kit;
    await kit.worker("w1").claim();
    await ledger.keepRobots(ORIGIN, { text: "", keepMs: 1000 });
    kit.pass(1001);
    assert.deepEqual(await ledger.readRobots(ORIGIN, "w1"), { mayFetch: true });
    assert.equal("mayFetch" in (await ledger.readRobots(ORIGIN, "w2")), true);
    assert.notDeepEqual(await ledger.readRobots(ORIGIN, "w2"), { mayFetch: true });
  });

  test("if the fetching worker dies or stays silent, another one may fetch", async (kit) => {
    const { ledger } = kit;
    const [one, two] = [kit.worker("w1"), kit.worker("w2")];
    await one.claim();
    await two.claim();
    await ledger.readRobots(ORIGIN, "w1");
    await ledger.reap({ worker: "w1" });
    assert.deepEqual(await ledger.readRobots(ORIGIN, "w2"), { mayFetch: true });
    for (let i = 0; i < 30; i++) {
      kit.pass(LEASE_MS - 1);
      await two.pulse();
    }
    assert.deepEqual(await ledger.readRobots(ORIGIN, "w3"), { mayFetch: true });
  });
};
