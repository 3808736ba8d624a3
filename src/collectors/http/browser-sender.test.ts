import assert from "node:assert/strict";
import { once } from "node:events";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { freePort } from "../../../test/free-port.ts";
import { makeCertificates } from "../../../test/proxies/certificates.ts";
import { startSocksProxy } from "../../../test/proxies/socks-proxy.ts";
import { REFUSING_ZONES, startSuperProxy } from "../../../test/proxies/super-proxy.ts";
import { StopError } from "../../domain/failure.ts";
import type { ProxyTierConfig } from "../../domain/proxy-tier.ts";
import { MissingPackageError } from "../../domain/missing-package.ts";
import type { Departure } from "../../ports/collector.ts";
import { readOpening } from "../egress/tunnel-opening.ts";
import { createProxies } from "../proxy/proxies.ts";
import { loadImpit, type MakeClient } from "./load-impit.ts";
import {
  answer,
  failureOf,
  openRawSite,
  openTestSession,
  openTestSite,
  portOf,
} from "./testing/test-site.ts";

const missing = ((): string | false => {
  try {
    loadImpit();
    return false;
  } catch (error) {
    if (error instanceof MissingPackageError) return error.message;
    throw error;
  }
})();

const needsImpit = { skip: missing };
const CHROME = /^Mozilla\/5\.0 .* Chrome\/151\.[\d.]+ Safari\/537\.36$/;
const PASSWORD = "hush-7q-hush";
process.env["TEST_IMPIT_PASSWORD"] = PASSWORD;

type Options = NonNullable<Parameters<typeof openTestSession>[1]>;

const open = (site: string, options: Options = {}) =>
  openTestSession(site, { identity: "browser", ...options });

const through = (site: string, tier: ProxyTierConfig, options: Options = {}) =>
  open(site, {
    proxies: createProxies({ tiers: { t: tier } }),
    route: { tier: "t", session: "s1" },
    ...options,
  });

const zone = (url: string, name: string, more: Partial<ProxyTierConfig> = {}): ProxyTierConfig => ({
  provider: "bright-data",
  url,
  values: { customer: "c1", zone: name },
  passwordEnv: "TEST_IMPIT_PASSWORD",
  ...more,
});

/** impit trusts no other roots than its own. */
const trusting: MakeClient = (options) => new (loadImpit().Impit)({ ...options, ignoreTlsErrors: true });

