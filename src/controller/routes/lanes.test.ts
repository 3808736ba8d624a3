import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiGround } from "../api-ground.suite.ts";

interface Lane {
  readonly lane: string;
  readonly perSecond: number | null;
  readonly operatorPerSecond: number | null;
  readonly isHeld: boolean;
  readonly backlog: number;
}

test("an operator finds a lane by its name among those that are like it, slows it, holds it, and takes it back", async () => {
  await using ground = await openApiGround();
  const hosts = ["a.example", "a.example.org", "127.0.0.1:8080", "aa.example", "a.exampld"];
  await ground.ask("POST", "/v1/batches", { json: { urls: hosts.map((host) => `http://${host}/`) } });
  const { body } = await ground.ask<{ data: Lane[] }>("GET", "/v1/lanes");
  assert.deepEqual(
    body.data.map(({ lane }) => lane),
    [...hosts].sort(),
  );
  for (const host of hosts) {
    const { body: found } = await ground.ask<Lane>("GET", `/v1/lanes/${encodeURIComponent(host)}`);
    assert.deepEqual([found.lane, found.backlog], [host, 1]);
  }
  const steer = async (json: object) =>
    (await ground.ask<Lane>("PATCH", "/v1/lanes/a.example", { json })).body;
  assert.deepEqual(
    [(await steer({ perSecond: 0.5 })).perSecond, (await steer({ isHeld: true })).isHeld],
    [0.5, true],
  );
  const back = await steer({ perSecond: null, isHeld: false });
  assert.deepEqual([back.operatorPerSecond, back.perSecond, back.isHeld], [null, 2, false]);
  assert.equal((await ground.ask("PATCH", "/v1/lanes/none.example", { json: { isHeld: true } })).status, 404);
});

test("lanes are paged by name", async () => {
  await using ground = await openApiGround();
  const urls = Array.from({ length: 25 }, (_, n) => `http://h${n}.example/`);
  await ground.ask("POST", "/v1/batches", { json: { urls } });
  const found: string[] = [];
  for (let cursor = ""; ;) {
    const { body } = await ground.ask<{ data: Lane[]; next?: string }>("GET", `/v1/lanes?limit=10${cursor}`);
    found.push(...body.data.map(({ lane }) => lane));
    if (body.next === undefined) break;
    cursor = `&cursor=${body.next}`;
  }
  assert.deepEqual(found, urls.map((url) => new URL(url).host).sort());
});
