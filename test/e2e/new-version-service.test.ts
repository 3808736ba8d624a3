import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  assertComplete,
  FIXED,
  ITEMS,
  openProject,
  printedCommand,
  root,
  rowsOf,
  versionsIn,
} from "./changing-project.ts";
import { Service } from "./service-process.ts";
import { sluice } from "./sluice-process.ts";

test("with a new version, links are found on stored listings, and items that failed in collect are fetched again", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    asked.push(request.url!);
    const list = `<ul><li class=new><a href="/town/1">1</a></li><li class=new><a href="/town/2">2</a></li></ul>`;
    response
      .setHeader("content-type", "text/html")
      .end(request.url!.startsWith("/list") ? list : "<b>Town</b>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = join(root, "listing");
  mkdirSync(folder);
  const [file, data, input] = ["list.scraper.ts", "data", "urls.txt"].map((name) => join(folder, name));
  const write = (link: string, path: string) =>
    writeFileSync(
      file!,
      `import { defineScraper, emitTo, field } from "sluice";
import { z } from "zod";
const input = z.object({ url: z.string() });
const pace = { perSecond: 100 };
const town = defineScraper({
  name: "town", input, pace,
  async collect({ input, http, keep }) { keep.page("town", await http.get(input.url)); },
  extract: { fields: { name: field.text("b") } },
});
export default defineScraper({
  name: "list", input, pace,
  async collect({ input, http, keep }) {
    keep.page("list", await http.get(input.url));
    if (input.url.endsWith("?broken")) ${path};
  },
  emit: [emitTo(town, { from: "list", each: ${JSON.stringify(link)}, input: { url: field.url("a") }, min: 1 })],
});
`,
    );
  write("li.old", 'throw new Error("oops")');
  writeFileSync(input!, `${url}/list\n${url}/list?broken\n`);
  const run = await sluice(["run", file!, "--input", input!, "--data", data!, "--processes", "1"]);
  assert.equal(run.code, 3, run.stderr);
  const command = printedCommand(run, /--new-version/);
  write("li.new", "return");
  const resumed = await sluice(command);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.deepEqual(asked.toSorted(), ["/list", "/list?broken", "/list?broken", "/town/1", "/town/2"]);
  const rows = await rowsOf(["export", command[1]!, "--data", data!]);
  assert.deepEqual(
    rows.map(({ _state, name }) => [_state, name]),
    [
      ["done", "Town"],
      ["done", "Town"],
    ],
  );
});

test("a job on a server continues with a corrected scraper", async () => {
  const project = await openProject("service");
  const { site, folder, input, write } = project;
  await using service = new Service(folder);
  service.configure({ allowTargets: ["127.0.0.1"] });
  await service.serve("--workers", "2");
  const env = { SLUICE_KEY: service.key };
  const at = ["--server", service.url];
  const submitted = await sluice(["submit", "things", "--input", input, ...at], env);
  assert.equal(submitted.code, 0, submitted.stderr);
  const job = submitted.stdout.trim();
  await service.until(job, ({ state }) => state === "paused");
  const shown = await sluice(["jobs", "show", job, ...at], env);
  const command = printedCommand(shown, /--new-version/);
  assert.deepEqual(command, ["jobs", "resume", job, "--new-version", ...at]);
  write(FIXED);
  const resumed = await sluice(command, env);
  assert.equal(resumed.code, 0, resumed.stderr);
  const { counts, version } = await service.until(job, ({ state }) => state === "done");
  assert.equal(counts.states.done, ITEMS);
  const rows = await rowsOf(["jobs", "results", job, ...at], env);
  assertComplete(rows);
  assert.deepEqual(versionsIn(rows), [version]);
  assert.equal(site.count(), ITEMS);
});
