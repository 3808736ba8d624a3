import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import {
  type EgressProxy,
  type EgressSession,
  startEgressProxy,
} from "../../src/collectors/egress/egress-proxy.ts";
import { TargetGuard } from "../../src/collectors/http/target-guard.ts";
import { browserOrSkip } from "../browser.ts";

/** A site that counts the bytes of its own sockets. */
class Site {
  readonly origin: string;
  readonly #sockets = new Set<Socket>();

  constructor(t: TestContext, scheme: "http" | "https", server: Server) {
    server.on("connection", (socket: Socket) => this.#sockets.add(socket));
    this.origin = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
    t.after(() => {
      server.close();
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  /** Bytes that its sockets have written and read, so far. */
  moved(): readonly [number, number] {
    const sum = (of: "bytesWritten" | "bytesRead") =>
      [...this.#sockets].reduce((all, socket) => all + socket[of], 0);
    return [sum("bytesWritten"), sum("bytesRead")];
  }
}

const listening = async (server: Server): Promise<Server> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
};

const plainSite = async (t: TestContext, listener: RequestListener): Promise<Site> =>
  new Site(t, "http", await listening(createServer({ keepAliveTimeout: 60_000 }, listener)));

/** With a certificate of its own; undefined if there is no openssl. */
const secureSite = async (t: TestContext, listener: RequestListener): Promise<Site | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-cert-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  try {
    const own = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=site.test -keyout ${key} -out ${cert}`;
    execFileSync("openssl", own.split(" "), { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const options = { key: readFileSync(key), cert: readFileSync(cert), allowHTTP1: true };
  const server = createSecureServer(options, listener as never) as unknown as Server;
  return new Site(t, "https", await listening(server));
};

interface Started {
  readonly browser: Browser;
  readonly proxy: EgressProxy;
  /** A context whose traffic belongs to a session. */
  readonly context: (session: EgressSession) => Promise<Page>;
  readonly challenges: () => number;
}

/** Credentials are given as the collector gives them: by an interception of the whole browser, which leaves the HTTP cache on. */
const start = async (t: TestContext, executablePath: string, guard?: TargetGuard): Promise<Started> => {
  const proxy = await startEgressProxy(guard && { guard });
  t.after(() => proxy.close());
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-quic"] });
  t.after(() => browser.close());
  const cdp = await browser.newBrowserCDPSession();
  const sessions = new Map<string, EgressSession>();
  let challenges = 0;
  const late = (): void => undefined;
  cdp.on("Fetch.requestPaused", ({ requestId }) => {
    cdp.send("Fetch.continueRequest", { requestId }).catch(late);
  });
  cdp.on("Fetch.authRequired", ({ requestId, frameId }) => {
    challenges++;
    const { username, password } = sessions.get(frameId)!;
    const authChallengeResponse = { response: "ProvideCredentials" as const, username, password };
    cdp.send("Fetch.continueWithAuth", { requestId, authChallengeResponse }).catch(late);
  });
  await cdp.send("Fetch.enable", { handleAuthRequests: true, patterns: [{ urlPattern: "*" }] });
  return {
    browser,
    proxy,
    challenges: () => challenges,
    async context(session) {
      const context: BrowserContext = await browser.newContext({
        proxy: { server: proxy.url },
        ignoreHTTPSErrors: true,
      });
      const page = await context.newPage();
      const { targetInfo } = await (await context.newCDPSession(page)).send("Target.getTargetInfo");
      sessions.set(targetInfo.targetId, session);
      return page;
    },
  };
};

test("the bytes of each item of a warm tab are those that the sites count; cached files are fetched once", async (t) => {
  const found = await browserOrSkip(t);
  if (!found) return;
  const asked: string[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(request.url!);
    if (request.url === "/code.js")
      response.setHeader("cache-control", "max-age=3600").end(`/* ${"x".repeat(50_000)} */`);
    else
      response.setHeader("content-type", "text/html").end(`<p>${request.url}<script src=/code.js></script>`);
  };
  const plain = await plainSite(t, listener);
  const secure = await secureSite(t, (request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(`<p>${request.url}`),
  );
  if (!secure) t.diagnostic("there is no openssl here: only plain HTTP is tested");
  const { proxy, context, challenges } = await start(t, found.path);
  const session = proxy.open();
  const page = await context(session);
  const sites = [plain, ...(secure ? [secure] : [])];
  let earlier: readonly [number, number] = [0, 0];
  for (const item of [1, 2, 3]) {
    const traffic = session.begin();
    for (const site of sites) {
      await page.goto(`${site.origin}/${item}`);
      assert.equal(await page.textContent("p"), `/${item}`);
    }
    await page.goto("about:blank");
    const moved = (at: 0 | 1): number => sites.reduce((all, site) => all + site.moved()[at], 0) - earlier[at];
    // The last frames of HTTP/2 may still be on their way. A difference that stays fails by the time limit.
    while (traffic.received !== moved(0) || traffic.sent !== moved(1)) await delay(20);
    earlier = [earlier[0] + traffic.received, earlier[1] + traffic.sent];
    assert.ok(traffic.received > 0);
    assert.deepEqual(traffic.refused, []);
  }
  assert.deepEqual(
    asked.filter((url) => url === "/code.js"),
    ["/code.js"],
  );
  assert.equal(challenges(), 1);
});

test("each context has its own session: traffic and challenges do not mix", async (t) => {
  const found = await browserOrSkip(t);
  if (!found) return;
  const site = await plainSite(t, (_request, response) => response.end("<p>here"));
  const { proxy, context } = await start(t, found.path);
  const sessions = [proxy.open(), proxy.open()];
  const traffics = sessions.map((session) => session.begin());
  const pages = await Promise.all(sessions.map(context));
  await pages[0]!.goto(`${site.origin}/`);
  assert.equal(traffics[1]!.received, 0);
  await pages[1]!.goto(`${site.origin}/`);
  assert.equal(traffics[1]!.received, traffics[0]!.received);
  sessions[0]!.close();
  await assert.rejects(pages[0]!.goto(`${site.origin}/`));
  await pages[1]!.goto(`${site.origin}/`);
});

test("no part of a page reaches a private address in a guarded session", async (t) => {
  const found = await browserOrSkip(t);
  if (!found) return;
  const reached: string[] = [];
  const inside = await plainSite(t, (request, response) => {
    reached.push(request.url!);
    response.setHeader("access-control-allow-origin", "*").end();
  });
  const name = inside.origin.replace("127.0.0.1", "inside.example");
  const parts = [inside.origin, name].map(
    (
      origin,
    ) => `<img src=${origin}/img><script src=${origin}/js></script><link rel=stylesheet href=${origin}/css>
      <iframe src=${origin}/frame></iframe><script>
      fetch("${origin}/fetch").catch(() => 0); navigator.sendBeacon("${origin}/beacon");
      new Worker(URL.createObjectURL(new Blob(["fetch('${origin}/worker').catch(() => postMessage(1))"]))).onmessage = () =>
        document.body.append(Object.assign(document.createElement("i")));</script>`,
  );
  const site = await plainSite(t, (_request, response) =>
    response.setHeader("content-type", "text/html").end(parts.join("")),
  );
  const guard = new TargetGuard({
    lookup: (_name, options, callback) =>
      options.all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4),
  });
  const { proxy, context } = await start(t, found.path, guard);
  const session = proxy.open({ isGuarded: true, trustedOrigin: site.origin });
  const traffic = session.begin();
  const page = await context(session);
  await page.goto(`${site.origin}/`);
  // Both workers have been refused.
  await page.waitForFunction(`document.querySelectorAll("i").length === 2`);
  assert.deepEqual(reached, []);
  assert.deepEqual(
    new Set(traffic.refused.map(({ host, kind }) => `${host} ${kind}`)),
    new Set(["127.0.0.1 forbidden-target", "inside.example forbidden-target"]),
  );
});

test("WebSockets of pages and workers are refused, and let through where they are asked for", async (t) => {
  const found = await browserOrSkip(t);
  if (!found) return;
  let upgrades = 0;
  const withUpgrade = (server: Server): Server =>
    server.on("upgrade", (_request, socket) => {
      upgrades++;
      socket.destroy();
    });
  const listener: RequestListener = (_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<p>");
  const plain = new Site(t, "http", await listening(withUpgrade(createServer(listener))));
  const secure = await secureSite(t, listener);
  const { proxy, context } = await start(t, found.path);
  const urls = [plain, ...(secure ? [secure] : [])].map(({ origin }) => origin.replace("http", "ws"));
  const tryAll = async (session: EgressSession): Promise<number> => {
    const page = await context(session);
    const traffic = session.begin();
    await page.goto(`${plain.origin}/`);
    for (const url of urls)
      for (const run of ["page", "worker"])
        await page.evaluate(`new Promise((done) => {
          const code = 'new WebSocket("${url}").onclose = () => done()';
          if (${run === "page"}) return eval(code);
          const blob = new Blob(["const done = () => postMessage(1); " + code]);
          new Worker(URL.createObjectURL(blob)).onmessage = done;
        })`);
    return traffic.refused.filter(({ detail }) => detail.includes("WebSocket")).length;
  };
  assert.ok((await tryAll(proxy.open())) >= urls.length * 2);
  assert.equal(upgrades, 0);
  assert.equal(await tryAll(proxy.open({ allowsWebSockets: true })), 0);
  assert.ok(upgrades >= 2);
});

test("a stop cuts what a page is loading", async (t) => {
  const found = await browserOrSkip(t);
  if (!found) return;
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const site = await plainSite(t, (_request, response) => {
    response.write("<p>the rest never comes");
    resolve();
  });
  const { proxy, context } = await start(t, found.path);
  const session = proxy.open();
  const stop = new AbortController();
  session.begin(stop.signal);
  const page = await context(session);
  const loading = page.goto(`${site.origin}/`);
  await asked;
  stop.abort();
  await loading.catch(() => undefined);
  await assert.rejects(page.goto(`${site.origin}/again`));
});
