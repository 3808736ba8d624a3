import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Deployment, Scraper, ScraperEntry } from "../../schemas/operations.ts";
import { MOST_BUNDLE_BYTES } from "../../scrapers/bundle.ts";
import { loadPinned } from "../../scrapers/load-pinned.ts";
import { type ApiKit, openApiKit } from "../testing/api-kit.ts";
import { declaredBundle } from "../testing/declared-bundle.ts";
import type { ProblemBody } from "../answers.ts";

let kit: ApiKit;
let acme: string;
let operator: string;
before(async () => {
  kit = await openApiKit();
  acme = await kit.addClient("acme");
  operator = await kit.addClient("ops", "operator");
});
after(() => kit[Symbol.asyncDispose]());

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const headers = { "content-type": "application/octet-stream" };
const deploy = async (name: string, body: Uint8Array | string, key = operator, query = "") =>
  await kit.ask<Deployment & ProblemBody>("PUT", `/v1/scrapers/${name}/bundle${query}`, {
    key,
    body,
    headers,
  });

test("an operator deploys; the newest version is what the name means, and earlier jobs keep theirs", async () => {
  const first = await deploy("town", declaredBundle("town"), operator, `?commit=${COMMIT}`);
  assert.equal(first.status, 201);
  const { by, commit, isNew, bytes } = first.body;
  assert.match(by, /^key:/);
  assert.deepEqual([commit, isNew, bytes], [COMMIT, true, declaredBundle("town").length]);
  const again = await deploy("town", declaredBundle("town"));
  assert.deepEqual([again.status, again.body], [200, { ...first.body, isNew: false }]);

  const shown = await kit.ask<Scraper>("GET", "/v1/scrapers/town", { key: acme });
  assert.deepEqual([shown.body.version, shown.body.site], [first.body.version, "https://x.example"]);
  const list = await kit.ask<{ data: ScraperEntry[] }>("GET", "/v1/scrapers", { key: acme });
  assert.ok(list.body.data.some(({ name, problem }) => name === "town" && problem === undefined));
  const created = await kit.ask<{ job: { id: string } }>("POST", "/v1/jobs", {
    key: acme,
    json: { scraper: "town", inputs: [{ id: "1" }] },
  });
  assert.equal(created.status, 201);

  const second = await deploy("town", declaredBundle("town", "https://y.example"));
  assert.notEqual(second.body.version, first.body.version);
  const now = await kit.ask<Scraper>("GET", "/v1/scrapers/town", { key: acme });
  assert.equal(now.body.version, second.body.version);
  const { spec } = (await kit.ledger.readJob(created.body.job.id))!;
  assert.deepEqual([spec.source, spec.version], ["deployed:town", first.body.version]);
  assert.equal((await loadPinned(spec, kit.blobs)).scraper.site, "https://x.example");

  // An earlier version that is deployed again is the newest.
  const back = await deploy("town", declaredBundle("town"));
  assert.deepEqual([back.status, back.body.version], [201, first.body.version]);
});

test("a client cannot deploy, and what is no bundle, or another's, is refused", async () => {
  const refused = await deploy("mine", declaredBundle("mine"), acme);
  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  for (const [name, body, problem] of [
    ["mine", declaredBundle("other"), /bundle of other/],
    ["mine", "{}", /not a bundle/],
    ["mine", declaredBundle("mine").toString().replace("/{{id}}", "/x/{{id}}"), /in version/],
    ["mine", declaredBundle("mine").toString().replaceAll("code/it", "code/../../it"), /not a bundle/],
  ] as const) {
    const { status, body: answer } = await deploy(name, body);
    assert.deepEqual([status, answer.code], [422, "broken-scraper"]);
    assert.match(answer.detail, problem);
  }
  assert.equal((await deploy("mine", Buffer.alloc(MOST_BUNDLE_BYTES + 1))).status, 413);
  const json = await kit.ask("PUT", "/v1/scrapers/mine/bundle", { key: operator, json: {} });
  assert.equal(json.status, 415);
  const found = await Array.fromAsync(kit.blobs.list("service/deployed/mine"));
  assert.deepEqual(found, []);
});
