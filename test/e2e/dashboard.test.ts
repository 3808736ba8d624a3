import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { browserOrSkip } from "../browser.ts";
import { DashboardKit } from "./dashboard-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-dashboard-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Presses a key until the wanted element has the focus: everything can be reached by keyboard. */
const tabTo = async (page: Page, name: string, key = "Tab"): Promise<void> => {
  for (let presses = 0; presses < 200; presses++) {
    const focused = await page.evaluate<string>(
      "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent.trim() ?? ''",
    );
    if (focused === name) return;
    await page.keyboard.press(key);
  }
  assert.fail(`${name} is not reached by ${key}`);
};

test("the stories of the dashboard, by keyboard", async (t) => {
  const browser = await browserOrSkip(t);
  if (!browser) return;
  await using kit = await DashboardKit.open(join(folder, "project"), browser.path);
  const { service } = kit;
  const ended = await kit.endedJob();
  const held = await kit.heldJob();

  await t.test(
    "sign-in: a wrong key keeps the page, a right one opens it, and the cookie is out of reach",
    async () => {
      await using window = await kit.window({ key: "" });
      const { page } = window;
      await page.goto(window.url);
      await page.getByLabel("API key").fill("sluice_00000000_0000000000000000000000000000000000000000");
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("unknown or was revoked").waitFor();
      assert.match(await page.getByLabel("API key").inputValue(), /^sluice_0/, "what was typed is kept");
      await window.assertAccessible();
      await page.getByLabel("API key").fill(service.key);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Now" }).waitFor();
      const [cookie] = await window.context.cookies();
      assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, "Strict"]);
      assert.ok(!cookie!.value.includes(service.key), "the cookie does not contain the key");
      assert.equal(await page.evaluate("document.cookie"), "");
      await window.press(page.getByRole("button", { name: "Sign out" }));
      await page.getByLabel("API key").waitFor();
      assert.equal((await window.context.cookies()).length, 0);
    },
  );

  await t.test("a client does not see the jobs of others, and its session ends with its key", async () => {
    await service.client.createClient({ name: "acme", itemsPerDay: 1000 });
    const { key, id } = await service.client.createKey("acme", "client");
    await using window = await kit.window({ key: key! });
    const { page } = window;
    await window.open("/jobs");
    await page.getByText("No jobs yet").waitFor();
    await page.goto(`${window.url}/jobs/${ended.id}`);
    await page
      .getByRole("alert")
      .getByText(/no such job|not found/i)
      .waitFor();
    await window.press(page.getByRole("link", { name: "Limits and use" }));
    await page.waitForURL(/limits$/);
    await page.reload();
    await page.getByRole("row", { name: /Items a day 1,000 0/ }).waitFor();
    await window.assertAccessible();
    await service.client.revokeKey("acme", id);
    await page.goto(`${window.url}/jobs`);
    await page.getByLabel("API key").waitFor();
  });

  await t.test("Now: the held lane comes first, and leads to its job", async () => {
    await using window = await kit.window();
    const { page } = window;
    await window.open("/");
    await page.getByText(/Lane .* is held/).waitFor();
    await page.getByText("1 connected").waitFor();
    await window.assertAccessible();
    await tabTo(page, `Lane ${held.held[0]!.lane} is held in renewed`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: held.id }).waitFor();
  });

  await t.test("Jobs: filters are in the URL, and survive reload, back and a shared link", async () => {
    await using window = await kit.window();
    const { page } = window;
    await window.open("/jobs");
    await page.getByRole("link", { name: held.id }).waitFor();
    await window.press(page.getByRole("group", { name: "State" }).getByRole("link", { name: "done" }));
    await page.getByRole("link", { name: held.id }).waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).search, "?state=done");
    await page.reload();
    await page.getByRole("link", { name: ended.id }).waitFor();
    assert.equal(await page.getByRole("link", { name: held.id }).count(), 0);
    await window.assertAccessible();
    await window.press(page.getByRole("link", { name: ended.id }));
    await page.getByRole("heading", { name: ended.id }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Jobs" }).waitFor();
    assert.equal(new URL(page.url()).search, "?state=done");
  });

  await t.test("Job: every count leads to its items", async () => {
    await using window = await kit.window();
    const { page } = window;
    await window.open(`/jobs/${ended.id}`);
    await window.assertAccessible();
    const { failed } = ended.counts.states;
    await window.press(
      page
        .locator(".legend")
        .getByRole("link", { name: String(failed), exact: true })
        .first(),
    );
    await page.getByRole("heading", { name: "Items" }).waitFor();
    await page
      .locator("tbody tr")
      .nth(failed - 1)
      .waitFor();
    assert.equal(await page.locator("tbody tr").count(), failed);
    // From a field's count to the items in which it is malformed.
    const [field, counts] = Object.entries(ended.fields).find(([, { malformed }]) => malformed > 0)!;
    await window.open(`/jobs/${ended.id}`);
    await window.press(page.locator(`a[href*="field=${field}"][href*="status=malformed"]`));
    await page
      .locator("tbody tr")
      .nth(counts.malformed - 1)
      .waitFor();
    assert.equal(await page.locator("tbody tr").count(), counts.malformed);
    await window.assertAccessible();
  });

  await t.test("Job: failures over time, as a chart and as a table, in local time and UTC", async () => {
    await using window = await kit.window();
    const { page } = window;
    await window.open(`/jobs/${ended.id}`);
    const chart = (what: string): Locator =>
      page.getByRole("img", { name: new RegExp(`^Number of ${what}`) });
    await chart("failed attempts").waitFor();
    await tabTo(page, "failed items");
    await page.keyboard.press("Enter");
    await chart("failed items").waitFor();
    await page.reload();
    const label = (await chart("failed items").getAttribute("aria-label"))!;
    for (const { kind, count } of ended.failures) assert.ok(label.includes(`${kind}: ${count}`), label);
    await window.press(page.getByText(/^As a table/));
    const rows = page.getByRole("region", { name: "Number of failed items over time" }).locator("tbody tr");
    await rows.first().waitFor();
    const cells = (await rows.locator("td.number").allInnerTexts()).map(Number);
    assert.equal(
      cells.reduce((sum, count) => sum + count, 0),
      ended.failures.reduce((sum, { count }) => sum + count, 0),
    );
    await window.assertAccessible();
    await window.press(page.getByRole("button", { name: /Times: local/ }));
    await rows.first().getByText("UTC").waitFor();
  });

  await t.test("Job: its lanes say what is left in them and why, and lead to the lane", async () => {
    await using window = await kit.window();
    const { page } = window;
    await window.open(`/jobs/${held.id}`);
    const lane = held.held[0]!.lane;
    const row = page.getByRole("region", { name: "Lanes of the job" }).getByRole("row", { name: lane });
    await row.getByText(/held:/).waitFor();
    const left = held.counts.accepted - held.progress.ended;
    assert.equal(await row.locator("td.number").first().innerText(), String(left));
    await tabTo(page, lane);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: lane }).waitFor();
    await page.getByText("Used lately").waitFor();
    await page.getByText("held by the breaker for a job").waitFor();
  });

  await t.test("Job: the breaker shows its chart, its limit and the pages that prove it", async () => {
    await using window = await kit.window();
    const { page } = window;
    await window.open(`/jobs/${held.id}`);
    await page.getByRole("img", { name: /Score of the breaker over the last \d+ outcomes/ }).waitFor();
    await page.locator(".held .chart canvas").waitFor();
    await page.getByText(/limit 18\.4/).waitFor();
    const pages = page.locator(".examples li");
    // At most three; as many as were settled when the breaker tripped.
    assert.equal(await pages.count(), held.held[0]!.evidence.examples.length);
    assert.ok((await pages.count()) > 0);
    await window.assertAccessible();
    await window.press(pages.first().getByRole("link", { name: /page/ }));
    await page.locator("iframe").contentFrame().locator("body").waitFor();
  });

  await t.test("Job: retry of one kind says the count first, and retries only that kind", async () => {
    await using window = await kit.window();
    const { page } = window;
    await window.open(`/jobs/${held.id}`);
    const { count } = held.failures.find(({ kind }) => kind === "structure-changed")!;
    await window.press(
      page.getByRole("row", { name: /^structure-changed/ }).getByRole("button", { name: "Retry" }),
    );
    await page
      .getByRole("heading", { name: new RegExp(`Retry \\d+ items? with structure-changed`) })
      .waitFor();
    await window.assertAccessible();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await window.press(
      page.getByRole("row", { name: /^structure-changed/ }).getByRole("button", { name: "Retry" }),
    );
    await window.press(page.getByRole("dialog").getByRole("button", { name: "Retry" }));
    await page.getByText(/with structure-changed will be retried/).waitFor();
    const retried = await service.until(held.id, ({ counts }) => counts.states.failed === 0);
    assert.ok(retried.counts.states.queued >= count);
  });

  await t.test(
    "Job: a running job is paused by keyboard, and the page follows live, also after a restart",
    async () => {
      const job = await kit.createJob("county", 100, { pace: { perSecond: 2 } });
      await using window = await kit.window();
      const { page } = window;
      await window.open(`/jobs/${job.id}`);
      await page.getByText("● live").waitFor();
      // Nothing is clicked: the page changes by itself.
      await page.locator(".legend .s-done").waitFor();
      service.controller.child.kill("SIGKILL");
      await service.controller.ended;
      await page.getByText("reconnecting").waitFor();
      await service.serve("--workers", "1");
      await page.getByText("● live").waitFor();
      const before = (await service.client.getJob(job.id)).progress.ended;
      await service.until(job.id, ({ progress }) => progress.ended > before);
      await tabTo(page, "Pause");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: /^Pause \d+ items of/ }).waitFor();
      await tabTo(page, "Pause");
      await page.keyboard.press("Enter");
      await page.getByText(/is paused\./).waitFor();
      assert.equal((await service.client.getJob(job.id)).state, "paused");
      await page.locator(".head").getByText("paused").waitFor();
      await service.client.cancelJob(job.id);
    },
  );

  await t.test("Find: Ctrl-K leads to a job", async () => {
    await using window = await kit.window();
    const { page } = window;
    await window.open("/");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(ended.id.slice(-8));
    await page.getByRole("option", { name: ended.id }).waitFor();
    await window.assertAccessible();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: ended.id }).waitFor();
  });

  await t.test("times follow the switch between local time and UTC; the page fits 320 px", async () => {
    await using window = await kit.window({ width: 320 });
    const { page } = window;
    for (const path of [
      "/",
      "/jobs",
      `/jobs/${ended.id}`,
      `/jobs/${ended.id}/items`,
      `/jobs/${ended.id}/items/1-1`,
    ]) {
      await window.open(path);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.ok(width <= 320, `${path} is ${width} px wide`);
    }
    await window.open(`/jobs/${ended.id}`);
    const created = page.locator("dd time").first();
    const local = await created.textContent();
    await window.press(page.getByRole("button", { name: "Menu" }));
    await window.press(page.getByRole("button", { name: /Times: local/ }));
    const utc = (await created.textContent())!;
    assert.match(utc, / UTC$/);
    assert.ok(utc.includes(ended.createdAt.slice(11, 16)), `${utc} is ${ended.createdAt}`);
    assert.notEqual(local, utc);
  });

  await t.test(
    "the first page is at most 80 kB compressed, with a policy without unsafe-inline",
    async () => {
      const head = await fetch(service.url);
      const policy = head.headers.get("content-security-policy") ?? "";
      assert.match(policy, /default-src 'self'/);
      assert.doesNotMatch(policy, /unsafe/);
      await using window = await kit.window({ key: "" });
      let bytes = gzipSync(await head.text()).length;
      const loaded: Promise<void>[] = [];
      window.page.on("response", (response) => {
        if (new URL(response.url()).pathname.startsWith("/assets/"))
          loaded.push(response.body().then((body) => void (bytes += gzipSync(body).length)));
      });
      await window.signIn(service.key);
      await window.page.getByRole("heading", { name: "Now" }).waitFor();
      await Promise.all(loaded);
      assert.ok(bytes > 10_000 && bytes <= 80_000, `${bytes} bytes`);
      const main = /\/assets\/main[^"]+/.exec(await (await fetch(service.url)).text())![0];
      const asset = await fetch(new URL(main, service.url), { headers: { "accept-encoding": "br, gzip" } });
      assert.match(asset.headers.get("cache-control")!, /immutable/);
      assert.equal(asset.headers.get("content-encoding"), "br");
    },
  );
});
