// e2e: starts a service, its workers, two sites and a browser
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright-core";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { ProblemError, SluiceClient } from "../../src/client.ts";
import { browserOrSkip } from "../browser.ts";
import { DashboardKit } from "./dashboard-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-dashboard-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("the stories of those who operate Sluice, by keyboard", async (t) => {
  const browser = await browserOrSkip(t);
  if (!browser) return;
  await using kit = await DashboardKit.open(join(folder, "project"), browser.path);
  const { client } = kit.service;
  const earlier = await kit.endedJob(30);
  const later = await kit.endedJob(50);
  const held = await kit.heldJob();
  const lane = held.held[0]!.lane;
  const earlierLane = (await client.listJobLanes(earlier.id)).data[0]!.lane;
  await using window = await kit.window();
  const { page } = window;

  const press = (what: Locator): Promise<void> => window.press(what);
  const dialog = page.getByRole("dialog");
  /** Answers the question that a button asks. */
  const confirm = async (name: string): Promise<void> => {
    await press(dialog.getByRole("button", { name, exact: true }));
    await dialog.waitFor({ state: "detached" });
  };
  /** Sends the form of a dialog from its field. */
  const enter = async (): Promise<void> => {
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
  };
  const link = (name: string | RegExp): Locator => page.getByRole("main").getByRole("link", { name }).first();
  const button = (name: string): Locator =>
    page.getByRole("button", { name, exact: true }).and(page.locator(":not(dialog *)"));
  const heading = (name: string): Promise<void> => page.getByRole("heading", { level: 1, name }).waitFor();
  const goTo = async (letter: string, title: string): Promise<void> => {
    await page.locator("main").focus();
    await page.keyboard.press("g");
    await page.keyboard.press(letter);
    await heading(title);
  };

  await t.test("scrapers: fields by run lead to items, and two runs are compared by key", async () => {
    await goTo("s", "Scrapers");
    await page
      .getByRole("row", { name: /county/ })
      .getByText("done")
      .waitFor();
    await window.assertAccessible();
    await press(link("county"));
    await heading("county");
    const cell = page.getByRole("link", { name: new RegExp(`of marketValue in ${later.id}`) });
    await cell.waitFor();
    const to = new URL((await cell.getAttribute("href"))!, window.url);
    assert.equal(to.pathname, `/jobs/${later.id}/items`);
    assert.deepEqual(to.searchParams.getAll("field"), ["marketValue"]);
    await press(button("Compare"));
    await page.getByText("in both changed").waitFor();
    const query = new URL(page.url()).searchParams;
    assert.deepEqual([query.get("before"), query.get("after")], [earlier.id, later.id]);
    await page.reload();
    await page.getByText("New 20").waitFor();
    await page.getByText("No version has been deployed").waitFor();
    await window.assertAccessible();
  });

  await t.test("lanes: found by name, paced, held and released", async () => {
    await goTo("l", "Lanes");
    await page.keyboard.press("/");
    await page.keyboard.type(lane);
    await page.keyboard.press("Enter");
    await page.waitForURL(/prefix=/);
    const others = page.getByRole("main").getByRole("row", { name: /127/ }).filter({ hasNotText: lane });
    await link(lane).waitFor();
    await others.first().waitFor({ state: "detached" });
    await window.assertAccessible();
    await press(link(lane));
    await heading(lane);
    await press(button("Set pace"));
    await page.getByLabel("Requests per second, at most").fill("1000000000");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").waitFor();
    const typed = page.getByLabel("Requests per second, at most");
    assert.equal(await typed.inputValue(), "1000000000", "what was typed is kept");
    await typed.fill("7");
    await enter();
    await page.getByText("At most 7/s from now on.").waitFor();
    assert.equal((await client.getLane(lane)).operatorPerSecond, 7);
    await press(button("Hold"));
    await window.assertAccessible();
    await confirm("Hold");
    await page.getByText("held by an operator").waitFor();
    assert.equal((await client.getLane(lane)).isHeld, true);
    await press(button("Release"));
    await confirm("Release");
    await button("Hold").waitFor();
    assert.equal((await client.getLane(lane)).isHeld, false);
    await goTo("l", "Lanes");
    await link(earlierLane).waitFor();
    await press(link("held"));
    await link(earlierLane).waitFor({ state: "detached" });
    assert.equal(new URL(page.url()).search, "?held=true");
    await page.getByRole("row", { name: lane }).getByText("held by the breaker for a job").waitFor();
  });

  await t.test("workers and alerts: who works, and what is wrong now", async () => {
    await goTo("w", "Workers");
    await page.getByRole("row", { name: /-worker/ }).waitFor();
    await window.assertAccessible();
    await goTo("a", "Alerts");
    await page.getByText(`Lane held by the breaker in job ${held.id}`).waitFor();
    await window.assertAccessible();
  });

  await t.test("clients and keys: a new key is shown once, works, and is revoked", async () => {
    await goTo("k", "Clients and keys");
    await press(button("New client"));
    await page.getByLabel("Name").fill("acme");
    await enter();
    const shown = page.getByLabel("Copy it now");
    await shown.waitFor();
    const key = await shown.inputValue();
    await window.assertAccessible();
    const theirs = new SluiceClient({ server: window.url, key, retries: 0 });
    assert.equal((await theirs.whoAmI()).client, "acme");
    await press(button("I have it"));
    assert.equal(await page.getByText(key).count(), 0);
    await press(link("acme"));
    await heading("acme");
    await press(button("Change limits"));
    await page.getByLabel("Requests a day").fill("5000");
    await enter();
    await page.getByRole("cell", { name: "5,000", exact: true }).waitFor();
    await window.assertAccessible();
    await press(button("Revoke"));
    await confirm("Revoke");
    await page.getByText("The key is revoked.").waitFor();
    // It takes effect within half a second.
    const isRefused = (): Promise<boolean> =>
      theirs.whoAmI().then(
        () => false,
        (error: ProblemError) => error.status === 401,
      );
    while (!(await isRefused())) await delay(50);
  });

  await t.test(
    "webhooks: an address that is not allowed keeps the form; a test event is sent and replayed",
    async () => {
      await goTo("h", "Webhooks");
      await press(button("New webhook"));
      await page.getByLabel("URL").fill("http://127.0.0.1:9/hook");
      await page.keyboard.press("Enter");
      await dialog.getByRole("alert").waitFor();
      assert.equal(await page.getByLabel("URL").inputValue(), "http://127.0.0.1:9/hook");
      await page.getByLabel("URL").fill("https://hooks.invalid/x");
      await page.keyboard.press("Enter");
      await page.getByLabel("Copy it now").waitFor();
      await press(button("Test"));
      await confirm("Send");
      await page.getByRole("cell", { name: "webhook.test" }).waitFor();
      await window.assertAccessible();
      await press(button("Replay"));
      await confirm("Replay");
      await page.getByText("It is being sent again.").waitFor();
      const { data } = await client.listDeliveries();
      assert.deepEqual(
        data.map(({ type }) => type),
        ["webhook.test"],
      );
    },
  );

  await t.test("events: the filter is in the URL, and what happens appears", async () => {
    await goTo("e", "Events");
    await press(link("job.started"));
    await page.waitForURL(/type=job.started/);
    const entries = page.getByRole("list", { name: "Events" }).getByRole("listitem");
    await page.getByText("3 events received").waitFor();
    assert.equal(await entries.count(), 3);
    const { id } = await kit.createJob("county", 1);
    await page.getByText(id).first().waitFor();
    await press(entries.first().locator("summary"));
    await entries.first().locator("pre").waitFor();
    await window.assertAccessible();
  });

  await t.test("submit: a dropped CSV with bad rows is judged before anything runs", async () => {
    await goTo("u", "Submit a job");
    await page.getByLabel("Scraper").selectOption("county");
    await page.getByLabel("parcel").waitFor();
    await window.assertAccessible();
    await press(link("Choose a file"));
    const before = (await client.listJobs()).data.length;
    const good = [...parcelsCsv(3)].join("");
    const csv = `${good.trimEnd()}\nnot-a-parcel\n`;
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      press(page.getByLabel("choose one")),
    ]);
    await chooser.setFiles({ name: "chosen.csv", mimeType: "text/csv", buffer: Buffer.from(good) });
    await page.getByText("chosen.csv").waitFor();
    // Another file, by mouse.
    await page.evaluate(
      `{
        const files = new DataTransfer();
        files.items.add(new File([${JSON.stringify(csv)}], "parcels.csv", { type: "text/csv" }));
        document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
      }`,
    );
    await page.getByText("parcels.csv").waitFor();
    await press(button("Check inputs"));
    await page.getByText("3 of 4 rows are valid").waitFor();
    await page.getByRole("row", { name: /5 not-a-parcel/ }).waitFor();
    assert.equal((await client.listJobs()).data.length, before, "nothing runs yet");
    await window.assertAccessible();
    await press(page.getByText("Options"));
    await page.getByLabel("Maximum number of items").fill("0");
    await press(button("Start with 3 items"));
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel("Maximum number of items").inputValue(), "0");
    await page.getByText("parcels.csv").waitFor();
    await page.getByLabel("Maximum number of items").fill("10");
    await press(button("Start with 3 items"));
    await page.waitForURL(/\/jobs\/[^/]+$/);
    const job = await client.getJob(new URL(page.url()).pathname.split("/").at(-1)!);
    assert.deepEqual([job.counts.accepted, job.counts.rejected, job.isSealed], [3, 1, true]);
  });

  await t.test("datasets: a release is written, audited, published, compared and rolled back", async () => {
    await client.datasets.saveDataset("parcels", { sources: [{ scraper: "county", job: earlier.id }] });
    await goTo("d", "Datasets");
    await window.assertAccessible();
    await press(link("parcels"));
    await heading("parcels");
    const write = async (release: number): Promise<void> => {
      await press(button("Write a release"));
      await confirm("Write a release");
      await link(new RegExp(`^${release}$`)).waitFor();
      await press(link(new RegExp(`^${release}$`)));
      await heading(`Release ${release} of parcels`);
      await page.getByRole("table").first().waitFor();
      await press(button("Publish"));
      await dialog.waitFor();
      const reason = page.getByLabel("Why it is published although it is held");
      if (await reason.isVisible()) await reason.fill("a test");
      await confirm("Publish");
      await page.getByText(`Release ${release} is current.`).waitFor();
    };
    await write(1);
    await window.assertAccessible();
    await client.datasets.saveDataset("parcels", { sources: [{ scraper: "county", job: later.id }] });
    await press(link("parcels"));
    await write(2);
    await window.open("/datasets/parcels?before=1&after=2");
    await page.getByText("Unchanged").waitFor();
    await window.assertAccessible();
    await press(button("Roll back"));
    await confirm("Roll back");
    await page.getByText("Release 1 is current.").waitFor();
    assert.equal((await client.datasets.getDataset("parcels")).current?.release, 1);
  });

  await t.test("schedules: what comes is in the calendar; run now, pause and resume", async () => {
    const [, parcel] = [...parcelsCsv(1)].join("").split("\n");
    await client.schedules.create({
      name: "nightly",
      scraper: "county",
      when: { cron: "30 2 * * *", zone: "Europe/Berlin" },
      inputsFrom: { rows: [{ parcel: parcel!.trim() }] },
    });
    await goTo("c", "Schedules");
    await page.getByRole("region", { name: "Calendar" }).getByRole("link", { name: "nightly" }).waitFor();
    await window.assertAccessible();
    await press(link("nightly"));
    await heading("nightly");
    await press(button("Run now"));
    await confirm("Run now");
    const row = page.getByRole("region", { name: "Firings" }).getByRole("row").nth(1);
    await row.getByText("done").first().waitFor();
    await row.getByRole("link").waitFor();
    await window.assertAccessible();
    await press(button("Pause"));
    await confirm("Pause");
    await page.getByText("paused by").waitFor();
    assert.notEqual((await client.schedules.get("nightly")).pausedAt, undefined);
    await press(button("Resume"));
    await confirm("Resume");
    await button("Pause").waitFor();
    assert.equal((await client.schedules.get("nightly")).pausedAt, undefined);
  });

  await t.test("search: Ctrl-K finds a lane and a scraper", async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(lane.slice(0, -1));
    await page.getByRole("option", { name: `${lane} lane` }).waitFor();
    await page.getByRole("combobox").fill("coun");
    await page.getByRole("option", { name: "county scraper" }).waitFor();
    await page.getByRole("combobox").fill(lane);
    await page.getByRole("option", { name: `${lane} lane` }).waitFor();
    await page.keyboard.press("Enter");
    await heading(lane);
    assert.deepEqual(window.problems, []);
  });
});
