import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { LoopbackSite } from "./loopback-site.ts";
import { Service } from "./service-process.ts";
import { SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-names-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const scraperText = (name: string): string => `
import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: ${JSON.stringify(name)},
  input: z.object({ url: z.string() }),
  async collect({ input, http, keep }) {
    keep.page("page", await http.get(input.url));
  },
  extract: { fields: { path: field.text("b") } },
});
`;

test("a scraper has one name in the CLI, the API and filters", async () => {
  await using site = await LoopbackSite.open();
  const input = site.writeUrls(join(folder, "urls.txt"), ["/1"]);
  await using service = new Service(join(folder, "project"));
  service.configure({ allowTargets: ["127.0.0.1"] });
  service.writeScraper("county", scraperText("willow-county-tax"));
  const here = async (...args: readonly string[]) => {
    const ended = await new SluiceProcess(args, { SLUICE_KEY: service.key }, service.folder).ended;
    return { ...ended, lines: ended.stdout.trim().split("\n") };
  };
  // By name and by file name: both are jobs of the same scraper.
  const names = ["willow-county-tax", "county"];
  for (const name of names) {
    const { code, stderr } = await here("run", name, "--input", input);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Job \S+: willow-county-tax/);
  }
  const idsOf = async (...args: readonly string[]) => {
    const { code, lines, stderr } = await here("jobs", "ls", "--json", ...args);
    assert.equal(code, 0, stderr);
    return lines.map((line) => (JSON.parse(line) as { job: string }).job).toSorted();
  };
  const all = await idsOf();
  assert.equal(all.length, 2);
  for (const name of [...names, "scrapers/county.scraper.ts"])
    assert.deepEqual(await idsOf("--scraper", name), all, name);

  const client = await service.serve();
  assert.deepEqual(
    (await client.listScrapers()).data.map(({ name }) => name),
    ["page", "willow-county-tax"],
  );
  for (const name of names) {
    assert.equal((await client.getScraper(name)).name, "willow-county-tax");
    const submitted = await here("submit", name, "--input", input, "--server", service.url);
    assert.equal(submitted.code, 0, submitted.stderr);
  }
  const ofServer = (await client.listJobs({})).data.map(({ id }) => id).toSorted();
  assert.equal(ofServer.length, 4);
  for (const name of names) {
    const { data } = await client.listJobs({ scraper: name });
    assert.deepEqual(data.map(({ id }) => id).toSorted(), ofServer, name);
    assert.deepEqual(await idsOf("--scraper", name, "--server", service.url), ofServer, name);
  }
  await assert.rejects(client.getScraper("scrapers/county.scraper.ts"), { status: 404 });
  await assert.rejects(client.getScraper("county.scraper.ts"), { status: 404 });

  for (const name of names) {
    const tried = await here("try", name, "--input", `url=${site.url}/1`);
    assert.equal(tried.code, 0, tried.stderr);
  }
  service.writeScraper("other", scraperText("willow-county-tax"));
  const twice = await here("run", "willow-county-tax", "--input", input);
  assert.equal(twice.code, 2);
  for (const part of [/county\.scraper\.ts/, /other\.scraper\.ts/, /Give each its own `name`/])
    assert.match(twice.stderr, part);
  await assert.rejects(client.getScraper("willow-county-tax"), { status: 422, message: /several scrapers/ });
});
