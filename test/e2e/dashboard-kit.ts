/** A real service with jobs of the county site, and Chromium to look at its dashboard. For the stories of the pages and for screenshots. */
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import type { Job, NewJob } from "../../src/client.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { Service } from "./service-process.ts";

export const PARCELS = 120;
/** The other site changes its layout after so many pages. */
const HEALTHY = 40;

interface WindowOptions {
  /** Empty to see the sign-in. */
  readonly key?: string;
  readonly dark?: boolean;
  readonly width?: number;
  /** The service by default. */
  readonly url?: string;
}

/** A window that looks at a dashboard, signed in. */
export const openWindow = async (
  browser: Browser,
  url: string,
  { key = "", dark = false, width = 1280 }: Omit<WindowOptions, "url">,
): Promise<DashboardWindow> => {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: dark ? "dark" : "light",
    timezoneId: "America/Chicago",
    locale: "en-GB",
  });
  context.setDefaultTimeout(60_000);
  const window = new DashboardWindow(context, await context.newPage(), url);
  if (key !== "") await window.signIn(key);
  return window;
};

export class DashboardKit implements AsyncDisposable {
  readonly service: Service;
  readonly #browser: Browser;
  readonly #parts: AsyncDisposable[];

  private constructor(service: Service, browser: Browser, parts: AsyncDisposable[]) {
    this.service = service;
    this.#browser = browser;
    this.#parts = parts;
  }

  /** A county with its troubles, and one that changes its layout (scraper `renewed`). */
  static async open(folder: string, browserPath: string): Promise<DashboardKit> {
    const site = await startSite([
      "--parcels",
      `${PARCELS}`,
      "--troubles",
      "captcha=5,changed=2,absent=4,malformed=5",
    ]);
    const renewed = await startSite([
      "--parcels",
      `${PARCELS}`,
      "--change-after",
      `${HEALTHY}`,
      "--change-to",
      "all",
    ]);
    const service = new Service(folder, { COUNTY_URL: site.url });
    service.writeScraper("county", patientCounty());
    service.writeScraper("renewed", countyAt(renewed.url));
    const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
    const kit = new DashboardKit(service, browser, [site, renewed, service]);
    await service.serve("--workers", "1");
    return kit;
  }

  async createJob(scraper: string, count: number, options: Partial<NewJob> = {}): Promise<Job> {
    const inputs = [...parcelsCsv(count)].join("").trim().split("\n").slice(1);
    const { job } = await this.service.client.createJob({
      scraper,
      inputs: inputs.map((parcel) => ({ parcel: parcel.trim() })),
      ...options,
    });
    return job;
  }

  /** A job that has ended. */
  async endedJob(count = PARCELS): Promise<Job> {
    const { id } = await this.createJob("county", count, { labels: { team: "tax" } });
    return await this.service.until(id, ({ state }) => state === "done");
  }

  /** A job whose only lane the breaker holds. */
  async heldJob(): Promise<Job> {
    const { id } = await this.createJob("renewed", PARCELS);
    // What was in flight when the lane was held has ended, too.
    return await this.service.until(id, ({ held, counts }) => held.length > 0 && counts.states.leased === 0);
  }

  /** A browser window of its own, signed in. What the page reports as wrong is in `problems`. */
  async window({ url = this.service.url, ...options }: WindowOptions = {}): Promise<DashboardWindow> {
    return await openWindow(this.#browser, url, { key: this.service.key, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    for (const part of this.#parts.toReversed()) await part[Symbol.asyncDispose]();
  }
}

const countyAt = (url: string): string =>
  patientCounty()
    .replace('name: "county"', 'name: "renewed"')
    .replace(/site: .*,/, `site: ${JSON.stringify(url)},`)
    .replace("pace: { perSecond: 400, concurrency: 16 }", "pace: { perSecond: 100, concurrency: 4 }");

export class DashboardWindow implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly url: string;
  /** Errors of scripts, refusals of the page's policy, and requests to other hosts. */
  readonly problems: string[] = [];

  constructor(context: BrowserContext, page: Page, url: string) {
    this.context = context;
    this.page = page;
    this.url = url;
    page.on("pageerror", (error) => this.problems.push(error.message));
    page.on("console", (message) => {
      // What a stored page is refused is as it should be.
      if (message.location().url.includes("/captures/")) return;
      if (/Content Security Policy|Refused/.test(message.text())) this.problems.push(message.text());
    });
    context.on("request", (request) => {
      const host = new URL(request.url()).host;
      if (host !== new URL(url).host) this.problems.push(`a request to ${request.url()}`);
    });
  }

  async signIn(key: string): Promise<void> {
    await this.page.goto(this.url);
    await this.page.getByLabel("API key").fill(key);
    await this.page.keyboard.press("Enter");
    await this.page.locator(".frame").waitFor();
  }

  /** As a person without a mouse does: only what can have the focus can be used. */
  async press(what: Locator): Promise<void> {
    await what.focus();
    await what.and(this.page.locator(":focus")).waitFor();
    await this.page.keyboard.press("Enter");
  }

  async open(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.url).href);
    await this.page.getByRole("heading", { level: 1 }).waitFor();
  }

  /** What the page asked for is there. A stream of events stays open, so the network is never idle. */
  async settled(): Promise<void> {
    await this.page.locator(".loading").first().waitFor({ state: "detached" });
    await this.page.evaluate("document.fonts.ready");
    const frames = this.page.locator("iframe");
    if ((await frames.count()) > 0) await frames.first().contentFrame().locator("body").waitFor();
    if ((await this.page.locator(".chart").count()) > 0)
      await this.page.locator(".chart canvas").first().waitFor();
  }

  /** No violations of WCAG 2.2 AA, in light and dark. Only colours depend on the theme, so all rules for both are for one test. */
  async assertAccessible({ allInDark = false } = {}): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await this.page.emulateMedia({ colorScheme });
      await this.page.locator(`html[data-theme=${colorScheme}]`).waitFor();
      const axe = new AxeBuilder({ page: this.page })
        .exclude("iframe") // what a stored page looks like is its own matter
        .setLegacyMode() // which opens no second tab for frames
        .options({ resultTypes: ["violations"] });
      if (colorScheme === "light" || allInDark)
        axe.withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]);
      else axe.withRules(["color-contrast"]);
      const { violations } = await axe.analyze();
      const told = violations.map(
        ({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
      );
      assert.deepEqual(told, [], this.page.url());
    }
    assert.deepEqual(this.problems, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
