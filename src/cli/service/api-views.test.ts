import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "../../client.ts";
import { ITEM_STATES } from "../../domain/item.ts";
import { jobOfApi } from "./api-views.ts";

const counts = { present: 1, empty: 0, missing: 2, malformed: 0 };
const job: Job = {
  id: "job",
  client: "tax",
  scraper: "list",
  version: "1",
  scrapers: [
    { name: "list", version: "1" },
    { name: "detail", version: "2", proxies: ["direct", "datacenter"] },
  ],
  state: "done",
  isSealed: true,
  isBatch: false,
  createdAt: "2026-11-16T00:00:00.000Z",
  options: { priority: 0, pace: { perSecond: null, burst: 1, concurrency: 1 }, extracts: true },
  labels: {},
  counts: {
    received: 0,
    accepted: 0,
    folded: 0,
    rejected: 0,
    capped: 0,
    partial: 0,
    states: Object.fromEntries(ITEM_STATES.map((state) => [state, 0])) as Job["counts"]["states"],
  },
  cappedBy: { items: 0, depth: 0, chain: 0, budget: 0, quota: 0 },
  progress: { ended: 0, share: 0, perSecond: null, etaAt: null },
  failures: [],
  attemptFailures: {},
  fields: {
    name: { ...counts, isOptional: true },
    "detail.owner": { ...counts, isOptional: false },
    "detail.note": { ...counts, isOptional: true },
  },
  held: [],
  rejects: [],
  cost: { requests: 0, bytes: 0 },
  costs: { datacenter: { requests: 3, bytes: 1000, cost: 0.25 } },
  totalCost: 0.25,
  proxies: [
    {
      lane: "a.test",
      ladder: ["direct", "datacenter"],
      tier: "datacenter",
      why: "direct is blocked",
      since: "2026-11-16T00:00:00.000Z",
      outages: [],
    },
  ],
};

test("costs and proxy tiers of a server's job read as those of a data folder", () => {
  const { costs, ladders, spec } = jobOfApi(job);
  assert.deepEqual(costs, { datacenter: { requests: 3, bytes: 1000, microCost: 250_000 } });
  assert.deepEqual(
    ladders?.map(({ lane, tier, sinceAt }) => [lane, tier, sinceAt]),
    [["a.test", "datacenter", Date.UTC(2026, 10, 16)]],
  );
  assert.deepEqual(spec.scrapers[1]?.proxies, ["direct", "datacenter"]);
});

test("each scraper of a server's job has its own fields, and knows which are required", () => {
  const { spec } = jobOfApi(job);
  assert.deepEqual(spec.required, ["detail.owner"]);
  assert.deepEqual(
    spec.scrapers.map(({ name, fields, required }) => [name, fields, required]),
    [
      ["list", ["name"], []],
      ["detail", ["owner", "note"], ["owner"]],
    ],
  );
});
