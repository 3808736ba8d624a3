import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiKit } from "../testing/api-kit.ts";

interface Lane {
  readonly lane: string;
  readonly perSecond: number | null;
  readonly operatorPerSecond: number | null;
  readonly isHeld: boolean;
  readonly backlog: number;
}

test("an operator finds a lane by name among similar ones, limits it, holds it, and undoes both", async () => {
  await using kit = await openApiKit();
  const hosts = ["a.example", "a.example.org", "127.0.0.1:8080", "aa.example", "a.exampld"];
  await kit.ask("POST", "/v1/batches", { json: { urls: hosts.map((host) => `http://${host}/`) } });
  const { body } = await kit.ask<{ data: Lane[] }>("GET", "/v1/lanes");
  assert.deepEqual(
    body.data.map(({ lane }) => lane),
    [...hosts].sort(),
  );
  for (const host of hosts) {
    const { body: found } = await kit.ask<Lane>("GET", `/v1/lanes/${encodeURIComponent(host)}`);
    assert.deepEqual([found.lane, found.backlog], [host, 1]);
  }
  const control = async (json: object) =>
    (await kit.ask<Lane>("PATCH", "/v1/lanes/a.example", { json })).body;
  assert.deepEqual(
    [(await control({ perSecond: 0.5 })).perSecond, (await control({ isHeld: true })).isHeld],
    [0.5, true],
  );
  const back = await control({ perSecond: null, isHeld: false });
  assert.deepEqual([back.operatorPerSecond, back.perSecond, back.isHeld], [null, 2, false]);
  assert.equal((await kit.ask("PATCH", "/v1/lanes/none.example", { json: { isHeld: true } })).status, 404);
});

test("lanes are paged by name", async () => {
  await using kit = await openApiKit();
  const urls = Array.from({ length: 25 }, (_, n) => `http://h${n}.example/`);
  await kit.ask("POST", "/v1/batches", { json: { urls } });
  const found: string[] = [];
  for (let cursor = ""; ;) {
    const { body } = await kit.ask<{ data: Lane[]; next?: string }>("GET", `/v1/lanes?limit=10${cursor}`);
    found.push(...body.data.map(({ lane }) => lane));
    if (body.next === undefined) break;
    cursor = `&cursor=${body.next}`;
  }
  assert.deepEqual(found, urls.map((url) => new URL(url).host).sort());
});

test("an operator resets a lane; a rate out of its range is refused with the range", async () => {
  await using kit = await openApiKit();
  await kit.ask("POST", "/v1/batches", { json: { urls: ["http://a.example/"] } });
  const control = (json: object) => kit.ask<Lane & Refusal>("PATCH", "/v1/lanes/a.example", { json });
  await control({ isHeld: true, perSecond: 1 });
  const { body } = await control({ reset: true });
  assert.deepEqual([body.isHeld, body.perSecond], [false, 1]);
  for (const perSecond of [1e-300, 0, -1, 1e9]) {
    const refused = await control({ perSecond });
    assert.equal(refused.status, 400, String(perSecond));
    assert.match(JSON.stringify(refused.body), /perSecond.*one per day/);
  }
});

test("lanes that are held are listed alone, and a job's owner sees the lanes of its own job only", async () => {
  await using kit = await openApiKit();
  const admin = await kit.addClient("boss", "admin");
  const [own, other] = [await kit.addClient("tax"), await kit.addClient("law")];
  const urls = ["http://a.example/", "http://a.example/2", "http://b.example/", "http://c.example/"];
  const { body } = await kit.ask<{ batch: { id: string } }>("POST", "/v1/batches", {
    key: own,
    json: { urls },
  });
  const held = async (query = "") =>
    (await kit.ask<{ data: Lane[] }>("GET", `/v1/lanes?held=true${query}`, { key: admin })).body.data;
  assert.deepEqual(await held(), []);
  await kit.ask("PATCH", "/v1/lanes/b.example", { key: admin, json: { isHeld: true } });
  assert.deepEqual(
    (await held()).map(({ lane, isHeld }) => [lane, isHeld]),
    [["b.example", true]],
  );
  assert.deepEqual(await held("&prefix=c"), []);
  const lanesOf = (key: string, query = "") =>
    kit.ask<{ data: Lane[]; next?: string }>("GET", `/v1/jobs/${body.batch.id}/lanes?limit=2${query}`, {
      key,
    });
  const first = (await lanesOf(own, "&backlog=true")).body;
  assert.deepEqual(
    first.data.map(({ lane, backlog, isHeld }) => [lane, backlog, isHeld]),
    [
      ["a.example", 2, false],
      ["b.example", 1, true],
    ],
  );
  const second = (await lanesOf(own, `&backlog=true&cursor=${first.next}`)).body;
  assert.deepEqual([second.data.map(({ lane }) => lane), second.next], [["c.example"], undefined]);
  assert.equal((await lanesOf(other)).status, 404);
});

interface Refusal {
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

test("numbers of a job that are out of range are refused, each with its name and range", async () => {
  await using kit = await openApiKit();
  const wrong: readonly (readonly [string, object])[] = [
    ["pace/perSecond", { pace: { perSecond: 1e-300 } }],
    ["pace/concurrency", { pace: { concurrency: 1e9 } }],
    ["priority", { priority: 1e6 }],
    ["maxAttempts", { maxAttempts: 1e6 }],
    ["deadlineAt", { deadlineAt: "9999-01-01T00:00:00Z" }],
    ["budget/requests", { budget: { requests: 1e15 } }],
    ["budget/bytes", { budget: { bytes: 0 } }],
    ["budget/cost", { budget: { cost: 0 } }],
    ["progressMs", { progressMs: 1e12 }],
    ["freshness/maxAgeMs", { freshness: { maxAgeMs: 1e15 } }],
  ];
  for (const [path, options] of wrong) {
    const { status, body } = await kit.ask<Refusal>("POST", "/v1/batches", {
      json: { urls: ["http://a.example/"], ...options },
    });
    assert.equal(status, 400, path);
    assert.equal(body.errors?.[0]?.path, `body/${path}`);
    assert.match(body.errors[0].message, /from|at most/);
  }
});

test("lanes are found by the beginning of their name, page by page", async () => {
  await using kit = await openApiKit();
  const hosts = ["a.example", "ab.example", "ac.example", "b.example"];
  await kit.ask("POST", "/v1/batches", { json: { urls: hosts.map((host) => `http://${host}/`) } });
  const first = (await kit.ask<{ data: Lane[]; next?: string }>("GET", "/v1/lanes?prefix=a&limit=2")).body;
  const second = (
    await kit.ask<{ data: Lane[]; next?: string }>("GET", `/v1/lanes?prefix=a&limit=2&cursor=${first.next}`)
  ).body;
  assert.deepEqual(
    [first, second].map(({ data }) => data.map(({ lane }) => lane)),
    [["a.example", "ab.example"], ["ac.example"]],
  );
  assert.equal(second.next, undefined);
});
