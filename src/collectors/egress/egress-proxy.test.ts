import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, request, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { connect as connectTls } from "node:tls";
import { TargetGuard } from "../http/target-guard.ts";
import { type EgressProxy, type EgressSession, startEgressProxy } from "./egress-proxy.ts";

/** A site that counts the bytes of its own sockets. */
const startSite = async (
  t: TestContext,
  listener: RequestListener,
): Promise<{ readonly origin: string; readonly port: number; readonly bytes: () => [number, number] }> => {
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const sum = (of: "bytesWritten" | "bytesRead") => [...sockets].reduce((all, socket) => all + socket[of], 0);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    bytes: () => [sum("bytesWritten"), sum("bytesRead")],
  };
};

const start = async (t: TestContext, guard?: TargetGuard): Promise<EgressProxy> => {
  const proxy = await startEgressProxy(guard && { guard });
  t.after(() => proxy.close());
  return proxy;
};

const loginOf = ({ username, password }: Pick<EgressSession, "username" | "password">): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

interface Asked {
  readonly proxy: EgressProxy;
  readonly session: Pick<EgressSession, "username" | "password">;
  readonly agent?: Agent;
  readonly method?: string;
  readonly body?: string;
}

/** One request in absolute form. */
const ask = async (url: string, { proxy, session, agent, method = "GET", body = "" }: Asked) => {
  const { hostname, port } = new URL(proxy.url);
  const sent = request({
    hostname,
    port,
    method,
    path: url,
    ...(agent && { agent }),
    headers: {
      host: new URL(url).host,
      "proxy-authorization": loginOf(session),
      "proxy-connection": "keep-alive",
      ...(body !== "" && { "content-length": Buffer.byteLength(body) }),
    },
  });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
  let text = "";
  for await (const part of response.setEncoding("latin1")) text += part as string;
  return { status: response.statusCode, text };
};

/** A connection to the proxy, and all that it answers until its end. */
const talk = async (proxy: EgressProxy, ...sent: string[]): Promise<string> => {
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (part: string) => (text += part));
  socket.on("error", () => undefined);
  for (const part of sent) socket.write(part, "latin1");
  await once(socket, "close");
  return text;
};

/** The socket of a tunnel, once it is open. */
const tunnel = async (proxy: EgressProxy, session: EgressSession, target: string): Promise<Socket> => {
  const { hostname, port } = new URL(proxy.url);
  const sent = request({
    hostname,
    port,
    method: "CONNECT",
    path: target,
    headers: { "proxy-authorization": loginOf(session) },
  });
  sent.end();
  const [response, socket] = (await once(sent, "connect")) as [{ statusCode: number }, Socket];
  socket.on("error", () => undefined);
  assert.equal(response.statusCode, 200);
  return socket;
};

test("the bytes of each attempt equal those that the site counts, over one persistent connection", async (t) => {
  const site = await startSite(t, (asked, response) => {
    asked.resume().on("end", () => response.end(`${asked.method} ${asked.url} `.repeat(1000)));
  });
  const proxy = await start(t);
  const session = proxy.open();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  let [written, read] = [0, 0];
  for (const [method, body] of [
    ["GET", ""],
    ["POST", "x".repeat(300_000)],
    ["GET", ""],
  ] as const) {
    const traffic = session.begin();
    const path = "/a%7Eb/%c3?q=[1]&x=%2f";
    const { status, text } = await ask(`${site.origin}${path}`, { proxy, session, agent, method, body });
    assert.equal(status, 200);
    assert.equal(text, `${method} ${path} `.repeat(1000));
    const [nowWritten, nowRead] = site.bytes();
    assert.deepEqual([traffic.received, traffic.sent], [nowWritten - written, nowRead - read]);
    [written, read] = [nowWritten, nowRead];
  }
});

test("the site sees what a browser without a proxy would send", async (t) => {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const site = await startSite(t, (asked, response) => {
    resolve(asked.rawHeaders);
    response.end();
  });
  const proxy = await start(t);
  const login = `Proxy-Authorization: ${loginOf(proxy.open())}`;
  await talk(
    proxy,
    `GET ${site.origin}/ HTTP/1.1\r\nHost: x\r\nProxy-Connection: close\r\n${login}\r\nX-Own: 1\r\n\r\n`,
  );
  assert.deepEqual(await promise, ["Host", "x", "Connection", "close", "X-Own", "1"]);
});

