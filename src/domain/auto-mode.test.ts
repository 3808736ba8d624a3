import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AutoState,
  chooseWay,
  evidenceOf,
  goesOn,
  learn as learnFrom,
  NOTHING_LEARNED,
  observe,
  templateOf,
  type Way,
  type WayResult,
} from "./auto-mode.ts";
import type { FailureKind } from "./failure.ts";

const good = (way: Way): WayResult => ({ way, ended: "pages", missing: [] });
const shell: WayResult = {
  way: "http",
  ended: "pages",
  missing: ["owner"],
  failure: { kind: "structure-changed", detail: "none of its fields was found" },
  sign: "the page has an empty app root",
};
const absent = (way: Way): WayResult => ({ way, ended: "absent", missing: [] });
const failed = (way: Way, kind: FailureKind, detail = "it failed"): WayResult => ({
  way,
  ended: "failure",
  missing: [],
  failure: { kind, detail },
});

const learn = (state: AutoState, results: { http?: WayResult; browser?: WayResult }): AutoState => {
  const seen = observe(results);
  return seen ? learnFrom(state, seen) : state;
};

/** One item of a page that looks like this over HTTP and in the browser. */
const runItem = (
  state: AutoState,
  page: { readonly http: WayResult; readonly browser: WayResult },
): { readonly ways: readonly Way[]; readonly state: AutoState } => {
  const chosen = chooseWay(state);
  if (chosen.way === "browser")
    return { ways: ["browser"], state: learn(chosen.state, { browser: page.browser }) };
  if (!goesOn(chosen.state, page.http))
    return { ways: ["http"], state: learn(chosen.state, { http: page.http }) };
  return { ways: ["http", "browser"], state: learn(chosen.state, page) };
};

const PLAIN = { http: good("http"), browser: good("browser") };
const SCRIPTED = { http: shell, browser: good("browser") };

/** Where each item of a series ended. */
const runAll = (pages: readonly (typeof PLAIN)[], state = NOTHING_LEARNED) => {
  const ways: (readonly Way[])[] = [];
  for (const page of pages) {
    const done = runItem(state, page);
    ways.push(done.ways);
    state = done.state;
  }
  return { ways, state };
};

test("plain pages stay with HTTP, and no browser is ever started", () => {
  const { ways, state } = runAll(Array.from({ length: 1000 }, () => PLAIN));
  assert.ok(ways.every((each) => each.join() === "http"));
  assert.equal(state.way, "http");
});

test("three pages that need scripts switch to the browser; HTTP is tried again less and less often, finally every 200 items", () => {
  const { ways, state } = runAll(Array.from({ length: 2000 }, () => SCRIPTED));
  const checks = ways.flatMap((each, at) => (each[0] === "http" ? [at] : []));
  assert.deepEqual(checks.slice(0, 6), [0, 1, 2, 4, 6, 8]);
  assert.equal(checks.at(-1)! - checks.at(-2)!, 201);
  assert.ok(checks.length < 50, `${checks.length}`);
  assert.match(
    state.reason,
    /^a browser is needed: over HTTP owner missing, and the page has an empty app root$/,
  );
});

test("a site that no longer needs scripts is noticed by the check", () => {
  const before = runAll(Array.from({ length: 1000 }, () => SCRIPTED));
  const after = runAll(
    Array.from({ length: 300 }, () => PLAIN),
    before.state,
  );
  assert.deepEqual(after.ways.at(-1), ["http"]);
});

test("a site that starts to need scripts is recognised after fifty pages, because single such pages are normal", () => {
  const before = runAll(Array.from({ length: 10 }, () => PLAIN));
  const few = runAll(
    Array.from({ length: 49 }, () => SCRIPTED),
    before.state,
  );
  assert.equal(few.state.way, "http");
  assert.equal(runAll([SCRIPTED], few.state).state.way, "browser");
});

test("in any mix of both, nearly every item uses the right collector after the first fifty", () => {
  let seed = 1;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (const share of [0, 0.1, 0.5, 0.8, 1]) {
    let [right, all] = [0, 0];
    for (let site = 0; site < 200; site++) {
      const pages = Array.from({ length: 300 }, () => (random() < share ? SCRIPTED : PLAIN));
      const { ways } = runAll(pages);
      for (const [at, each] of ways.entries()) {
        if (at < 50) continue;
        all++;
        if (each.at(-1) === (pages[at] === PLAIN ? "http" : "browser")) right++;
      }
    }
    assert.ok(right / all >= 0.99, `${share}: ${right} of ${all}`);
  }
});

