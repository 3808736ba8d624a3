import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type Ended, sluice } from "./sluice-process.ts";

export const ITEMS = 90;
export const CHANGES_AFTER = 40;
export const root = mkdtempSync(join(tmpdir(), "sluice-new-version-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** A site with one thing per page, whose layout changes after a number of requests. */
const openSite = async () => {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    const key = request.url!.slice("/thing/".length);
    asked.set(key, (asked.get(key) ?? 0) + 1);
    const total = [...asked.values()].reduce((sum, count) => sum + count, 0);
    const [name, price] = total <= CHANGES_AFTER ? ["name", "price"] : ["title", "cost"];
    response
      .setHeader("content-type", "text/html")
      .end(`<h1 class=${name}>Thing ${key}</h1><p class=${price}>$${key}.50</p>`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  after(() => server.close());
  const count = (): number => [...asked.values()].reduce((sum, one) => sum + one, 0);
  return { asked, count, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

interface Recipe {
  readonly url: string;
  readonly name: string;
  readonly price: string;
  readonly key?: string;
  readonly input?: string;
}

const scraperText = ({
  url,
  name,
  price,
  key = "n",
  input = "z.object({ n: z.string() })",
}: Recipe): string => `
import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "things",
  site: ${JSON.stringify(url)},
  input: ${input},
  key: ({ n }) => \`\${${key}}\`,
  pace: { perSecond: 500, concurrency: 4 },
  async collect({ input, http, keep }) {
    keep.page("thing", await http.get("/thing/" + input.n));
  },
  extract: { fields: { name: field.text(${name}), price: field.money(${price}) } },
});
`;
export const OLD = { name: '".name"', price: '".price"' };
export const FIXED = { name: '[".title", ".name"]', price: '[".cost", ".price"]' };
/** Reads the new pages only. */
export const NARROW = { name: '".title"', price: '".cost"' };

export const numbers = Array.from({ length: ITEMS }, (_, n) => String(n + 1));

export const openProject = async (name: string) => {
  const site = await openSite();
  const folder = join(root, name);
  mkdirSync(join(folder, "scrapers"), { recursive: true });
  const input = join(folder, "things.csv");
  writeFileSync(input, `n\n${numbers.join("\n")}\n`);
  const scraper = join(folder, "scrapers/things.scraper.ts");
  const write = (recipe: Omit<Recipe, "url">) =>
    writeFileSync(scraper, scraperText({ url: site.url, ...recipe }));
  write(OLD);
  return { site, folder, data: join(folder, "data"), input, scraper, write };
};

type Project = Awaited<ReturnType<typeof openProject>>;

/** Runs the job until the breaker holds it, and returns its id. */
export const runUntilHeld = async ({
  scraper,
  input,
  data,
}: Project): Promise<{ job: string; stderr: string }> => {
  const { code, stderr } = await sluice([
    "run",
    scraper,
    "--input",
    input,
    "--data",
    data,
    "--processes",
    "1",
  ]);
  assert.equal(code, 4, stderr);
  const job = /Job (\S+):/.exec(stderr)![1]!;
  return { job, stderr };
};

/** The command that the report prints, split into words. */
export const printedCommand = (
  { stderr, stdout }: Pick<Ended, "stderr"> & Partial<Ended>,
  of: RegExp,
): string[] => {
  const line = `${stderr}\n${stdout ?? ""}`.split("\n").find((text) => of.test(text));
  assert.ok(line, stderr);
  return line.trim().split(" ").slice(1);
};

export interface Row {
  readonly key: string;
  readonly name: string;
  readonly price: number;
  readonly _state: string;
  readonly _quality: string;
  readonly _version: string;
}

export const rowsOf = async (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Row[]> => {
  const { code, stdout, stderr } = await sluice(args, env);
  assert.equal(code, 0, stderr);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row)
    .toSorted((a, b) => Number(a.key) - Number(b.key));
};

export const assertComplete = (rows: readonly Row[]): void =>
  assert.deepEqual(
    rows.map(({ key, name, price, _state, _quality }) => [key, name, price, _state, _quality]),
    numbers.map((n) => [n, `Thing ${n}`, Number(n) + 0.5, "done", "complete"]),
  );

export const versionsIn = (rows: readonly Row[]): string[] => [
  ...new Set(rows.map(({ _version }) => _version)),
];
