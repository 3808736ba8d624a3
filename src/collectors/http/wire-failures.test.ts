import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { freePort } from "../../../test/free-port.ts";
import { answer, failureOf, openRawSite, openTestSession, openTestSite } from "./testing/test-site.ts";
import { createTransport } from "./transport.ts";
import type { Socket } from "node:net";

const kindFrom = async (serve: (socket: Socket) => void, limits = {}): Promise<string> => {
  await using site = await openRawSite(serve);
  await using session = openTestSession(site.url, { limits });
  const failure = await failureOf(() => session.http.get("/"));
  assert.equal(failure.url, `${site.url}/`);
  assert.deepEqual(session.archived, []);
  return failure.kind;
};

test("a site that never answers is a timeout", async () => {
  assert.equal(await kindFrom(() => {}, { requestMs: 60 }), "timeout");
});

const stopHalfWay = (socket: Socket): void =>
  void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");

test("a body that stops half-way is a timeout", async () => {
  assert.equal(await kindFrom(stopHalfWay, { requestMs: 60 }), "timeout");
});

const drip = (socket: Socket): void => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
  const timer = setInterval(() => socket.write("x"), 5);
  socket.on("close", () => clearInterval(timer));
};

test("a body that arrives too slowly is a timeout", async () => {
  assert.equal(await kindFrom(drip, { requestMs: 100 }), "timeout");
});

test("a pause of this process is not a timeout: data that arrived meanwhile is read", async () => {
  await using site = await openTestSite((_, response) => answer(response, "x"));
  const leave = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    return true;
  };
  await using session = openTestSession(site.url, {
    limits: { requestMs: 200 },
    tools: { gate: async () => ({ leave, renew: async () => {} }) },
  });
  assert.equal((await session.http.get("/")).text, "x");
});

/** For the caps on an item: its clock moves when told, so that a busy machine does not use the item's time up. */
const stopClock = (t: TestContext): { readonly pass: (ms: number) => void } => {
  let nowMs = 0;
  t.mock.method(performance, "now", () => nowMs);
  return { pass: (ms) => void (nowMs += ms) };
};

test("the time of all requests together is capped", async (t) => {
  const clock = stopClock(t);
  await using site = await openTestSite((request, response) => request.url === "/" && answer(response, "x"));
  await using session = openTestSession(site.url, { limits: { itemMs: 60_000 } });
  await session.http.get("/");
  clock.pass(59_500);
  assert.equal((await failureOf(() => session.http.get("/hangs"))).kind, "timeout");
  clock.pass(500);
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "timeout");
  assert.equal(site.seen.length, 2);
});

test("waiting for the gate and the archive is not counted against the item", async (t) => {
  const clock = stopClock(t);
  const dawdle = () => Promise.resolve().then(() => clock.pass(50_000));
  await using site = await openTestSite((_, response) => answer(response, "x"));
  await using session = openTestSession(site.url, {
    limits: { itemMs: 60_000 },
    tools: { gate: dawdle, archive: dawdle },
  });
  await session.http.get("/");
  assert.equal((await session.http.get("/")).status, 200);
});

test("a reset is a broken connection", async () => {
  assert.equal(await kindFrom((socket) => void socket.resetAndDestroy()), "connection");
});

test("a connection closed before the end of the body is a broken connection", async () => {
  const short = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf";
  const unended = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n";
  for (const head of [short, unended])
    assert.equal(await kindFrom((socket) => void socket.end(head)), "connection");
});

test("an answer that is not HTTP is a broken connection", async () => {
  assert.equal(await kindFrom((socket) => void socket.end("SSH-2.0-OpenSSH_9.6\r\n")), "connection");
});

const sendEndlessHeaders = (socket: Socket): void =>
  void socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`);

test("endless headers are too large", async () => {
  assert.equal(await kindFrom(sendEndlessHeaders), "too-large");
});

test("a closed port is a broken connection", async () => {
  await using session = openTestSession(`http://127.0.0.1:${await freePort()}`);
  const failure = await failureOf(() => session.http.get("/"));
  assert.equal(failure.kind, "connection");
  assert.match(failure.detail, /ECONNREFUSED/);
});

test("a server without TLS on https is a broken connection", async () => {
  await using site = await openRawSite((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await using session = openTestSession(site.url.replace("http:", "https:"));
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "connection");
});

test("a body over the cap is too large, announced or not, and no part of it is archived", async () => {
  const announced = "HTTP/1.1 200 OK\r\nContent-Length: 2001\r\n\r\n";
  assert.equal(await kindFrom((socket) => void socket.write(announced), { bodyBytes: 2000 }), "too-large");
  const unannounced = `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${"x".repeat(2001)}`;
  assert.equal(await kindFrom((socket) => void socket.write(unannounced), { bodyBytes: 2000 }), "too-large");
});

test("a request that is cancelled while it waits for a socket is never sent", async () => {
  await using site = await openTestSite((request, response) => {
    if (request.url === "/held") stop.abort(new Error("stop"));
    held.promise.then(() => answer(response, "x"), assert.fail);
  });
  const held = Promise.withResolvers<void>();
  const stop = new AbortController();
  const transport = createTransport({ connections: 1 });
  const send = (path: string, signal: AbortSignal): Promise<unknown> =>
    transport.send(
      { method: "GET", url: new URL(path, site.url), headers: [] },
      { timeoutMs: 10_000, bodyBytes: 100, signal, meter: { bytes: 0 } },
    );
  const never = new AbortController().signal;
  const first = send("/held", never);
  const waiting = send("/waiting", stop.signal);
  const last = send("/last", never);
  await assert.rejects(waiting, { message: "stop" });
  held.resolve();
  await Promise.all([first, last]);
  await transport.close();
  assert.deepEqual(
    site.seen.map(({ url }) => url),
    ["/held", "/last"],
  );
});