test("every request needs the name and the password of an open session", async (t) => {
  let reached = 0;
  const site = await startSite(t, (_asked, response) => {
    reached++;
    response.end();
  });
  const proxy = await start(t);
  const session = proxy.open();
  const { username } = session;
  for (const wrong of [
    { username, password: "" },
    { username, password: `${session.password}0` },
    { username: "", password: "" },
    { username: "__proto__", password: session.password },
  ])
    assert.equal((await ask(`${site.origin}/`, { proxy, session: wrong })).status, 407);
  const head = `GET ${site.origin}/ HTTP/1.1\r\nHost: x\r\n`;
  // A browser asks, is challenged, and asks again on the same connection.
  const both = `${head}\r\n${head}Proxy-Authorization: ${loginOf(session)}\r\nConnection: close\r\n\r\n`;
  assert.match(await talk(proxy, both), /^HTTP\/1\.1 407 [\s\S]*HTTP\/1\.1 200 /);
  assert.equal(reached, 1);
  // Whoever does not know it is not listened to for long.
  assert.equal((await talk(proxy, `${head}\r\n`.repeat(10))).match(/ 407 /g)?.length, 3);
  session.close();
  assert.equal((await ask(`${site.origin}/`, { proxy, session })).status, 407);
});

test("a guarded session reaches no private address, by number or by name, except the trusted origin", async (t) => {
  const site = await startSite(t, (_asked, response) => response.end("reached"));
  const guard = new TargetGuard({
    lookup: (_name, options, callback) =>
      options.all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4),
  });
  const proxy = await start(t, guard);
  const session = proxy.open({ isGuarded: true });
  const traffic = session.begin();
  for (const host of ["127.0.0.1", "inside.example"]) {
    // No response at all: one of the proxy's own would look like the site's.
    await assert.rejects(ask(`http://${host}:${site.port}/`, { proxy, session }), { code: "ECONNRESET" });
    const login = `Proxy-Authorization: ${loginOf(session)}`;
    assert.match(
      await talk(proxy, `CONNECT ${host}:${site.port} HTTP/1.1\r\n${login}\r\n\r\n`),
      /^HTTP\/1\.1 502 /,
    );
  }
  assert.deepEqual(
    traffic.refused.map(({ host, port, kind }) => [host, port, kind]),
    ["127.0.0.1", "127.0.0.1", "inside.example", "inside.example"].map((host) => [
      host,
      site.port,
      "forbidden-target",
    ]),
  );
  assert.deepEqual([traffic.received, traffic.sent], [0, 0]);
  const trusting = proxy.open({ isGuarded: true, trustedOrigin: site.origin });
  assert.equal((await ask(`${site.origin}/`, { proxy, session: trusting })).text, "reached");
  await assert.rejects(ask(`http://localhost:${site.port}/`, { proxy, session: trusting }));
});

test("a site that cannot be reached gives no answer, and the reason is kept", async (t) => {
  const proxy = await start(t);
  const session = proxy.open();
  const traffic = session.begin();
  const closed = createTcpServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  await assert.rejects(ask(`http://127.0.0.1:${port}/`, { proxy, session }), { code: "ECONNRESET" });
  assert.deepEqual(
    traffic.refused.map(({ kind, detail }) => [kind, detail]),
    [["connection", "the connection could not be opened (ECONNREFUSED)"]],
  );
});

test("a connection may ask one site after the other", async (t) => {
  const proxy = await start(t);
  const session = proxy.open();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const sites = await Promise.all(
    ["one", "two"].map((name) => startSite(t, (_asked, response) => response.end(name))),
  );
  const answers: string[] = [];
  for (const { origin } of [...sites, ...sites])
    answers.push((await ask(`${origin}/`, { proxy, session, agent })).text);
  assert.deepEqual(answers, ["one", "two", "one", "two"]);
});

const UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n";

