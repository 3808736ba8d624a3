import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { fetch } from "undici";
import { detailPath } from "./pages.ts";
import { DEFAULT_SEED, parcelId } from "./parcels.ts";
import { type CountyOptions, startCounty } from "./site.ts";
import { PLAIN_TROUBLES } from "./troubles.ts";
import type { Truth } from "./truth.ts";
import { formValues, type Patience, searchFor, visit } from "./visitor.ts";

const PATIENCE: Patience = { requestMs: 60_000, bytes: 1_000_000, tries: 2 };
/** For pages that never come to their end, or not at first. On a busy machine a good page may take longer. */
const SHORT: Readonly<Record<string, Patience>> = {
  hang: { ...PATIENCE, requestMs: 1500 },
  trickle: { ...PATIENCE, requestMs: 1500 },
  // On a busy machine the first tries may end before the site has seen one of them.
  timeout: { ...PATIENCE, requestMs: 1500, growsBy: 4, tries: 5 },
};
const MANNERS = { dripMs: 50, hugeMegabytes: 4, bombMegabytes: 8 };
const EVERY_TROUBLE = Object.fromEntries(PLAIN_TROUBLES.map((name) => [name, 4]));
const EACH = 6;

const firstParcel = parcelId(DEFAULT_SEED, 0);

test("every trouble ends as the truth file says for a patient visitor", async () => {
  await using county = await startCounty({ parcels: 600, troubles: EVERY_TROUBLE, manners: MANNERS });
  const chosen = firstOfEach(county.truth());
  assert.deepEqual(new Set(chosen.map(({ trouble }) => trouble)), new Set(["none", ...PLAIN_TROUBLES]));
  await Promise.all(
    chosen.map(async ({ parcel, trouble, ...expected }) =>
      assert.deepEqual(
        await visit(county.url, parcel, SHORT[trouble] ?? PATIENCE),
        expected,
        `${trouble} of ${parcel}`,
      ),
    ),
  );
});

test("a passing trouble ends after the configured number of requests, and the others never end", async () => {
  const manners = { ...MANNERS, failingRequests: 2 };
  await using county = await startCounty({ troubles: "error=50,block=50", manners });
  const statuses = async (trouble: string) => {
    const { parcel } = [...county.truth()].find((truth) => truth.trouble === trouble) ?? assert.fail();
    const seen: number[] = [];
    for (let i = 0; i < 4; i++) seen.push((await fetch(county.url + detailPath(parcel))).status);
    return seen;
  };
  assert.deepEqual(await statuses("error"), [500, 500, 200, 200]);
  assert.deepEqual(await statuses("block"), [403, 403, 403, 403]);
});

test("the same options give the same county, another seed another one", async () => {
  const [one, same, other] = [await look({}), await look({}), await look({ seed: 1 })];
  assert.deepEqual(one, same);
  assert.notDeepEqual(one.truth, other.truth);
  assert.notEqual(one.page, other.page);
});

test("a search is refused without the cookie, the hidden fields, or with those of another session", async () => {
  await using county = await startCounty();
  const open = async () => {
    const response = await fetch(county.url);
    const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const form = formValues(await response.text());
    form.set("parcel", firstParcel);
    return { cookie, form };
  };
  const post = async (cookie: string, body: URLSearchParams) => {
    const response = await fetch(`${county.url}/search.aspx`, { method: "POST", body, headers: { cookie } });
    const html = await response.text();
    return [response.status, /class="(detail|error)"|id="search"/.exec(html)?.[0] ?? "neither"];
  };
  const { cookie, form } = await open();
  const other = await open();

  assert.deepEqual(await post(cookie, form), [200, 'class="detail"']);
  assert.deepEqual(await post("", form), [200, 'class="error"']);
  assert.deepEqual(await post(cookie.replace(/.$/, "x"), form), [200, 'class="error"']);
  assert.deepEqual(await post(cookie, other.form), [500, "neither"]);
  for (const name of ["__VIEWSTATE", "__EVENTVALIDATION", "ctl00$ddlTaxYear", "ctl00$rblSearchType"]) {
    assert.deepEqual(await post(cookie, without(form, name)), [500, "neither"], name);
  }
  assert.deepEqual(await post(cookie, without(form, "ctl00$btnSearch")), [200, 'id="search"']);
});

