import assert from "node:assert/strict";
import { test } from "node:test";
import { jobSpec } from "../../ports/ledger-suite/world.ts";
import type { LedgerEvent } from "../../ports/ledger.ts";
import { clientCard } from "../../ports/registry-suite/world.ts";
import { endpoint } from "../telling-house.suite.ts";
import { deliveriesOf } from "./delivery-of.ts";

const EVENT: LedgerEvent = { id: 7, at: 1000, type: "job.started", job: "a", facts: {} };
const CLIENT = clientCard("team", {
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