test("WebSockets are refused unless they are asked for, in every form", async (t) => {
  let upgrades = 0;
  const server = createServer().on("upgrade", (_asked, socket: Socket) => {
    upgrades++;
    socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy = await start(t);

  const asking = async (session: EgressSession): Promise<string[]> => {
    const login = `Host: x\r\nProxy-Authorization: ${loginOf(session)}\r\n`;
    const plain = await talk(proxy, `GET http://${target}/ HTTP/1.1\r\n${login}${UPGRADE}`);
    const socket = await tunnel(proxy, session, target);
    let answer = "";
    socket.setEncoding("latin1").on("data", (part: string) => (answer += part));
    // In two parts: the head may come in pieces.
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nUpg");
    socket.write(UPGRADE.slice(3));
    await once(socket, "close");
    return [plain, answer].map((text) => text.slice(0, 12));
  };

  const closed = proxy.open();
  const traffic = closed.begin();
  assert.deepEqual(await asking(closed), ["", ""]);
  assert.equal(upgrades, 0);
  assert.deepEqual(
    new Set(traffic.refused.map(({ detail }) => detail)),
    new Set(["WebSockets are not allowed"]),
  );
  assert.deepEqual(await asking(proxy.open({ allowsWebSockets: true })), ["HTTP/1.1 101", "HTTP/1.1 101"]);
  assert.equal(upgrades, 2);
});

test("over TLS, a tunnel that does not offer HTTP/2 is taken for a WebSocket", async (t) => {
  const received: number[] = [];
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", ({ length }) => {
      received.push(length);
      socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy = await start(t);
  const hello = async (session: EgressSession, protocols: string[]): Promise<void> => {
    const tls = connectTls({ socket: await tunnel(proxy, session, target), ALPNProtocols: protocols });
    tls.on("error", () => undefined);
    await new Promise((ended) => tls.on("close", ended));
  };
  const session = proxy.open();
  const traffic = session.begin();
  await hello(session, ["http/1.1"]);
  assert.deepEqual(received, []);
  assert.deepEqual(
    traffic.refused.map(({ detail }) => detail),
    ["WebSockets are not allowed"],
  );
  await hello(session, ["h2", "http/1.1"]);
  assert.deepEqual(received, [traffic.sent]);
  await hello(proxy.open({ allowsWebSockets: true }), ["http/1.1"]);
  assert.equal(received.length, 2);
});

test("a tunnel that carries neither HTTP nor TLS is refused", async (t) => {
  const server = createTcpServer(() => assert.fail("reached")).listen(0, "127.0.0.1");
  server.removeAllListeners("connection");
  await once(server, "listening");
  t.after(() => server.close());
  const proxy = await start(t);
  const session = proxy.open();
  const traffic = session.begin();
  const socket = await tunnel(proxy, session, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  socket.write("\u0000\u0001\u0000\u0008");
  await once(socket, "close");
  assert.equal(traffic.refused[0]?.detail, "neither HTTP nor TLS was sent");
});

test("the end of an attempt cuts its connections at once; the next one may go on", async (t) => {
  const asked = new EventTarget();
  const site = await startSite(t, (_asked, response) => {
    response.write("first part");
    asked.dispatchEvent(new Event("asked"));
  });
  const proxy = await start(t);
  const session = proxy.open();
  const stop = new AbortController();
  session.begin(stop.signal);
  const started = once(asked, "asked");
  const answer = ask(`${site.origin}/`, { proxy, session });
  await started;
  stop.abort();
  await assert.rejects(answer);
  await assert.rejects(ask(`${site.origin}/`, { proxy, session }), { code: "ECONNRESET" });
  session.begin();
  const again = once(asked, "asked");
  const next = ask(`${site.origin}/`, { proxy, session });
  await again;
  await proxy.close();
  await assert.rejects(next);
});

test("requests that cannot be read, or are too large, are refused and end their connection", async (t) => {
  const proxy = await start(t);
  const session = proxy.open();
  const login = `Proxy-Authorization: ${loginOf(session)}`;
  for (const [sent, status] of [
    ["\u0016\u0003\u0001 no request\r\n\r\n", 400],
    ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["GET https://example.com/ HTTP/1.1\r\n\r\n", 400],
    ["GET http://user@example.com/ HTTP/1.1\r\n\r\n", 400],
    ["CONNECT example.com HTTP/1.1\r\n\r\n", 400],
    ["CONNECT example.com:99999 HTTP/1.1\r\n\r\n", 400],
    ["GET http://example.com/ HTTP/1.1\r\n folded\r\n\r\n", 400],
    [`GET http://example.com/ HTTP/1.1\r\n${login}\r\n${login}\r\n\r\n`, 400],
    ["POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411],
    ["POST http://example.com/ HTTP/1.1\r\nContent-Length: 1e3\r\n\r\n", 400],
    [`GET http://example.com/ HTTP/1.1\r\nX: ${"x".repeat(70_000)}`, 431],
  ] as const)
    assert.match(await talk(proxy, sent), new RegExp(`^HTTP/1\\.1 ${status} `), sent.slice(0, 60));
});

test("a client that has closed its sending side gets the whole answer", async (t) => {
  const site = await startSite(t, (asked, response) => {
    asked.resume().on("end", () => response.end("x".repeat(5_000_000)));
  });
  const proxy = await start(t);
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  socket.end(
    `GET ${site.origin}/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${loginOf(proxy.open())}\r\nConnection: close\r\n\r\n`,
  );
  let length = 0;
  socket.on("data", (part: Buffer) => (length += part.length));
  await once(socket, "close");
  assert.ok(length > 5_000_000);
});
