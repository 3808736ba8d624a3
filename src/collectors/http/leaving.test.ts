import assert from "node:assert/strict";
import { test } from "node:test";
import { StopError } from "../../domain/failure.ts";
import type { Departure } from "../../ports/collector.ts";
import { answer, openTestSession, openTestSite } from "./testing/test-site.ts";

const passing = (departure: Departure) => ({ tools: { gate: async () => departure } });

test("a request that is stopped after its gate, while its socket is still being opened, does not reach the site", async () => {
  await using site = await openTestSite((_request, response) => answer(response, "<p>"));
  let isStopped = false;
  const leave = () => {
    if (isStopped) throw new StopError("the job was paused");
    return true;
  };
  await using session = openTestSession(site.url, passing({ leave, renew: async () => {} }));
  const going = session.http.get("/first");
  isStopped = true;
  await assert.rejects(going, StopError);
  await assert.rejects(() => session.keep.file("bill", "/file"), StopError);
  assert.equal(site.seen.length, 0);
  isStopped = false;
  await session.http.get("/again");
  assert.equal(site.seen.length, 1);
});

test("a slot that has expired when the socket is open is replaced by another, and the socket is used", async () => {
  const sockets = new Set<number | undefined>();
  await using site = await openTestSite((request, response) => {
    sockets.add(response.socket?.remotePort);
    answer(response, request.url === "/file" ? "%PDF" : "<p>", { "content-type": "text/plain" });
  });
  const said: string[] = [];
  let isOver = true;
  const departure = {
    leave: () => {
      said.push(`${isOver ? "over" : "leaves"} after ${site.seen.length}`);
      return !isOver;
    },
    renew: async () => void (isOver = false),
  };
  await using session = openTestSession(site.url, passing(departure));
  await session.http.get("/page");
  isOver = true;
  await session.keep.file("bill", "/file");
  assert.deepEqual(said, ["over after 0", "leaves after 0", "over after 1", "leaves after 1"]);
  assert.deepEqual([site.seen.length, session.requests, sockets.size], [2, 2, 1]);
});
