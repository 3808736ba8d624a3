import assert from "node:assert/strict";
import { test } from "node:test";
import { jobSpec } from "../../ports/ledger-suite/test-kit.ts";
import type { LedgerEvent } from "../../ports/ledger.ts";
import { clientInfo } from "../../ports/registry-suite/test-kit.ts";
import { endpoint } from "../testing/notify-kit.ts";
import { deliveriesOf } from "./delivery-of.ts";

const EVENT: LedgerEvent = { id: 7, at: 1000, type: "job.started", job: "a", facts: {} };
const CLIENT = clientInfo("team", {
  webhooks: [endpoint("e1", "https://a.test"), endpoint("e2", "https://b.test")],
});

const idsOf = (event: LedgerEvent): string[] => deliveriesOf(event, jobSpec("a"), CLIENT).map(({ id }) => id);

test("a message keeps its id when it is made again, and shares it with no other", () => {
  assert.deepEqual(idsOf(EVENT), idsOf(EVENT));
  const all = [...idsOf(EVENT), ...idsOf({ ...EVENT, id: 8 }), ...idsOf({ ...EVENT, at: 1001 })];
  assert.equal(new Set(all).size, 6);
  for (const id of all) assert.match(id, /^msg_[\w-]{27}$/);
});

test("what an event says of itself does not change whose job it is", () => {
  const facts = { job: "other", client: "other", reason: "asked for" };
  const [made] = deliveriesOf({ ...EVENT, facts }, jobSpec("a"), CLIENT);
  const { data } = JSON.parse(made?.body ?? "") as { data: Record<string, unknown> };
  assert.deepEqual([data["job"], data["client"], data["reason"]], ["a", "team", "asked for"]);
});

test("evidence goes out as the API shows it: items by their ids, captures without their places in the archive", () => {
  const capture = {
    name: "page",
    url: "https://a.test/1",
    mediaType: "text/html",
    digest: "sha256:00",
    blob: "jobs/of-another-client/captures/1.warc.gz",
    offset: 7,
    length: 9,
  };
  const evidence = {
    chart: "failures",
    reason: "20 of the last 20 attempts failed",
    counts: { blocked: 20 },
    sinceMs: 0,
    heals: true,
    examples: [{ queue: 3, seq: 4, key: "k", kind: "blocked", detail: "403", captures: [capture] }],
  };
  const held = [{ lane: "a.test", evidence }];
  for (const [type, facts] of [
    ["lane.held", { lane: "a.test", evidence }],
    ["job.paused", { reason: "all of its lanes are held", held }],
  ] as const) {
    const [made] = deliveriesOf({ ...EVENT, type, facts }, jobSpec("a"), CLIENT);
    const { data } = JSON.parse(made!.body) as { data: typeof facts & { held?: typeof held } };
    assert.ok(!made!.body.includes("of-another-client"));
    assert.deepEqual("evidence" in data ? data.evidence : data.held[0]?.evidence, {
      chart: "failures",
      reason: "20 of the last 20 attempts failed",
      counts: { blocked: 20 },
      since: "1970-01-01T00:00:00.000Z",
      heals: true,
      examples: [
        {
          item: "3-4",
          key: "k",
          kind: "blocked",
          detail: "403",
          captures: [
            {
              number: 0,
              name: "page",
              url: "https://a.test/1",
              mediaType: "text/html",
              digest: "sha256:00",
              storedBytes: 9,
              isFile: false,
            },
          ],
        },
      ],
    });
  }
});
