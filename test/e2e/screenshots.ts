/** `npm run screenshots [WORD]`: every page of the dashboard (or those whose name has the word), wide and narrow, light and dark, from a real run. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findBrowser, installHint } from "../../src/collectors/browser/find-browser.ts";
import { DashboardKit } from "./dashboard-kit.ts";

const OUT = resolve("out/screenshots");
const WIDTHS = { wide: 1280, narrow: 320 } as const;

const browser = await findBrowser();
if (!browser) throw new Error(`There is no browser. To install one: ${await installHint()}`);
const [word = ""] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "sluice-screenshots-"));
mkdirSync(OUT, { recursive: true });
try {
  await using kit = await DashboardKit.open(join(folder, "project"), browser.path);
  const [ended, held] = [await kit.endedJob(), await kit.heldJob()];
  const running = await kit.createJob("county", 100, { pace: { perSecond: 2 } });
  const partial = (await kit.service.client.listItems(ended.id, { quality: "partial", limit: 1 })).data[0];
  const pages: Readonly<Record<string, string>> = {
    now: "/",
    jobs: "/jobs",
    job: `/jobs/${ended.id}`,
    "job-running": `/jobs/${running.id}`,
    "job-held": `/jobs/${held.id}`,
    items: `/jobs/${ended.id}/items`,
    "items-failed": `/jobs/${ended.id}/items?state=failed`,
    item: `/jobs/${ended.id}/items/1-1?field=owner`,
    "item-partial": `/jobs/${ended.id}/items/${partial?.id ?? "1-2"}`,
    "item-source": `/jobs/${ended.id}/items/1-1?field=owner&as=source`,
    // Of the navigation, so that a new page is in the list by itself.
    ...(await navigationOf(kit)),
  };
  for (const [size, width] of Object.entries(WIDTHS))
    for (const dark of [false, true]) {
      await using window = await kit.window({ width, dark });
      for (const [name, path] of Object.entries(pages)) {
        if (!name.includes(word)) continue;
        await window.open(path);
        await window.settled();
        const file = `${name}-${size}-${dark ? "dark" : "light"}.png`;
        await window.page.screenshot({ path: join(OUT, file), fullPage: true });
        console.log(join("out/screenshots", file));
      }
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function navigationOf(kit: DashboardKit): Promise<Readonly<Record<string, string>>> {
  await using window = await kit.window();
  await window.page.locator(".side nav a").first().waitFor();
  const paths = await window.page
    .locator(".side nav a")
    .evaluateAll((links) => links.map((link) => (link as unknown as { readonly pathname: string }).pathname));
  return Object.fromEntries(paths.filter((path) => path !== "/").map((path) => [path.slice(1), path]));
}
