/** Recordings in the tab of an item: the gate, the archive and the limits are those of every browser scraper. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parseRecording } from "../../src/recordings/parse-recording.ts";
import { browserOrSkip } from "../browser.ts";
import { endOf, type ItemResult, startBrowserKit, startSite } from "./browser-kit.ts";
import { click, custom } from "./replay-kit.ts";

type Site = Parameters<typeof startSite>[0];
type Options = Parameters<Awaited<ReturnType<typeof startBrowserKit>>["run"]>[2];

const played = async (
  t: TestContext,
  answers: Site,
  steps: readonly object[],
  options: Options = {},
): Promise<ItemResult | undefined> => {
  if (!(await browserOrSkip(t))) return undefined;
  await using kit = await startBrowserKit();
  await using site = await startSite(answers);
  const recording = parseRecording({ title: "test", steps });
  return await kit.run(site.url, (_page, player) => player.replay(recording, { allowsCode: false }), options);
};

const SEARCH = `<h1>Search</h1><input id="parcel"><button>Search</button><div id="result"></div><script>
  document.querySelector("button").onclick = async () => {
    result.textContent = await (await fetch("/api/" + parcel.value)).text();
    result.className = "ready";
  }</script>`;

test("requests of a recording wait for slots, and the waiting is not counted as time of a step", async (t) => {
  const result = await played(
    t,
    { "/": SEARCH, "/api/42": (_, response) => void response.end("Owner: Ann") },
    [
      { type: "navigate", url: "/" },
      { type: "change", selectors: ["#parcel"], value: "42" },
      click('aria/Search[role="button"]'),
      { type: "waitForElement", selectors: [".ready"], timeout: 100 },
      custom("extract", { name: "detail" }),
    ],
    // Longer than the shortest time of a step.
    { gate: async ({ pathname }) => void (pathname !== "/" && (await delay(3000))) },
  );
  if (!result) return;
  assert.equal(endOf(result), "pages", JSON.stringify(result.ended === "failure" && result.failure));
  assert.deepEqual(result.slots, ["/", "/api/42"]);
  const [page] = result.session.kept.pages;
  assert.equal(page?.name, "detail");
  assert.match(page?.text ?? "", /Owner: Ann/);
});

test("frames and popups are kept with their own URLs; a file is kept as a file", async (t) => {
  const result = await played(
    t,
    {
      "/": `<iframe src="/frame"></iframe><button onclick="window.open('/popup')">open</button><a href="/bill">Bill</a>`,
      "/frame": "<p>in the frame</p>",
      "/popup": "<p>in the popup</p>",
      "/bill": (_, response) =>
        void response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.4 bill"),
    },
    [
      { type: "navigate", url: "/" },
      { type: "waitForElement", selectors: ["p"], frame: [0] },
      { ...custom("extract", { name: "frame" }), frame: [0] },
      click("button"),
      { type: "waitForElement", selectors: ["p"], target: "popup/1" },
      { ...custom("extract", { name: "popup" }), target: "popup/1" },
      custom("download", { name: "bill", selectors: ["aria/Bill"] }),
    ],
  );
  if (!result) return;
  assert.equal(endOf(result), "pages", JSON.stringify(result.ended === "failure" && result.failure));
  const kept = result.session.kept.pages.map(({ name, url, text }) => [name, new URL(url).pathname, text]);
  assert.deepEqual(
    kept.map(([name, path]) => [name, path]),
    [
      ["frame", "/frame"],
      ["popup", "/popup"],
    ],
  );
  assert.match(String(kept[1]![2]), /in the popup/);
  assert.deepEqual(
    result.files.map(({ size }) => size),
    ["%PDF-1.4 bill".length],
  );
});

test("a step that finds nothing ends with the failure of the request that is to blame", async (t) => {
  const answers: Site = {
    "/": `<a href="/down">go</a><b onclick="location = '/huge'">huge</b>`,
    "/huge": (_, response) =>
      void response.writeHead(200, { "content-type": "text/html" }).end("x".repeat(200_000)),
    "/down": (_, response) => void response.writeHead(500).end("<p>down</p>"),
    "/gone": (_, response) =>
      void response.writeHead(404, { "content-type": "text/html" }).end("<p>No such parcel</p>"),
  };
  const open = { type: "navigate", url: "/" };
  const gone = { type: "navigate", url: "/gone" };
  const absent = custom("absentIf", { selectors: ["p"], text: "no such" });
  for (const [steps, end] of [
    [[open, click("a"), { ...click("#detail"), timeout: 100 }], "server-error"],
    [[open, click("a"), custom("extract", { name: "detail" })], "server-error"],
    [[open, { ...click("b"), assertedEvents: [{ type: "navigation" }] }], "too-large"],
    [[gone, custom("extract", { name: "detail" })], "navigation"],
    [[gone, absent], "absent"],
    [[open, absent, { ...click("#detail"), timeout: 100 }], "navigation"],
  ] as const) {
    const result = await played(t, answers, steps, { limits: { bodyBytes: 100_000 } });
    if (result) assert.equal(endOf(result), end, JSON.stringify(steps));
  }
});

test("a recording ends with the time of its item, and a page that hangs costs the tab", async (t) => {
  const answers = {
    "/": `<p>x`,
    "/hang": `<button onclick="setTimeout(() => { for (;;); })">hang</button>`,
  };
  const long = [{ type: "navigate", url: "/" }, custom("pause", { ms: 600_000 })];
  const late = await played(t, answers, long, { limits: { itemMs: 1500 } });
  if (!late) return;
  assert.equal(endOf(late), "timeout");
  const again = { type: "waitForElement", selectors: ["#never"], timeout: 30_000 };
  const hung = await played(t, answers, [{ type: "navigate", url: "/hang" }, click("button"), again]);
  assert.equal(hung && endOf(hung), "browser");
});
