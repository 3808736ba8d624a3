import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PROTOCOL, PROTOCOL_HEADER } from "../../ports/ledger-wire.ts";
import { loadPinned } from "../../scrapers/load-pinned.ts";
import type { Scraper, ScraperEntry } from "../../schemas/operations.ts";
import { type ApiKit, openApiKit } from "../testing/api-kit.ts";
import type { ProblemBody } from "../answers.ts";

const DECLARED = {
  kind: "recording",
  input: { parcel: "string" },
  key: "{{parcel}}",
  recording: {
    title: "Search",
    steps: [
      { type: "navigate", url: "https://tax.example.gov/parcel/{{parcel}}" },
      { type: "click", selectors: [["#show"]] },
    ],
  },
  extract: { fields: { owner: { type: "text", label: "Owner" } } },
};

let kit: ApiKit;
let acme: string;
let other: string;
let operator: string;
before(async () => {
  kit = await openApiKit();
  acme = await kit.addClient("acme");
  other = await kit.addClient("other");
  operator = await kit.addClient("ops", "operator");
});
after(() => kit[Symbol.asyncDispose]());

const put = async (name: string, changes: object = {}, key = acme) =>
  await kit.ask<Scraper & ProblemBody>("PUT", `/v1/scrapers/${name}`, {
    key,
    json: { ...DECLARED, ...changes },
  });
const namesFor = async (key: string): Promise<string[]> => {
  const { body } = await kit.ask<{ data: ScraperEntry[] }>("GET", "/v1/scrapers", { key });
  return body.data.map(({ name }) => name);
};
const submit = async (scraper: string, key: string) =>
  await kit.ask<{ job: { id: string } } & ProblemBody>("POST", "/v1/jobs", {
    key,
    json: { scraper, inputs: [{ parcel: "1" }], seal: false },
  });

test("a registered scraper is listed for its client and for operators, and nobody else", async () => {
  const { status, body } = await put("acme.county");
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(body.kind, "recording");
  assert.equal(body.owner, "acme");
  assert.deepEqual(body.fields, [{ name: "owner", isRequired: true }]);
  assert.equal(body.site, "https://tax.example.gov");
  assert.ok((await namesFor(acme)).includes("acme.county"));
  assert.ok((await namesFor(operator)).includes("acme.county"));
  assert.ok(!(await namesFor(other)).includes("acme.county"));
  const seen = async (key: string) => (await kit.ask("GET", "/v1/scrapers/acme.county", { key })).status;
  assert.deepEqual(await Promise.all([acme, operator, other].map(seen)), [200, 200, 404]);
});

test("jobs of its client and of operators can use it, and keep the version that they began with", async () => {
  const first = (await put("acme.tax")).body.version;
  const { status, body } = await submit("acme.tax", acme);
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal((await submit("acme.tax", operator)).status, 201);
  assert.equal((await submit("acme.tax", other)).body.code, "unknown-scraper");
  assert.equal((await put("acme.tax")).status, 200, "the same content is the same version");
  const changed = await put("acme.tax", { extract: { fields: { owner: "#owner" } } });
  assert.equal(changed.status, 201);
  assert.notEqual(changed.body.version, first);
  const { spec } = (await kit.ledger.readJob(body.job.id))!;
  assert.equal(spec.version, first);
  assert.equal(spec.scrapers[0]?.kind, "recording");
  const pinned = await loadPinned(spec, kit.blobs);
  assert.equal(pinned.version, first);
  assert.equal(pinned.scraper.owner, "acme");
  await assert.rejects(loadPinned(spec), { code: "unknown-scraper", message: /registered with a server/ });
  const more = await kit.ask("POST", `/v1/jobs/${body.job.id}/inputs`, {
    key: acme,
    body: '{"parcel":"2"}\n',
    headers: { "content-type": "application/x-ndjson" },
  });
  assert.equal(more.status, 200, JSON.stringify(more.body));
});

test("a removed scraper is gone for new jobs, and stays for those that have it", async () => {
  await put("acme.gone");
  const { body } = await submit("acme.gone", acme);
  const remove = async (key: string) => (await kit.ask("DELETE", "/v1/scrapers/acme.gone", { key })).status;
  assert.equal(await remove(other), 404);
  assert.equal(await remove(acme), 200);
  assert.equal(await remove(acme), 404);
  assert.equal((await submit("acme.gone", acme)).body.code, "unknown-scraper");
  const { spec } = (await kit.ledger.readJob(body.job.id))!;
  assert.equal((await loadPinned(spec, kit.blobs)).scraper.name, "acme.gone");
  assert.equal((await put("acme.gone")).status, 201, "it can be registered again");
});

test("a client's scraper runs no code, and asks no more of a site than the defaults", async () => {
  const refuses = async (changes: object, message: RegExp): Promise<void> => {
    const { status, body } = await put("acme.bad", changes);
    assert.equal(status, 422);
    assert.equal(body.code, "broken-scraper");
    assert.match(body.detail, message);
  };
  const expression = { type: "waitForExpression", expression: "true" };
  await refuses({ recording: { steps: [...DECLARED.recording.steps, expression] } }, /Step 3 .*runs code/);
  await refuses({ recording: { file: "../x.json" } }, /not the name of a file/);
  await refuses({ input: { parcel: { pattern: "(a+)+" } } }, /patterns are only for scrapers of operators/);
  await refuses({ extract: { fields: { x: { regex: "(a+)+" } } } }, /patterns are only/);
  await refuses({ extract: { fields: { x: { select: "a[" } } } }, /bad selector/);
  await refuses({ robots: "ignore" }, /no option `robots`/);
  await refuses({ identity: "browser" }, /no option `identity`/);
  await refuses({ lane: "shared" }, /no option `lane`/);
  await refuses({ headers: { a: "b" } }, /no option `headers`/);
  await refuses({ pace: { perSecond: 100 } }, /`pace\.perSecond` of a registered scraper can be at most 2/);
  await refuses({ limits: { itemMs: 10_000_000 } }, /`limits\.itemMs`/);
  await refuses({ name: "acme.other" }, /`name` is not acme\.bad/);
  const foreign = await put("other.county");
  assert.match(foreign.body.detail, /begin with the client's name: acme\.NAME/);
  const large = await put("acme.large", { recording: { steps: [], note: "x".repeat(1_100_000) } });
  assert.equal(large.status, 413);
});

test("workers on other machines may read the scrapers of clients, and not write them", async () => {
  const worker = await kit.addClient("acme", "worker");
  const headers = { [PROTOCOL_HEADER]: String(PROTOCOL) };
  const read = await kit.raw("GET", "/v1/blobs?prefix=service/scrapers/acme/", { key: worker, headers });
  const written = await kit.raw("PUT", "/v1/blobs/service/scrapers/acme/x/000001-a.json", {
    key: worker,
    headers: { ...headers, "content-type": "application/octet-stream", "content-length": "2" },
    body: "{}",
  });
  assert.equal(read.status, 200);
  assert.match(await read.text(), /acme\.county\/000001-/);
  assert.equal(written.status, 403);
});
