import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { fetch } from "undici";
import { startMayors } from "./site.ts";
import { townsOf } from "./towns.ts";
import { truthOf } from "./truth.ts";

const TOWNS = 800;

test("every town has a page of its own, and of each kind of trouble there are some", () => {
  const towns = townsOf(7689);
  assert.equal(new Set(towns.map(({ path }) => path)).size, 7689);
  const kinds = Map.groupBy(truthOf(TOWNS), (truth) =>
    truth.state === "done" ? truth.quality : truth.fault,
  );
  for (const kind of ["complete", "partial", "cut", "portal", "gone", "error"] as const)
    assert.ok((kinds.get(kind)?.length ?? 0) > 1, kind);
});

test("all towns can be found from the front page, those on a border twice", async () => {
  await using site = await startMayors({ towns: TOWNS });
  const linksOn = async (path: string, pattern: RegExp): Promise<string[]> =>
    [...(await (await fetch(site.url + path)).text()).matchAll(pattern)].map(([, link]) => link!);
  const seen = new Set<string>(await linksOn("/", /href="(\/region\/[^"]+)"/g));
  assert.equal(seen.size, 18);
  const found: string[] = [];
  for (const listing of seen) {
    for (const page of await linksOn(listing, /href="(\/region\/[^"]+)"/g)) seen.add(page);
    found.push(...(await linksOn(listing, /href="(\/maire-de-[^"]+)"/g)));
  }
  assert.deepEqual(new Set(found), new Set(truthOf(TOWNS).map(({ path }) => path)));
  assert.ok(found.length > TOWNS, "some towns stand in two listings");
  assert.ok(seen.size > 18, "some listings have several pages");
});

test("a broken page answers as its record says, a good one with its values", async () => {
  await using site = await startMayors({ towns: TOWNS });
  const truths = truthOf(TOWNS);
  for (const [fault, status] of [
    ["gone", 404],
    ["error", 500],
    ["cut", 200],
    ["portal", 200],
  ] as const) {
    const truth = truths.find((one) => one.state === "failed" && one.fault === fault);
    const answer = await fetch(site.url + truth!.path);
    assert.equal(answer.status, status, fault);
    assert.doesNotMatch(await answer.text(), /<th scope/, fault);
  }
  const good = truths.find((one) => one.state === "done" && one.values["email"] !== null);
  const text = await (await fetch(site.url + good!.path)).text();
  assert.ok(good?.state === "done" && text.includes(good.values["email"]!));
});

test("a client that sends too many requests gets no answer, and neither do others", async () => {
  await using site = await startMayors({ towns: TOWNS, limit: 3, windowMs: 60_000 });
  for (let n = 0; n < 3; n++) await (await fetch(site.url)).text();
  const giveUp = new AbortController();
  const asked = fetch(site.url, { signal: giveUp.signal });
  while (site.requests.unanswered === 0) await setImmediate();
  giveUp.abort();
  await assert.rejects(asked, { name: "AbortError" });
  assert.deepEqual(site.requests, { total: 4, unanswered: 1 });
});