test("the detail page is of a real page's size and links to its bill", async () => {
  await using county = await startCounty();
  const page = await fetch(county.url + detailPath(firstParcel));
  const html = await page.text();
  assert.ok(html.length > 9000 && html.length < 15_000, String(html.length));
  const bill = await fetch(new URL(/class="bill-pdf" href="([^"]+)"/.exec(html)?.[1] ?? "", page.url));
  assert.equal(bill.headers.get("content-type"), "application/pdf");
  assert.equal((await bill.text()).slice(0, 5), "%PDF-");
});

test("a parcel beyond the last one, or no parcel at all, is politely not found", async () => {
  await using county = await startCounty({ parcels: 10 });
  for (const parcel of [parcelId(DEFAULT_SEED, 10), "12", "", "<b>"]) {
    assert.deepEqual(await visit(county.url, parcel, PATIENCE), { state: "absent" });
  }
});

test("robots.txt closes /private and names the delay it was given", async () => {
  await using county = await startCounty({ crawlDelay: 2 });
  const robots = await (await fetch(`${county.url}/robots.txt`)).text();
  assert.equal(robots, "User-agent: *\nDisallow: /private\nCrawl-delay: 2\n");
});

test("a changed layout loses every field, three of them, or what the search finds", async () => {
  await using county = await startCounty();
  assert.equal((await visit(county.url, firstParcel, PATIENCE)).quality, "complete");

  county.changeLayout("some");
  const half = await visit(county.url, firstParcel, PATIENCE);
  assert.equal(half.quality, "partial");
  const lost = Object.keys(half.fields ?? {}).filter((name) => half.fields?.[name] === "missing");
  assert.deepEqual(
    lost.filter((name) => name !== "exemptions"),
    ["marketValue", "assessedValue", "taxDue"],
  );

  county.changeLayout("all");
  assert.equal((await visit(county.url, firstParcel, PATIENCE)).kind, "structure-changed");

  county.changeLayout("search");
  assert.deepEqual(await visit(county.url, firstParcel, PATIENCE), { state: "absent" });
});

test("the layout changes by itself after the given number of detail pages", async () => {
  await using county = await startCounty({ changeAfterItems: 3, changeTo: "all" });
  const seen: string[] = [];
  for (let n = 0; n < 5; n++) {
    const { state } = await visit(county.url, parcelId(DEFAULT_SEED, n), PATIENCE);
    seen.push(state);
  }
  assert.deepEqual(seen, ["done", "done", "done", "failed", "failed"]);
  assert.equal(county.change?.before.detail, 3);
  assert.equal(county.requests.detail, 5);
});

test("several hosts share a port, and each request is counted where it arrived", async (t) => {
  if (process.platform !== "linux") return t.skip("only Linux answers on all of 127.0.0.0/8 unasked");
  await using county = await startCounty({ hosts: 3 });
  assert.equal(new Set(county.urls.map((url) => new URL(url).port)).size, 1);
  for (const url of county.urls) await searchFor(url, firstParcel);
  assert.deepEqual(
    county.arrivals.map(({ host, path }) => `${host}${path}`),
    ["127.0.0.1", "127.0.0.2", "127.0.0.3"].flatMap((host) => [`${host}/search`, `${host}/search.aspx`]),
  );
  assert.equal(county.requests.total, 6);
  const times = county.arrivals.map(({ at }) => at);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test("a request that got no answer is in the log with status 0 once the site has closed", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "county-"));
  t.after(() => rm(folder, { recursive: true }));
  const log = join(folder, "log.jsonl");
  const county = await startCounty({ troubles: "hang=100", log });
  const hung = assert.rejects(fetch(county.url + detailPath(firstParcel)));
  while (county.requests.detail === 0) await setImmediate();
  await county.close();
  await hung;
  const { parcel, status } = JSON.parse(await readFile(log, "utf8"));
  assert.deepEqual({ parcel, status }, { parcel: firstParcel, status: 0 });
});

async function look(options: CountyOptions): Promise<{ truth: Truth[]; page: string }> {
  await using county = await startCounty({ parcels: 300, troubles: "all", ...options });
  const page = await fetch(county.url + detailPath(firstParcel));
  return { truth: [...county.truth()], page: await page.text() };
}

const without = (form: URLSearchParams, name: string): URLSearchParams =>
  new URLSearchParams([...form].filter(([key]) => key !== name));

function firstOfEach(truths: Iterable<Truth>): Truth[] {
  const seen = new Map<string, number>();
  return [...truths].filter(({ trouble }) => {
    seen.set(trouble, (seen.get(trouble) ?? 0) + 1);
    return (seen.get(trouble) ?? 0) <= EACH;
  });
}
