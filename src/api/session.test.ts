import assert from "node:assert/strict";
import { test } from "node:test";
import { makeKey } from "../services/secrets.ts";
import { cookieOf, refuseForeign, sealSession, SessionCache } from "./session.ts";

const NOW = 1_800_000_000_000;
const { key, info } = makeKey("acme", "client", NOW);
const other = makeKey("acme", "admin", NOW);
const openAt = async (cookie: string, now: number) =>
  await new SessionCache(
    async () => [other.info, info],
    () => now,
  ).open(cookie);

test("a session gives back its key until it expires", async () => {
  const cookie = sealSession({ key, expiresAt: NOW + 1000 }, info);
  assert.equal((await openAt(cookie, NOW))?.key, key);
  assert.equal(await openAt(cookie, NOW + 1000), undefined);
  assert.ok(!cookie.includes(key.split("_")[2]!));
});

test("a session that is kept in memory expires, too", async () => {
  let now = NOW;
  const sessions = new SessionCache(
    async () => [info],
    () => now,
  );
  const cookie = sealSession({ key, expiresAt: NOW + 1000 }, info);
  assert.ok(await sessions.open(cookie));
  now += 1000;
  assert.equal(await sessions.open(cookie), undefined);
});

test("a changed session, and one for another key, are worth nothing", async () => {
  const cookie = sealSession({ key, expiresAt: NOW + 1000 }, info);
  assert.equal(await openAt(`${cookie.slice(0, -2)}AA`, NOW), undefined);
  assert.equal(await openAt(cookie.replace(info.id, other.info.id), NOW), undefined);
  assert.equal(await openAt("", NOW), undefined);
  assert.equal(await openAt("nonsense", NOW), undefined);
  // Whoever reads the registry knows the hash, and can seal; but not a key that has this hash.
  const forged = sealSession({ key: other.key, expiresAt: NOW + 1000 }, info);
  assert.equal(await openAt(forged, NOW), undefined);
});

test("the cookie is found among others", () => {
  assert.equal(cookieOf({ headers: { cookie: "a=b; sluice_session=x.y~z; c=d" } }), "x.y~z");
  assert.equal(cookieOf({ headers: { cookie: "not_sluice_session=1" } }), undefined);
  assert.equal(cookieOf({ headers: {} }), undefined);
});

test("a change by cookie needs the header and the own origin; a read does not", () => {
  const host = "127.0.0.1:7070";
  const change = (headers: Readonly<Record<string, string>>) => () =>
    refuseForeign({ method: "POST", headers: { host, ...headers } });
  assert.throws(change({}), { code: "forbidden" });
  assert.throws(change({ "x-sluice-session": "1", origin: "https://evil.example" }), { code: "forbidden" });
  assert.throws(change({ "x-sluice-session": "1", origin: "null" }), { code: "forbidden" });
  assert.doesNotThrow(change({ "x-sluice-session": "1", origin: `http://${host}` }));
  assert.doesNotThrow(() => refuseForeign({ method: "GET", headers: {} }));
});
