import assert from "node:assert/strict";
import { createServer, type LookupFunction } from "node:net";
import { test } from "node:test";
import { request } from "undici";
import { FailureError } from "../../domain/failure.ts";
import { answer, failureOf, openTestSession, openTestSite, portOf } from "./testing/test-site.ts";
import { checkTarget, createTransport, guardedDispatcher } from "./transport.ts";

/** A resolver that answers from a table; a list of lists is a sequence of answers, the last one repeated. */
const resolver = (
  names: Readonly<Record<string, readonly (readonly string[])[]>>,
): { readonly lookup: LookupFunction; readonly asked: string[] } => {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, _options, callback) => {
    const answers = names[name];
    const found = answers?.[Math.min(asked.filter((other) => other === name).length, answers.length - 1)];
    asked.push(name);
    if (found)
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    else callback(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }), []);
  };
  return { lookup, asked };
};

/** Counts connections, not only requests: nothing at all is to arrive. */
const openTrap = async (): Promise<
  AsyncDisposable & { readonly port: number; readonly arrived: () => number }
> => {
  let arrived = 0;
  const server = createServer((socket) => {
    arrived++;
    socket.on("error", () => {});
    socket.end("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: portOf(server),
    arrived: () => arrived,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

const PUBLIC_SITE = "http://site.example";
const guarded = { publicOnly: {} };

test("a private address is refused before the gate, in every spelling", async () => {
  await using trap = await openTrap();
  await using session = openTestSession(PUBLIC_SITE, guarded);
  const hosts = [
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "169.254.169.254",
    "0.0.0.0",
  ];
  for (const host of hosts) {
    const failure = await failureOf(() => session.http.get(`http://${host}:${trap.port}/latest/meta-data/`));
    assert.equal(failure.kind, "forbidden-target", host);
    assert.match(failure.detail, /not a public address: (loopback|cloud metadata|this host)/);
    assert.ok(failure.url?.endsWith("/latest/meta-data/"));
  }
  const file = await failureOf(() => session.keep.file("bill", `http://127.0.0.1:${trap.port}/`));
  assert.equal(file.kind, "forbidden-target");
  assert.deepEqual([trap.arrived(), session.gated, session.requests], [0, [], 0]);
});

test("a name that resolves to a private address is refused, and nothing is sent", async () => {
  await using trap = await openTrap();
  const { lookup } = resolver({
    "inside.example": [["127.0.0.1"]],
    "inside-six.example": [["::ffff:127.0.0.1", "fd00:ec2::254"]],
    localhost: [["127.0.0.1", "::1"]],
  });
  await using session = openTestSession(PUBLIC_SITE, { ...guarded, guard: { lookup } });
  for (const name of ["inside.example", "inside-six.example", "localhost"]) {
    const url = `http://${name}:${trap.port}/`;
    const failure = await failureOf(() => session.http.get(url));
    assert.deepEqual([failure.kind, failure.url], ["forbidden-target", url]);
    assert.ok(failure.detail.includes(name));
  }
  assert.equal(
    (await failureOf(() => session.http.get(`https://localhost:${trap.port}/`))).kind,
    "forbidden-target",
  );
  assert.equal(trap.arrived(), 0);
});

test("a redirect to a private address or name is refused, and nothing is sent there", async () => {
  await using trap = await openTrap();
  await using site = await openTestSite(({ url }, response) => {
    const host = url === "/to-address" ? "127.0.0.1" : "inside.example";
    answer(response, "", { location: `http://${host}:${trap.port}/` }, 302);
  });
  const { lookup } = resolver({ "inside.example": [["127.0.0.1"]] });
  await using session = openTestSession(site.url, { publicOnly: { butSite: site.url }, guard: { lookup } });
  for (const path of ["/to-address", "/to-name"]) {
    const failure = await failureOf(() => session.http.get(path));
    assert.equal(failure.kind, "forbidden-target");
    assert.ok(failure.url?.endsWith(`:${trap.port}/`));
  }
  assert.deepEqual([site.seen.length, trap.arrived()], [2, 0]);
});

test("a name whose address changes between the check and the connection is refused", async () => {
  await using trap = await openTrap();
  const { lookup, asked } = resolver({ "turns.example": [["93.184.216.34"], ["127.0.0.1"]] });
  const url = new URL(`http://turns.example:${trap.port}/`);
  assert.equal(await checkTarget(url, { lookup }), undefined);
  await using session = openTestSession(PUBLIC_SITE, { ...guarded, guard: { lookup } });
  assert.equal((await failureOf(() => session.http.get(url))).kind, "forbidden-target");
  assert.deepEqual([asked.length, trap.arrived()], [2, 0]);
});

test("the addresses that passed are the ones connected to, and no others", async () => {
  await using trap = await openTrap();
  // The public one is refused by the network, the forbidden one would have answered.
  const { lookup, asked } = resolver({ "both.example": [["127.0.0.1", "198.18.0.1"]] });
  const guard = { lookup, allow: ["198.18.0.0/15"] };
  await using session = openTestSession(PUBLIC_SITE, { ...guarded, guard, limits: { requestMs: 150 } });
  const failure = await failureOf(() => session.http.get(`http://both.example:${trap.port}/`));
  assert.ok(["connection", "timeout"].includes(failure.kind), failure.kind);
  assert.deepEqual([asked.length, trap.arrived()], [1, 0]);
});

test("the scraper's own origin is allowed, other ports of its host are not", async () => {
  await using trap = await openTrap();
  await using site = await openTestSite((_, response) => answer(response, "own"));
  await using session = openTestSession(site.url, { publicOnly: { butSite: `${site.url}/start` } });
  assert.equal((await session.http.get("/")).text, "own");
  const failure = await failureOf(() => session.http.get(`http://127.0.0.1:${trap.port}/`));
  assert.deepEqual([failure.kind, trap.arrived()], ["forbidden-target", 0]);
});

test("a socket that was opened for a request that may go anywhere serves no guarded one", async () => {
  await using site = await openTestSite((_, response) => answer(response, "own"));
  const transport = createTransport();
  const caps = {
    timeoutMs: 10_000,
    bodyBytes: 100,
    signal: new AbortController().signal,
    meter: { bytes: 0 },
  };
  const wire = { method: "GET", url: new URL(site.url), headers: [] };
  await transport.send(wire, caps);
  const refused = await failureOf(() => transport.send({ ...wire, isGuarded: true }, caps));
  await transport.close();
  assert.deepEqual([refused.kind, site.seen.length], ["forbidden-target", 1]);
});

test("the operator's list allows hosts by name and addresses by network", async () => {
  await using site = await openTestSite((_, response) => answer(response, "inside"));
  const { port } = new URL(site.url);
  const { lookup } = resolver({ "intranet.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]] });
  const read = async (allow: readonly string[], host: string): Promise<string> => {
    await using session = openTestSession(PUBLIC_SITE, { ...guarded, guard: { lookup, allow } });
    return (await session.http.get(`http://${host}:${port}/`)).text;
  };
  assert.equal(await read(["Intranet.Example."], "intranet.example"), "inside");
  assert.equal(await read(["127.0.0.0/8"], "other.example"), "inside");
  assert.equal(await read(["127.0.0.0/8"], "127.0.0.1"), "inside");
  assert.equal((await failureOf(() => read(["intranet.example"], "other.example"))).kind, "forbidden-target");
  assert.equal((await failureOf(() => read(["10.0.0.0/8"], "127.0.0.1"))).kind, "forbidden-target");
});

test("without a guard any address is allowed", async () => {
  await using site = await openTestSite((_, response) => answer(response, "local"));
  await using session = openTestSession(site.url);
  assert.equal((await session.http.get("/")).text, "local");
});

test("a name that is not found is a broken connection, not a forbidden target", async () => {
  await using session = openTestSession(PUBLIC_SITE, { ...guarded, guard: resolver({}) });
  assert.equal((await failureOf(() => session.http.get("/"))).kind, "connection");
});

test("a webhook's URL is checked when it is created, and again when it is called", async () => {
  await using trap = await openTrap();
  const { lookup } = resolver({ "hook.example": [["10.0.0.7"]], "fine.example": [["93.184.216.34"]] });
  assert.match(
    (await checkTarget(new URL("http://hook.example/"), { lookup }))!,
    /^hook\.example does not resolve to a public address$/,
  );
  assert.match((await checkTarget(new URL("http://169.254.169.254/"), { lookup }))!, /cloud metadata/);
  assert.match((await checkTarget(new URL("file:///etc/passwd"), { lookup }))!, /not an http or https URL/);
  assert.equal(await checkTarget(new URL("https://fine.example/"), { lookup }), undefined);
  assert.equal(await checkTarget(new URL("https://unknown.example/"), { lookup }), undefined);
  const dispatcher = guardedDispatcher({ lookup });
  const posted = request(`http://127.0.0.1:${trap.port}/`, { dispatcher, method: "POST", body: "{}" });
  await assert.rejects(
    posted,
    (error) => error instanceof FailureError && error.failure.kind === "forbidden-target",
  );
  await dispatcher.destroy();
  assert.equal(trap.arrived(), 0);
});
