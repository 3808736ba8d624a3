/** Every page of the dashboard with the data of the demo that stays: nothing is empty, all are accessible in light and dark, and fit 320 px. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chromium, type Request } from "playwright-core";
import { SluiceClient } from "../../src/client.ts";
import { browserOrSkip } from "../browser.ts";
import { openWindow } from "./dashboard-kit.ts";
import { pagesOfDemo, startStayingDemo } from "./staying-demo.ts";

/** Pages with other data: the same elements in the same colours. */
const ALIKE = new Set(["jobs-done", "job-paused", "job-loading", "items-failed", "item-partial", "release"]);

// On a busy machine, axe takes many seconds for a page.
const TITLE = "the demo that stays has data on every page of the dashboard, and ends with Ctrl-C";
test(TITLE, { timeout: 1_200_000 }, async (t) => {
  const found = await browserOrSkip(t);
  if (!found) return;
  const folder = mkdtempSync(join(tmpdir(), "sluice-demo-stay-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await using demo = await startStayingDemo(folder);
  const { url, key } = demo;
  const browser = await chromium.launch({ executablePath: found.path, args: ["--no-sandbox"] });
  t.after(() => browser.close());
  await using window = await openWindow(browser, url, { key });
  const { page } = window;
  const pages = Object.entries(await pagesOfDemo(new SluiceClient({ server: url, key })));
  for (const [name, path] of pages)
    await t.test(name, async () => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await window.open(path);
      await window.settled();
      // Events arrive a moment after the page, and on a busy machine much later.
      const empty = page.locator(".empty:not(.good):visible, .problem:visible");
      await empty
        .first()
        .waitFor({ state: "hidden", timeout: 120_000 })
        .catch(async () => assert.deepEqual(await empty.allTextContents(), []));
      if (!ALIKE.has(name)) await window.assertAccessible({ allInDark: true });
      await page.setViewportSize({ width: 320, height: 900 });
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.ok(width <= 320, `${path} is ${width} px wide`);
    });
  // Every place that the navigation leads to was looked at.
  await page.setViewportSize({ width: 1280, height: 900 });
  const links = await page
    .locator(".side nav a")
    .evaluateAll((all) => all.map((link) => (link as unknown as { readonly pathname: string }).pathname));
  const seen = new Set(pages.map(([, path]) => path.split("?")[0]));
  assert.ok(links.length > 10);
  assert.deepEqual(
    links.filter((path) => !seen.has(path)),
    [],
  );
  await t.test("streams of events end with the pages that opened them", async () => {
    const open = new Set<Request>();
    page.on("request", (request) => request.url().includes("/v1/events") && open.add(request));
    page.on("requestfailed", (request) => open.delete(request));
    const opened = page.waitForRequest(/\/v1\/events/);
    await window.open("/jobs");
    await opened;
    // By links, within one document: a browser opens six connections to a server at the most.
    for (const path of ["/", "/jobs", "/lanes", "/events", "/workers", "/", "/events", "/jobs"]) {
      await page.locator(`.side nav a[href="${path}"]`).click();
      await page.waitForURL(`**${path}`);
      await window.settled();
    }
    while (open.size > 1) await page.waitForEvent("requestfailed");
  });
  assert.equal(await demo.stop(), 0);
});
