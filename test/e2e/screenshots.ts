/**
 * `npm run screenshots [WORD]`: every page of the dashboard (or those whose name has the word), wide and narrow, light and dark, with
 * the data of `npm run demo -- --stay`. `-- --docs` writes the pictures of README and docs instead. With SLUICE_SERVER and SLUICE_KEY
 * it looks at a demo that is open.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { SluiceClient } from "../../src/client.ts";
import { findBrowser, installHint } from "../../src/collectors/browser/find-browser.ts";
import { openWindow } from "./dashboard-kit.ts";
import { pagesOfDemo, startStayingDemo } from "./staying-demo.ts";

const OUT = resolve("out/screenshots");
const WIDTHS = { wide: 1280, narrow: 320 } as const;
/** In `docs/dashboard-NAME.png`: small enough for a page that has several. */
const IN_DOCS = { item: [1260, 560], "job-held": [1100, 690], scraper: [1100, 600] } as const;

const found = await findBrowser();
if (!found) throw new Error(`There is no browser. To install one: ${await installHint()}`);
const { values, positionals } = parseArgs({
  options: { docs: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [word = ""] = positionals;
const folder = mkdtempSync(join(tmpdir(), "sluice-screenshots-"));
mkdirSync(OUT, { recursive: true });
const { SLUICE_SERVER, SLUICE_KEY = "" } = process.env;
try {
  await using demo = SLUICE_SERVER === undefined ? await startStayingDemo(folder) : undefined;
  const { url, key } = demo ?? { url: SLUICE_SERVER!, key: SLUICE_KEY };
  const pages = await pagesOfDemo(new SluiceClient({ server: url, key }));
  const browser = await chromium.launch({ executablePath: found.path, args: ["--no-sandbox"] });
  try {
    await (values.docs ? writeForDocs : writeAll)(browser, { url, key }, pages);
  } finally {
    await browser.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Open {
  readonly url: string;
  readonly key: string;
}
type Paths = Readonly<Record<string, string>>;

async function writeAll(browser: Browser, { url, key }: Open, pages: Paths): Promise<void> {
  for (const [size, width] of Object.entries(WIDTHS))
    for (const dark of [false, true]) {
      await using window = await openWindow(browser, url, { key, width, dark });
      for (const [name, path] of Object.entries(pages)) {
        if (!name.includes(word)) continue;
        await window.open(path);
        await window.settled();
        const file = `${name}-${size}-${dark ? "dark" : "light"}.png`;
        await window.page.screenshot({ path: join(OUT, file), fullPage: true });
        console.log(join("out/screenshots", file));
      }
    }
}

async function writeForDocs(browser: Browser, { url, key }: Open, pages: Paths): Promise<void> {
  await using window = await openWindow(browser, url, { key });
  for (const [name, [width, height]] of Object.entries(IN_DOCS)) {
    await window.page.setViewportSize({ width, height });
    await window.open(pages[name]!);
    await window.settled();
    const file = `docs/dashboard-${name}.png`;
    await window.page.screenshot({ path: resolve(file) });
    console.log(file);
  }
}
