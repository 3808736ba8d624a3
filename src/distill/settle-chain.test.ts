import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestSession } from "../collectors/http/testing/test-site.ts";
import { compileExtraction } from "../extraction/extract-spec.ts";
import { extractOf } from "./extract-spec.ts";
import { findTargets } from "./find-target.ts";
import type { Run } from "./run.ts";
import { probeOnce } from "./session.ts";
import { DistillError, type ProbeOptions, type Probed, settleChain } from "./settle-chain.ts";
import { parcelScraper } from "./testing/parcel-scraper.ts";
import { openScriptSite, type ScriptSiteOptions } from "./testing/script-site.ts";
import { visitByHand } from "./testing/visit-by-hand.ts";

const settled = async (options: ScriptSiteOptions, budget = 100) => {
  await using site = await openScriptSite(options);
  const visit = (parcel: string): Promise<Run> => visitByHand(site.url, parcel, options);
  const ready = parcelScraper(site.url);
  const present = [await visit("12"), await visit("2345")];
  const [target] = findTargets(ready, present);
  assert.ok(target);
  const absent = [await visit("19"), await visit("129")];
  const before = site.seen.length;
  const probe = async (asked: ProbeOptions): Promise<Probed> => {
    await using session = openTestSession(site.url);
    const extraction = compileExtraction(extractOf(asked.fields, ready.scraper.extract));
    return (await probeOnce(asked, session.http, extraction)).probed;
  };
  const required = ready.extraction!.required;
  const chain = await settleChain(target, { present, absent, required, probe, budget, onProgress: () => {} });
  return { chain, paths: chain.steps.map(({ path }) => path), sent: site.seen.length - before };
};

test("headers that the site does not need are left out, and the sign of absent is found", async () => {
  const { chain, paths } = await settled({});
  assert.deepEqual(paths, ["/", "/api/search", "/api/parcels/…"]);
  assert.deepEqual(
    chain.steps.map(({ parts }) =>
      parts.flatMap(({ in: place, name }) => (place === "header" ? [name] : [])),
    ),
    [[], ["x-csrf-token"], []],
  );
  assert.deepEqual(
    chain.steps.map(({ absent }) => absent),
    [undefined, { by: "json", path: "hits", value: [] }, undefined],
  );
  assert.deepEqual(chain.dropped, ["POST /ping"]);
});

test("a header that the site requires stays", async () => {
  const { chain } = await settled({ needsHeader: true });
  assert.deepEqual(
    chain.steps.map(({ parts }) =>
      parts.flatMap(({ in: place, name }) => (place === "header" ? [name] : [])),
    ),
    [[], ["x-csrf-token", "x-requested-with"], ["x-requested-with"]],
  );
});

test("the item keeps cookies, and the page that sets them is requested", async () => {
  assert.deepEqual((await settled({ needsCookie: true })).paths, ["/", "/api/search", "/api/parcels/…"]);
});

test("if the record's URL does not contain the input, the search before it is repeated", async () => {
  assert.deepEqual((await settled({ remembers: true, needsCookie: true })).paths, [
    "/",
    "/api/search",
    "/api/current",
  ]);
});

test("a record from two responses", async () => {
  const { chain, paths } = await settled({ isSplit: true });
  assert.deepEqual(paths, ["/", "/api/search", "/api/parcels/…", "/api/parcels/…/history"]);
  assert.deepEqual(
    chain.steps.map(({ keeps }) => keeps),
    [undefined, undefined, "detail", "detail-2"],
  );
});

test("the time is left out where the site ignores it", async () => {
  const { chain } = await settled({ hasTime: true });
  assert.deepEqual(chain.dropped, ["POST /ping", "query `_` of request 4 GET /api/parcels/…"]);
});

test("a request is tried once without its signature, then the signature is reported", async () => {
  await assert.rejects(settled({ isSigned: true }), (error) => {
    assert.ok(error instanceof DistillError);
    assert.equal(
      error.message,
      "request 4 GET /api/parcels/…: query `sig` changes between runs and comes from no earlier response",
    );
    return true;
  });
});

test("no more requests are sent than the budget allows", async () => {
  await assert.rejects(settled({}, 2), /the budget of 2 requests is used up/);
  const { chain, sent } = await settled({ needsHeader: true }, 14);
  assert.equal(chain.requests, sent);
  assert.ok(sent <= 14, `${sent} requests`);
});
