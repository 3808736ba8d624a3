import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Item, ProblemError, SluiceClient } from "../../src/client.ts";
import { answer, openTestSite } from "../../src/collectors/http/testing/test-site.ts";
import { NameServer } from "./name-server.ts";
import { Service } from "./service-process.ts";
import { ROOT, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-targets-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const METADATA = "http://169.254.169.254/latest/meta-data/";
/** Another address of this machine: the operator's list allows it, and no other. */
const ALLOWED = "127.0.0.2";

/** A server that must never be reached. It counts connections. */
class Trap implements AsyncDisposable {
  connections = 0;
  readonly #server = createServer((socket) => {
    this.connections++;
    socket.destroy();
  });

  static async open(): Promise<Trap> {
    const trap = new Trap();
    await once(trap.#server.listen(0, "127.0.0.1"), "listening");
    return trap;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Checks that it counts connections. */
  async assertUntouched(): Promise<void> {
    assert.equal(this.connections, 0);
    await once(connect(this.port, "127.0.0.1"), "close");
    assert.equal(this.connections, 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((closed) => this.#server.close(closed));
  }
}

/**
 * A trap, and at its port of the allowed address a site: so a name can lead to the one now and to the other the next time. It closes every
 * connection, so that each request asks for the name again.
 */
const openKit = async (name: string, names: Readonly<Record<string, readonly string[]>> = {}) => {
  await using opened = new AsyncDisposableStack();
  const trap = opened.use(await Trap.open());
  const seen: string[] = [];
  const site = createHttpServer(({ url = "" }, response) => {
    seen.push(url);
    response.setHeader("connection", "close");
    const to = new URLSearchParams(url.split("?")[1]).get("to");
    if (to !== null) response.writeHead(302, { location: to }).end();
    else response.writeHead(url === "/robots.txt" ? 404 : 200, { "content-type": "text/html" }).end("<p>");
  });
  await once(site.listen(trap.port, ALLOWED), "listening");
  opened.defer(async () => {
    site.closeAllConnections();
    await new Promise((closed) => site.close(closed));
  });
  const nameServer = opened.use(await NameServer.open(names));
  const service = opened.use(new Service(join(folder, name), nameServer.env));
  writeFileSync(
    join(service.folder, "sluice.config.ts"),
    `export default { allowTargets: ["${ALLOWED}"] };\n`,
  );
  const kept = opened.move();
  const siteUrl = `http://${ALLOWED}:${trap.port}`;
  return { trap, seen, siteUrl, nameServer, service, [Symbol.asyncDispose]: () => kept.disposeAsync() };
};

const addTeam = async ({ client, url }: Service): Promise<SluiceClient> => {
  await client.createClient({ name: "team" });
  const { key } = await client.createKey("team", "client");
  return new SluiceClient({ server: url, key: key!, retries: 20 });
};

const fetchAll = async (
  service: Service,
  client: SluiceClient,
  urls: readonly string[],
  freshness?: object,
) => {
  const { batch } = await client.createBatch({ urls, ...(freshness && { freshness }) });
  await service.until(batch.id, ({ state }) => state === "done");
  const { data } = await client.listItems(batch.id);
  return new Map(data.map((item) => [(item.input as { readonly url: string }).url, item]));
};

const assertRefused = (items: ReadonlyMap<string, Item>): void => {
  for (const [url, { state, failure, attempts, captures }] of items) {
    assert.deepEqual([state, failure?.kind, attempts], ["failed", "forbidden-target", 1], url);
    assert.match(
      failure!.detail,
      /not a public address: (loopback|cloud metadata)|^\S+ does not resolve to a public address$/,
    );
    assert.equal(captures.length, 0, url);
  }
};

test("a client's URLs to private addresses are refused with the reason, by address, by name and in every spelling", async () => {
  await using kit = await openKit("urls", { "inside.example": ["127.0.0.1"] });
  const { service, trap, siteUrl } = kit;
  await service.serve("--workers", "1");
  const client = await addTeam(service);
  const hosts = ["127.0.0.1", "127.0.0.3", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"];
  const names = ["localhost", "inside.example", "INSIDE.example."];
  const urls = [METADATA, ...[...hosts, ...names].map((host) => `http://${host}:${trap.port}/${host}`)];
  const items = await fetchAll(service, client, urls);
  assert.equal(items.size, urls.length);
  assertRefused(items);
  const allowed = await fetchAll(service, client, [`${siteUrl}/page`]);
  assert.equal(allowed.get(`${siteUrl}/page`)?.state, "done");
  await trap.assertUntouched();
});

test("a redirect to a private address is not followed", async () => {
  await using kit = await openKit("redirects", { "inside.example": ["127.0.0.1"] });
  const { service, trap, seen, siteUrl } = kit;
  await service.serve("--workers", "1");
  const client = await addTeam(service);
  const targets = [METADATA, `http://127.0.0.1:${trap.port}/`, `http://inside.example:${trap.port}/`];
  const urls = targets.map((target) => `${siteUrl}/?to=${encodeURIComponent(target)}`);
  const items = await fetchAll(service, client, urls);
  for (const [url, { state, failure }] of items) {
    assert.deepEqual([state, failure?.kind], ["failed", "forbidden-target"], url);
    // The first request to another host is for its robots.txt.
    assert.equal(new URL(failure!.url!).host, new URL(targets[urls.indexOf(url)]!).host);
  }
  assert.equal(seen.filter((path) => path.startsWith("/?to=")).length, targets.length);
  await trap.assertUntouched();
});

test("a name that resolves to a private address at the next connection is refused there", async () => {
  await using kit = await openKit("rebinding", { "turns.example": [ALLOWED, "127.0.0.1"] });
  const { service, trap, seen, nameServer } = kit;
  await service.serve("--workers", "1");
  const client = await addTeam(service);
  assertRefused(await fetchAll(service, client, [`http://turns.example:${trap.port}/page`]));
  assert.deepEqual(seen, ["/robots.txt"], "the first time it led to the site");
  assert.deepEqual(nameServer.asked, ["turns.example", "turns.example"]);
  await trap.assertUntouched();
});

test("a scraper may reach its declared site, but no other port of that host", async () => {
  await using own = await openTestSite((_, response) => answer(response, "<p>"));
  await using kit = await openKit("declared");
  const { service, trap } = kit;
  service.writeScraper(
    "own",
    `import { defineScraper } from "sluice";
    import { z } from "zod";
    export default defineScraper({
      name: "own",
      site: "${own.url}",
      input: z.object({ path: z.string() }),
      key: ({ path }) => path,
      async collect({ input, http, keep }) {
        keep.page("page", await http.get(input.path));
      },
    });`,
  );
  await service.serve("--workers", "1");
  const client = await addTeam(service);
  const inputs = ["/page", `http://127.0.0.1:${trap.port}/`, METADATA].map((path) => ({ path }));
  const { job } = await client.createJob({ scraper: "own", inputs });
  await service.until(job.id, ({ state }) => state === "done");
  const items = new Map((await client.listItems(job.id)).data.map((item) => [item.key, item]));
  assert.equal(items.get("/page")?.state, "done");
  items.delete("/page");
  assert.equal(items.size, 2);
  assertRefused(items);
  await trap.assertUntouched();
});

test("clients get no archived page that a local job fetched from a private address", async () => {
  await using inside = await openTestSite((_, response) => answer(response, "secret"));
  await using kit = await openKit("archive");
  const { service } = kit;
  await service.serve("--workers", "1");
  const client = await addTeam(service);
  const url = `${inside.url}/page`;
  writeFileSync(join(service.folder, "urls.txt"), `${url}\n`);
  const submit = ["submit", "page", "--input", "urls.txt", "--max-age", "1h"];
  const { stdout, code } = await new SluiceProcess(submit, {}, service.folder).ended;
  assert.equal(code, 0);
  const local = await service.until(stdout.trim(), ({ state }) => state === "done");
  assert.equal(local.counts.states.done, 1);
  const asked = inside.seen.length;
  assertRefused(await fetchAll(service, client, [url], { maxAgeMs: 3_600_000 }));
  assert.equal(inside.seen.length, asked);
});

interface Delivery {
  readonly url: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastError?: string;
}

test("a webhook to a private address is refused when it is created, and when its name changes later", async () => {
  await using kit = await openKit("webhooks", {
    "inside.example": ["127.0.0.1"],
    "turns.example": [ALLOWED, "127.0.0.1"],
  });
  const { service, trap, seen, siteUrl } = kit;
  const admin = await service.serve("--workers", "1");
  const isRefused = (error: unknown) => error instanceof ProblemError && error.code === "forbidden-target";
  for (const host of ["127.0.0.1", "localhost", "inside.example", "169.254.169.254"]) {
    const webhook = `http://${host}:${trap.port}/hook`;
    await assert.rejects(() => admin.createBatch({ urls: [`${siteUrl}/page`], webhook }), isRefused, host);
  }
  const api = async (path: string, body?: object): Promise<Response> =>
    await fetch(`${service.url}${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const refused = await api("/v1/webhooks", { url: METADATA, events: ["job.completed"] });
  assert.equal(((await refused.json()) as { readonly code: string }).code, "forbidden-target");

  const url = `http://turns.example:${trap.port}/hook`;
  const taken = await api("/v1/webhooks", { url, events: ["job.completed"] });
  assert.equal(taken.status, 201);
  const { batch } = await admin.createBatch({ urls: [`${siteUrl}/page`] });
  await service.until(batch.id, ({ state }) => state === "done");
  const tried = async (): Promise<Delivery | undefined> => {
    const { data } = (await (await api("/v1/deliveries")).json()) as { readonly data: readonly Delivery[] };
    return data.find(({ attempts }) => attempts > 0);
  };
  let delivery: Delivery | undefined;
  while (!(delivery = await tried())) await delay(50);
  assert.deepEqual([delivery.url, delivery.state], [url, "parked"]);
  assert.equal(delivery.lastError, "refused: turns.example does not resolve to a public address");
  assert.ok(!seen.includes("/hook"));
  await trap.assertUntouched();
});

/** Fails with messages of Node that contain a path, an address and a port. */
const LEAKY = `import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { defineScraper } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "leaky",
  lane: "leaky.example",
  input: z.object({ how: z.string() }),
  key: ({ how }) => how,
  async collect({ input }) {
    if (input.how === "file") readFileSync(import.meta.dirname + "/towns.csv");
    await once(connect(1, "127.0.0.1"), "connect");
  },
});
`;

test("nothing that a client reads reveals private addresses, machines, folders or processes", async () => {
  await using kit = await openKit("disclosure", { "inside.example": ["127.0.0.1"] });
  const { service, trap, siteUrl } = kit;
  service.writeScraper("leaky", LEAKY);
  service.writeScraper("broken", "import './not-there.ts';\n");
  const admin = await service.serve("--workers", "1");
  const client = await addTeam(service);
  const told: string[] = [];
  const tell = async (asking: Promise<unknown>): Promise<void> => {
    told.push(
      await asking.then(
        (value) => JSON.stringify(value),
        (error: ProblemError) => error.detail,
      ),
    );
  };
  await tell(client.createWebhook({ url: `http://inside.example:${trap.port}/hook` }));
  await tell(client.createJob({ scraper: "broken" }));
  await tell(client.getScraper("broken"));
  await tell(client.listScrapers());
  const urls = [`http://inside.example:${trap.port}/page`, `${siteUrl}/page`, "http://inside.example:1/"];
  const { batch } = await client.createBatch({ urls });
  const inputs = ["file", "socket"].map((how) => ({ how }));
  const { job } = await client.createJob({ scraper: "leaky", inputs, maxAttempts: 2 });
  for (const id of [batch.id, job.id]) {
    await service.until(id, ({ endedAt, held }) => endedAt !== undefined || held.length > 0);
    await tell(client.getJob(id));
    const { data } = await client.listItems(id);
    told.push(JSON.stringify(data));
    for (const item of data) await tell(client.getItem(id, item.id));
    await tell(Array.fromAsync(await client.manifest(id), (piece) => Buffer.from(piece).toString()));
    await tell(Array.fromAsync(await client.results(id), (piece) => Buffer.from(piece).toString()));
  }
  await tell(client.listDeliveries());
  const [worker] = (await admin.listWorkers()).data;
  const text = told.join("\n");
  assert.match(text, /inside\.example does not resolve to a public address/);
  assert.match(text, /no such file or directory, open/);
  assert.match(text, /connect ECONNREFUSED/);
  assert.match(text, /broken\.scraper\.ts/);
  const own = text.replaceAll(siteUrl, "").replaceAll(new URL(siteUrl).host, "");
  const hidden = [worker!.name, `${hostname()}-${worker!.pid}`, "-worker", folder, "127.0.0.", ROOT];
  for (const secret of hidden)
    assert.ok(
      !own.includes(secret),
      `${secret} is told: …${own.slice(Math.max(0, own.indexOf(secret) - 200), own.indexOf(secret) + 60)}`,
    );
});