const startSecureSite = async (certificates: { key: Buffer; cert: Buffer }) => {
  const { key, cert } = certificates;
  const server: Http2SecureServer = createSecureServer({ key, cert, allowHTTP1: true }, (request, response) =>
    response.end(`${request.httpVersion} ${request.headers["user-agent"]}`),
  );
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => void sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://localhost:${portOf(server)}`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

test(
  "headers are those of one browser, and the scraper's own; the archive gets the exchange without secrets",
  needsImpit,
  async () => {
    const page = "<p>é</p>";
    await using site = await openTestSite((_, response) =>
      answer(response, gzipSync(page), { "content-encoding": "gzip", "set-cookie": ["a=1", "b=2"] }),
    );
    await using session = open(site.url, { headers: { "x-county": "5", authorization: "Bearer hush" } });
    const got = await session.http.get("/a");
    assert.deepEqual([got.status, got.text, got.cookie("b")], [200, page, "2"]);
    await session.http.post("/b", { form: { q: "ü" } });
    const [first, second] = site.seen;
    assert.match(first!.headers["user-agent"]!, CHROME);
    assert.match(String(first!.headers["sec-ch-ua"]), /"Google Chrome";v="151"/);
    assert.match(first!.headers.accept!, /image\/avif/);
    assert.deepEqual([first!.headers["x-county"], first!.headers.cookie], ["5", undefined]);
    assert.equal(first!.headers["proxy-authorization"], undefined);
    assert.deepEqual(
      [second!.method, second!.body, second!.headers.cookie],
      ["POST", "q=%C3%BC", "a=1; b=2"],
    );
    assert.equal(second!.headers["content-type"], "application/x-www-form-urlencoded");
    const [exchange] = session.archived;
    assert.equal(String(exchange!.body), page);
    assert.ok(exchange!.responseHeaders.some(([name]) => name === "x-orig-content-encoding"));
    assert.ok(!JSON.stringify([exchange!.requestHeaders, exchange!.responseHeaders]).match(/hush|a=1/));
    assert.equal(session.bytes, 2 * Buffer.byteLength(page));
  },
);

test("nothing changes for other scrapers", async () => {
  await using site = await openTestSite((_, response) => answer(response, "x"));
  await using session = openTestSession(site.url, { identity: "own" });
  await session.http.get("/");
  assert.equal(site.seen[0]!.headers["user-agent"], "sluice-test");
});

test("Sluice follows redirects itself, with one connection for all requests", needsImpit, async () => {
  const ports = new Set<number | undefined>();
  await using site = await openTestSite(({ url }, response) => {
    ports.add(response.socket?.remotePort);
    if (url === "/a") answer(response, "", { location: "/b", "set-cookie": "s=1" }, 302);
    else answer(response, url);
  });
  await using session = open(site.url);
  assert.equal((await session.http.get("/a")).text, "/b");
  assert.equal(site.seen[1]!.headers.cookie, "s=1");
  assert.deepEqual([session.requests, session.archived.length, ports.size], [2, 2, 1]);
});

test("the TLS handshake is a browser's: HTTP/2, and a GREASE cipher first", needsImpit, async (t) => {
  using certificates = makeCertificates("Test", ["localhost"]);
  if (!certificates) return t.skip("needs openssl");
  await using site = await startSecureSite(certificates);
  await using session = open(site.url, { makeClient: trusting });
  assert.match((await session.http.get("/")).text, /^2\.0 Mozilla.*Chrome\/151/);
  await session.http.get("/again");
  assert.equal(site.sockets.size, 1);
  const { promise: hello, resolve } = Promise.withResolvers<Buffer>();
  await using listener = await openHello(resolve);
  assert.equal((await failureOf(() => session.http.get(listener.url))).kind, "connection");
  const bytes = await hello;
  assert.equal(readOpening(bytes), "https");
  // Record and message heads, version, random, session id, length of the list.
  assert.match(bytes.toString("hex", 78, 80), /^(.a)\1$/);
});

/** Takes the first message of a TLS handshake, and ends it. */
const openHello = async (onHello: (bytes: Buffer) => void) => {
  const server = createServer((socket) => {
    let held = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      if (readOpening(held) === undefined) return;
      onHello(held);
      socket.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${portOf(server)}/`,
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
};

test(
  "an untrusted certificate, a closed port and a broken response are connection failures",
  needsImpit,
  async (t) => {
    using certificates = makeCertificates("Test", ["localhost"]);
    if (!certificates) return t.skip("needs openssl");
    await using secure = await startSecureSite(certificates);
    await using broken = await openRawSite((socket) =>
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"),
    );
    await using other = await openRawSite((socket) => socket.end("hello\r\n\r\n"));
    await using squeezed = await openTestSite((_, response) =>
      answer(response, "not gzip", { "content-encoding": "gzip" }),
    );
    await using session = open(secure.url);
    const detailAt = async (url: string): Promise<string> => {
      const { kind, detail } = await failureOf(() => session.http.get(url));
      return `${kind}: ${detail}`;
    };
    assert.match(await detailAt(secure.url), /^connection: no trusted TLS connection: .*UnknownIssuer/);
    assert.match(
      await detailAt(`http://127.0.0.1:${await freePort()}`),
      /^connection: connection refused: .*ECONNREFUSED/,
    );
    assert.match(await detailAt(broken.url), /^connection: the site closed the connection before/);
    assert.match(await detailAt(other.url), /^connection: the response is not valid HTTP/);
    assert.match(await detailAt(squeezed.url), /^bad-content: the body cannot be decompressed/);
  },
);

test("the guard checks the address of the connection", needsImpit, async () => {
  await using site = await openTestSite((_, response) => answer(response, "x"));
  const named = site.url.replace("127.0.0.1", "localhost");
  await using guarded = open("http://site.invalid", { publicOnly: {} });
  for (const url of [named, site.url])
    assert.equal((await failureOf(() => guarded.http.get(url))).kind, "forbidden-target");
  assert.deepEqual(site.seen, []);
  await using trusted = open(named, { publicOnly: { butSite: named } });
  assert.equal((await trusted.http.get("/")).status, 200);
  assert.equal((await failureOf(() => trusted.http.get(site.url))).kind, "forbidden-target");
});

/** Never ends its responses; `gone` resolves when its client has. */
const openEndlessSite = async (part: string) => {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const site = await openTestSite((_, response) => {
    response.on("close", resolve);
    ask();
    if (part === "") return;
    response.writeHead(200, { "content-type": "text/html" });
    const more = (): void => {
      while (!response.destroyed && response.write(part));
    };
    response.on("drain", more);
    more();
  });
  return { ...site, gone, asked };
};

test("a request that takes too long is cancelled, also on the network", needsImpit, async () => {
  await using site = await openEndlessSite("");
  await using session = open(site.url, { limits: { requestMs: 300 } });
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "timeout");
  await site.gone;
});

test("a body is read up to the limit only, decoded", needsImpit, async () => {
  await using site = await openEndlessSite("x".repeat(10_000));
  await using session = open(site.url, { limits: { bodyBytes: 200_000 } });
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "too-large");
  await site.gone;
  assert.deepEqual(session.archived, []);
  await using bomb = await openTestSite((_, response) =>
    answer(response, gzipSync("x".repeat(900_000)), { "content-encoding": "gzip" }),
  );
  assert.equal((await failureOf(() => session.http.get(bomb.url))).kind, "too-large");
});