test("a site that is down does not change what was learned", () => {
  const kinds = [
    "timeout",
    "connection",
    "server-error",
    "maintenance",
    "rate-limited",
    "bad-content",
    "captcha",
  ] as const;
  for (const kind of kinds) {
    const down = { http: failed("http", kind), browser: failed("browser", kind) };
    for (const before of [[], [PLAIN], [SCRIPTED, SCRIPTED, SCRIPTED, SCRIPTED]]) {
      const { state } = runAll(before);
      const { ways, state: after } = runAll(
        Array.from({ length: 50 }, () => down),
        state,
      );
      assert.deepEqual(
        { ...after, checkIn: 0, gap: 0 },
        { ...state, checkIn: 0, gap: 0 },
        `${kind}, ${state.way}`,
      );
      // If HTTP comes first, a failing site is not requested twice.
      if (state.way === "http") assert.ok(ways.every((each) => each.join() === "http"));
    }
  }
});

test("missing or malformed fields on a page without signs of scripts do not change what was learned", () => {
  const { sign: _sign, ...changed } = shell;
  assert.equal(evidenceOf(changed), "nothing");
  assert.equal(goesOn(NOTHING_LEARNED, changed), false);
  // Malformed fields are not missing.
  assert.equal(evidenceOf({ ...good("http"), sign: "little text" }), "good");
});

test("a page that the browser cannot read either does not change what was learned", () => {
  for (const browser of [
    failed("browser", "structure-changed"),
    failed("browser", "browser"),
    failed("browser", "timeout"),
  ])
    assert.equal(learn(NOTHING_LEARNED, { http: shell, browser }), NOTHING_LEARNED);
});

test("a challenge that a browser passes counts; a captcha and a plain refusal do not", () => {
  const challenge = failed("http", "blocked", "the site answered 403: Cloudflare challenge");
  const { ways, state } = runAll(
    Array.from({ length: 4 }, () => ({ http: challenge, browser: good("browser") })),
  );
  assert.deepEqual(
    ways.map((each) => each.length),
    [2, 2, 2, 1],
  );
  assert.match(state.reason, /Cloudflare challenge/);
  for (const other of [
    failed("http", "captcha", "the site answered 403: Cloudflare captcha"),
    failed("http", "blocked", "the site answered 403: F5 firewall"),
    failed("http", "blocked", "the site answered 403"),
  ])
    assert.equal(goesOn(NOTHING_LEARNED, other), false);
});

test("absent over HTTP is confirmed once by the browser, and then trusted", () => {
  const gone = { http: absent("http"), browser: absent("browser") };
  const { ways, state } = runAll([PLAIN, gone, gone, gone]);
  assert.deepEqual(ways, [["http"], ["http", "browser"], ["http"], ["http"]]);
  assert.equal(state.way, "http");
  // A page that looks built by scripts is asked again anyway.
  assert.equal(goesOn(state, { ...absent("http"), sign: "the page has an empty app root" }), true);
});

test("absent over HTTP that the browser finds is never trusted, and counts as a page that needs scripts", () => {
  const wrong = { http: absent("http"), browser: good("browser") };
  const gone = { http: absent("http"), browser: absent("browser") };
  const { ways, state } = runAll([gone, wrong]);
  // The first was confirmed; nothing shows that the second is not as good.
  assert.deepEqual(ways, [["http", "browser"], ["http"]]);
  const doubting = runAll([wrong, gone, gone]);
  assert.deepEqual(doubting.ways, [
    ["http", "browser"],
    ["http", "browser"],
    ["http", "browser"],
  ]);
  assert.equal(doubting.state.absent, "doubted");
  assert.equal(state.absent, "trusted");
});

test("an absence that cannot be confirmed now leaves the state as it is", () => {
  const results = { http: absent("http"), browser: failed("browser", "timeout") };
  assert.equal(learn(NOTHING_LEARNED, results), NOTHING_LEARNED);
});

test("a layout change in the browser lets the next item try HTTP", () => {
  const { state } = runAll(Array.from({ length: 100 }, () => SCRIPTED));
  const between = { ...state, checkIn: 50 };
  assert.equal(chooseWay(between).way, "browser");
  const changed = learn(between, { browser: failed("browser", "structure-changed") });
  assert.equal(chooseWay(changed).way, "http");
});

test("pages of one template have the same path except for numbers and long names", () => {
  const of = (url: string): string => templateOf({ url });
  assert.equal(of("https://a.example/parcel/123?x=1"), of("https://a.example/parcel/99"));
  assert.notEqual(of("https://a.example/parcel/123"), of("https://a.example/app/123"));
  assert.notEqual(of("https://a.example/x"), of("https://b.example/x"));
  assert.equal(templateOf({ parcel: "0100" }), "");
});
