import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { decodeHTML } from "entities";
import { fetch } from "undici";
import { DEFAULT_SEED, parcelId } from "../parcels.ts";
import { type County, startCounty } from "../site.ts";
import { numberOfReference, referenceOf } from "./reference.ts";
import { SIGNING_KEY } from "./tokens.ts";

const first = parcelId(DEFAULT_SEED, 0);

test("a search with the page's tokens finds a reference, and the reference leads to the property", async () => {
  await using county = await startCounty();
  const page = await openSearch(county);
  const { status, hits } = await search(county, page, first);
  assert.equal(status, 200);
  assert.equal(numberOfReference(DEFAULT_SEED, hits[0]?.reference ?? ""), 0);
  const property = await propertyOf(county, hits[0]?.reference ?? "");
  assert.equal((property.body["account"] as Record<string, unknown>)["parcel"], first);
  assert.equal((await search(county, page, "0000000000")).hits.length, 0);
});

test("a search is refused without its cookie or with tokens of another page", async () => {
  await using county = await startCounty();
  const [page, other] = [await openSearch(county), await openSearch(county)];
  assert.equal((await search(county, { ...page, cookie: "" }, first)).status, 401);
  assert.equal((await search(county, { ...page, csrf: other.csrf }, first)).status, 403);
  assert.equal((await search(county, { ...page, form: other.form }, first)).status, 403);
  assert.equal((await search(county, page, first)).status, 200);
});

test("one-time tokens are accepted once", async () => {
  await using county = await startCounty({ switches: "one-time" });
  const page = await openSearch(county);
  assert.equal((await search(county, page, first)).status, 200);
  assert.equal((await search(county, page, first)).status, 403);
});

test("a signed site refuses a property without the signature of reference, key and minute", async () => {
  await using county = await startCounty({ switches: ["signed"] });
  const reference = referenceOf(DEFAULT_SEED, 0);
  const minute = Math.floor(Date.now() / 60_000);
  const sig = hash("sha256", `${reference}${SIGNING_KEY}${minute}`, "hex");
  assert.equal((await propertyOf(county, reference, `?sig=${sig}`)).status, 200);
  assert.equal((await propertyOf(county, reference)).status, 403);
  assert.equal((await propertyOf(county, referenceOf(DEFAULT_SEED, 1), `?sig=${sig}`)).status, 403);
});

test("the list comes in batches and leaves out what the county does not have", async () => {
  await using county = await startCounty({ parcels: 100, troubles: "absent=20" });
  const listed: string[] = [];
  for (let next: number | null = 0; next !== null;) {
    const answer = await fetch(`${county.url}/api/list?from=${next}`);
    const batch = (await answer.json()) as { hits: { parcel: string }[]; next: number | null };
    listed.push(...batch.hits.map(({ parcel }) => parcel));
    next = batch.next;
  }
  const expected = [...county.truth()].filter(({ state }) => state === "done").map(({ parcel }) => parcel);
  assert.deepEqual(listed, expected);
});

test("the library is as large as a framework, may be cached and is validated by its tag", async () => {
  await using county = await startCounty();
  const answer = await fetch(`${county.url}/assets/library.js`);
  const size = (await answer.arrayBuffer()).byteLength;
  assert.ok(size > 150_000 && size < 200_000, String(size));
  assert.equal(answer.headers.get("cache-control"), "public, max-age=3600");
  const etag = answer.headers.get("etag") ?? "";
  const again = await fetch(answer.url, { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
});

test("troubles of scripts are in the truth of the scripted variant only, and move no other trouble", async () => {
  await using plain = await startCounty({ troubles: "all" });
  await using scripted = await startCounty({ troubles: "all", scripted: true });
  const [before, after, afterPlain] = [
    [...plain.truth()],
    [...scripted.truth()],
    [...scripted.truth({ scripted: false })],
  ];
  assert.deepEqual(
    after.map(({ trouble }) => (SCRIPT_ONLY.includes(trouble) ? "none" : trouble)),
    before.map(({ trouble }) => trouble),
  );
  const kinds = new Map<string, string>(
    after.map((truth) => [truth.trouble, truth.state === "failed" ? truth.kind : truth.state]),
  );
  assert.deepEqual(
    SCRIPT_ONLY.map((trouble) => [trouble, kinds.get(trouble)]),
    [
      ["loop", "browser"],
      ["endless", "timeout"],
      ["dialogs", "done"],
      ["unload", "done"],
      ["popups", "done"],
    ],
  );
  assert.ok(afterPlain.every((truth) => !SCRIPT_ONLY.includes(truth.trouble) || truth.state === "done"));
});

const SCRIPT_ONLY: readonly string[] = ["loop", "endless", "dialogs", "unload", "popups"];

test("unknown switches and a second host that is not there are refused", async () => {
  await assert.rejects(startCounty({ switches: "signed,locked" }), RangeError);
  await assert.rejects(startCounty({ switches: "iframe-other" }), RangeError);
});

interface SearchPage {
  readonly cookie: string;
  readonly csrf: string;
  readonly form: string;
}

async function openSearch({ url }: County): Promise<SearchPage> {
  const answer = await fetch(`${url}/app`);
  const html = await answer.text();
  const valueOf = (place: RegExp) => decodeHTML(place.exec(html)?.[1] ?? "");
  return {
    cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "",
    csrf: valueOf(/name="csrf-token" content="([^"]*)"/),
    form: valueOf(/name="form" value="([^"]*)"/),
  };
}

async function search({ url }: County, { cookie, csrf, form }: SearchPage, parcel: string) {
  const answer = await fetch(`${url}/api/search`, {
    method: "POST",
    headers: { cookie, "x-csrf-token": csrf, "content-type": "application/json" },
    body: JSON.stringify({ parcel, form }),
  });
  const { hits = [] } = (await answer.json()) as { hits?: { reference: string }[] };
  return { status: answer.status, hits };
}

async function propertyOf({ url }: County, reference: string, query = "") {
  const answer = await fetch(`${url}/api/property/${encodeURIComponent(reference)}${query}`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