test("stopping an item cancels its request", needsImpit, async () => {
  await using site = await openEndlessSite("");
  const stop = new AbortController();
  await using session = open(site.url, { tools: { signal: stop.signal } });
  const going = session.http.get("/");
  await site.asked;
  stop.abort(new StopError("the job was paused"));
  await assert.rejects(going, StopError);
  await site.gone;
});

test("a request is sent only in its slot", needsImpit, async () => {
  const ports = new Set<number | undefined>();
  await using site = await openTestSite((_, response) => {
    ports.add(response.socket?.remotePort);
    answer(response, "x");
  });
  const said: string[] = [];
  let isOver = true;
  const departure: Departure = {
    leave: (address) => {
      said.push(`${isOver ? "over" : "leaves"} for ${address} after ${site.seen.length}`);
      return !isOver;
    },
    renew: async () => void (isOver = false),
  };
  await using session = open(site.url, { tools: { gate: async () => departure } });
  await session.http.get("/a");
  await session.http.get("/b");
  assert.deepEqual(said, [
    "over for 127.0.0.1 after 0",
    "leaves for 127.0.0.1 after 0",
    "leaves for 127.0.0.1 after 1",
  ]);
  assert.deepEqual([session.requests, ports.size], [2, 1]);
});

test("a file larger than the memory limit is streamed", needsImpit, async () => {
  const bytes = Buffer.alloc(2_000_000, "pdf ");
  await using site = await openTestSite((_, response) =>
    answer(response, bytes, { "content-type": "application/pdf" }),
  );
  await using session = open(site.url);
  assert.equal((await session.keep.file("bill", "/bill")).size, bytes.length);
  assert.deepEqual(session.files.get(`${site.url}/bill`), bytes);
  assert.match(site.seen[0]!.headers["accept-encoding"]!, /zstd/);
});

test(
  "through a provider's proxy: its session, its bytes, and no password at the site",
  needsImpit,
  async (t) => {
    using certificates = makeCertificates("Test", ["localhost"]);
    if (!certificates) return t.skip("needs openssl");
    await using proxy = await startSuperProxy({ password: PASSWORD });
    await using site = await openTestSite((_, response) => answer(response, "x".repeat(20_000)));
    await using secure = await startSecureSite(certificates);
    {
      await using session = through(site.url, zone(proxy.url, "res"), { makeClient: trusting });
      for (const path of ["/a", "/b", "/c"]) assert.equal((await session.http.get(path)).status, 200);
      assert.equal(session.proxyBytes, proxy.bytes());
      assert.match((await session.http.get(secure.url)).text, /^2\.0 /);
      const user = "brd-customer-c1-zone-res-session-s1";
      const targets = [site.url, secure.url].map((url) => ({ user, target: new URL(url).host }));
      assert.deepEqual(proxy.connects, targets);
    }
    assert.ok(!JSON.stringify(site.seen).match(/hush|brd-customer|proxy-auth/i));
  },
);

test("through SOCKS", needsImpit, async () => {
  await using proxy = await startSocksProxy({ user: "u", password: PASSWORD });
  await using site = await openTestSite((_, response) => answer(response, "x"));
  const url = proxy.url.replace("//", `//u:${PASSWORD}@`);
  await using session = through(site.url, { url });
  await session.http.get("/");
  assert.match(site.seen[0]!.headers["user-agent"]!, CHROME);
  assert.deepEqual(proxy.asked, [new URL(site.url).host]);
});

test("refusals of the provider are failures of the proxy, with their reason", needsImpit, async () => {
  await using proxy = await startSuperProxy({ password: PASSWORD });
  for (const [name, { status }] of Object.entries(REFUSING_ZONES))
    for (const site of ["http://127.0.0.1:9", "https://127.0.0.1:9"]) {
      await using session = through(site, zone(proxy.url, name));
      const { kind, detail } = await failureOf(() => session.http.get("/"));
      assert.equal(kind, name === "target" ? "connection" : "proxy", `${name}: ${detail}`);
      assert.ok(detail.includes(String(status)), detail);
      if (site.startsWith("https"))
        assert.equal(2 * session.proxyBytes!, proxy.bytes(new RegExp(`-${name}-`)));
    }
  await using session = through("http://127.0.0.1:9", zone(proxy.url, "empty"));
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "proxy");
});

test("a provider that reads TLS cannot be used, and the failure says so", needsImpit, async (t) => {
  using certificates = makeCertificates("Bright Data", ["localhost"]);
  if (!certificates) return t.skip("needs openssl");
  await using proxy = await startSuperProxy({ password: PASSWORD, certificates });
  await using secure = await startSecureSite(certificates);
  for (const more of [{}, { ca: certificates.ca }]) {
    await using session = through(secure.url, zone(proxy.url, "tls", more));
    const { kind, detail } = await failureOf(() => session.http.get("/"));
    assert.equal(kind, "proxy", detail);
    assert.match(detail, /handshake would not reach the site/);
  }
});
