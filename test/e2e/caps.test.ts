import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Ended, sluice } from "./sluice-process.ts";

const PAGES = 30;

const folder = mkdtempSync(join(tmpdir(), "sluice-caps-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A list of 30 pages, each with one town and a link to the next page. */
class ListSite implements AsyncDisposable {
  readonly arrived: string[] = [];
  readonly #server: Server = createServer(({ url = "" }, response) => {
    if (url === "/robots.txt") return void response.writeHead(404).end();
    this.arrived.push(url);
    const [, kind, n] = url.split("/");
    const next = Number(n) < PAGES ? `<a class="next" href="/list/${Number(n) + 1}">next</a>` : "";
    const html = kind === "list" ? `<a class="town" href="/town/${n}">T${n}</a>${next}` : `<b>Mayor ${n}</b>`;
    response.setHeader("content-type", "text/html").end(html);
  });

  static async open(): Promise<ListSite> {
    const site = new ListSite();
    await once(site.#server.listen(0, "127.0.0.1"), "listening");
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const scraperFile = (limits: string): string => `
import { defineScraper, emitTo, field } from "sluice";
import { z } from "zod";
const pace = { perSecond: 500, concurrency: 8 };
const input = z.object({ url: z.string() });
const town = defineScraper({
  name: "town", input, pace,
  async collect({ input, http, keep }) { keep.page("town", await http.get(input.url)); },
  extract: { fields: { mayor: field.text("b") } },
});
export default defineScraper({
  name: "listing", input, pace, ${limits}
  async collect({ input, http, keep }) { keep.page("list", await http.get(input.url)); },
  emit: [
    emitTo(town, { input: { url: field.url("a.town") } }),
    emitTo("self", { input: { url: field.url("a.next") } }),
  ],
});
`;

const prepare = (site: ListSite, limits = "") => {
  const own = mkdtempSync(join(folder, "job-"));
  const [scraper, input] = [join(own, "listing.scraper.ts"), join(own, "start.csv")];
  writeFileSync(scraper, scraperFile(limits));
  writeFileSync(input, `url\n${site.url}/list/1\n`);
  const at = ["--data", join(own, "data")];
  return { at, scraper, run: ["run", scraper, "--input", input, ...at] };
};

interface Shown {
  readonly state: string;
  readonly counts: Readonly<Record<"received" | "accepted" | "folded" | "rejected" | "capped", number>> & {
    readonly states: { readonly done: number };
  };
  readonly cappedBy: Readonly<Record<string, number>>;
}

const show = async (at: readonly string[]): Promise<Shown> => {
  const shown = JSON.parse((await sluice(["jobs", "show", "last", "--json", ...at])).stdout) as Shown;
  const { received, accepted, folded, rejected, capped } = shown.counts;
  assert.equal(received, accepted + folded + rejected + capped);
  return shown;
};

/** The command that the report prints for the capped inputs. */
const proposed = ({ stderr }: Ended): string[] => {
  const [, command] = /continue with the capped inputs:\n +(?:\S+ )*?sluice (resume .*)\n/.exec(stderr) ?? [];
  assert.ok(command !== undefined, stderr);
  return command.split(" ");
};

test("a list of 30 pages is read to its end by following next", async () => {
  await using site = await ListSite.open();
  const { at, run } = prepare(site);
  const { code, stderr } = await sluice(run);
  assert.equal(code, 0, stderr);
  const { counts } = await show(at);
  assert.deepEqual([counts.accepted, counts.states.done, counts.capped], [2 * PAGES, 2 * PAGES, 0]);
});

test("a capped chain of pages is reported, exits with 3, and continues with the printed command", async () => {
  await using site = await ListSite.open();
  const { at, run } = prepare(site, "limits: { chain: 11 },");
  const first = await sluice(run);
  assert.equal(first.code, 3, first.stderr);
  assert.match(first.stderr, /Capped: 1 input found after 11 consecutive next pages/);
  const cut = await show(at);
  assert.deepEqual([cut.counts.accepted, cut.counts.capped, cut.cappedBy["chain"]], [24, 1, 1]);

  const second = await sluice(proposed(first));
  assert.equal(second.code, 3, second.stderr);
  assert.equal((await show(at)).counts.accepted, 46);
  const third = await sluice(proposed(second));
  assert.equal(third.code, 0, third.stderr);
  const whole = await show(at);
  assert.deepEqual([whole.state, whole.counts.states.done, whole.counts.capped], ["done", 2 * PAGES, 0]);
  assert.equal(site.arrived.length, 2 * PAGES, "no page was fetched twice");
});

test("a raised limit also applies to a new version of the scraper, unless that version has a higher one", async () => {
  await using site = await ListSite.open();
  const { at, scraper, run } = prepare(site, "limits: { chain: 5 },");
  assert.equal((await sluice(run)).code, 3);
  writeFileSync(scraper, scraperFile("limits: { chain: 6 },"));
  const raised = await sluice(["resume", "last", "--max-chain", "20", "--new-version", ...at]);
  assert.equal(raised.code, 3, raised.stderr);
  assert.equal((await show(at)).counts.accepted, 2 * 21);
  writeFileSync(scraper, scraperFile("limits: { chain: 1000 },"));
  const whole = await sluice(["resume", "last", "--new-version", ...at]);
  assert.equal(whole.code, 0, whole.stderr);
  assert.equal((await show(at)).counts.states.done, 2 * PAGES);
  assert.equal(site.arrived.length, 2 * PAGES, "no page was fetched twice");
});

test("items and depth are capped the same way, and a limit can only be raised", async () => {
  await using site = await ListSite.open();
  const { at, run } = prepare(site, "limits: { depth: 0 },");
  const first = await sluice([...run, "--max-items", "5"]);
  assert.equal(first.code, 3, first.stderr);
  assert.deepEqual((await show(at)).cappedBy, { items: 1, depth: 5, chain: 0, budget: 0, quota: 0 });
  const lower = await sluice(["resume", "last", "--max-items", "4", ...at]);
  assert.equal(lower.code, 2, lower.stderr);
  assert.match(lower.stderr, /can only be raised/);
  const rest = await sluice(["resume", "last", "--max-items", "1000", "--max-depth", "1", ...at]);
  assert.equal(rest.code, 0, rest.stderr);
  assert.equal((await show(at)).counts.states.done, 2 * PAGES);
});
