import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { failureOf, openRawSite, openTestSession } from "./testing/test-site.ts";
import { createTransport } from "./transport.ts";

const OK = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
const HI = "Content-Length: 2\r\n\r\nhi";
const HINTS = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";

/** What sites send and browsers read. Each body is "hi". */
const READ: Readonly<Record<string, string>> = {
  "100 Continue that nobody asked for": `HTTP/1.1 100 Continue\r\n\r\n${OK}${HI}`,
  "100 Continue with headers": `HTTP/1.1 100 Continue\r\nServer: x\r\nContent-Length: 0\r\n\r\n${OK}${HI}`,
  "100 Continue without a reason": `HTTP/1.1 100\r\n\r\n${OK}${HI}`,
  "100 Continue twice": `${"HTTP/1.1 100 Continue\r\n\r\n".repeat(2)}${OK}${HI}`,
  "early hints": `${HINTS}${OK}${HI}`,
  "102, 103, 100 and 103 before the answer": `HTTP/1.1 102 Processing\r\n\r\n${HINTS}HTTP/1.1 100 Continue\r\n\r\n${HINTS}${OK}${HI}`,
  "an interim answer of HTTP/1.0": `HTTP/1.0 100 Continue\r\n\r\n${OK}${HI}`,
  "an interim answer with bare line feeds": `HTTP/1.1 100 Continue\n\n${OK}${HI}`,
  "the same length twice": `${OK}content-length: 2\r\n${HI}`,
  "a list of the same lengths": `${OK}Content-Length: 2, 2\r\n\r\nhi`,
  "a length beside chunks": `${OK}Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
  "chunks beside a length": `${OK}Transfer-Encoding: Chunked\r\nContent-Length: 7\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
  "bare line feeds": `${OK}${HI}`.replaceAll("\r", ""),
  "a header on two lines": `${OK}X-Long: a\r\n  b\r\n${HI}`,
  "a line that is no header": `${OK}PHP Warning something in line 3\r\n${HI}`,
  "white space before a colon": `${OK}X-Powered-By : x\r\n${HI}`,
  "control characters in a header": `${OK}X-Name: a\u0001\0b\r\n${HI}`,
  "letters beyond ASCII in a header": `${OK}X-Name: Gr\u00fc\u00dfe\r\n${HI}`,
  "no reason": `HTTP/1.1 200\r\n${HI}`,
  "empty lines before the head": `\r\n\r\n${OK}${HI}`,
};

for (const [what, bytes] of Object.entries(READ)) {
  test(`${what}: the answer is read`, async () => {
    await using site = await openRawSite((socket) => void socket.end(bytes, "latin1"));
    await using session = openTestSession(site.url);
    const page = await session.http.get("/");
    assert.deepEqual([page.status, page.text], [200, "hi"]);
    assert.equal(session.archived.length, 1, "interim answers are no responses");
  });
}

test("a head is read in any chunks, repeatedly on one connection", async () => {
  const connections = new Set<Socket>();
  const answerSlowly = async (socket: Socket): Promise<void> => {
    connections.add(socket.setNoDelay(true));
    for (const byte of Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${HINTS}${OK}content-length: 2\r\n${HI}`))
      await new Promise((written) => socket.write(Buffer.of(byte), written));
  };
  await using site = await openRawSite((socket) => void answerSlowly(socket));
  const transport = createTransport({ connections: 1 });
  const caps = {
    timeoutMs: 30_000,
    bodyBytes: 100,
    signal: new AbortController().signal,
    meter: { bytes: 0 },
  };
  const request = { method: "GET", url: new URL(site.url), headers: [] };
  for (let n = 0; n < 3; n++) assert.equal((await transport.send(request, caps)).body.toString(), "hi");
  await transport.close();
  assert.equal(connections.size, 1);
});

test("a body that looks like a head is left as it is", async () => {
  const body = "HTTP/1.1 100 Continue\n\nContent-Length: 2\nContent-Length: 2\n\n";
  await using site = await openRawSite((socket) => {
    socket.write(`${OK}Content-Length: ${body.length}\r\n\r\n`);
    setImmediate(() => socket.end(body));
  });
  await using session = openTestSession(site.url);
  assert.equal((await session.http.get("/")).text, body);
});

test("headers of a repaired head keep their names and values", async () => {
  await using site = await openRawSite(
    (socket) => void socket.end(`${OK}X-Two: a\r\nX-Two: b\r\nX-Long: c\r\n\td\r\n${HI}`),
  );
  await using session = openTestSession(site.url);
  await session.http.get("/");
  assert.deepEqual(session.archived[0]!.responseHeaders, [
    ["Content-Type", "text/html"],
    ["X-Two", "a"],
    ["X-Two", "b"],
    ["X-Long", "c d"],
    ["Content-Length", "2"],
  ]);
});

test("different lengths are refused, because the end of the body is unknown", async () => {
  await using site = await openRawSite((socket) => void socket.end(`${OK}Content-Length: 1\r\n${HI}`));
  await using session = openTestSession(site.url);
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "connection");
});

test("an unrequested protocol switch is a broken connection", async () => {
  const bytes = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
  await using site = await openRawSite((socket) => void socket.end(bytes));
  await using session = openTestSession(site.url);
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "connection");
});

test("endless interim responses are a timeout", async () => {
  await using site = await openRawSite((socket) => {
    const timer = setInterval(() => socket.write(HINTS), 5);
    socket.on("close", () => clearInterval(timer));
  });
  await using session = openTestSession(site.url, { limits: { requestMs: 100 } });
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "timeout");
});
