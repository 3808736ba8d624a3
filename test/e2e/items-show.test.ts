import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { answer, openTestSite } from "../../src/collectors/http/testing/test-site.ts";
import { TownProject } from "./kept-town.ts";
import { type Ended, SluiceProcess } from "./sluice-process.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-items-show-"));
after(() => rmSync(root, { recursive: true, force: true }));

const PAGE = `<!doctype html>
<html><head><meta http-equiv="refresh" content="0; url=/away"><script>document.title = "ran"</script></head>
<body><img src="/seal.png"><b class=mayor>Ann &amp; Bob</b></body></html>`;

const SCRAPER = (site: string): string => `
import { absent, defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "towns",
  site: "${site}",
  input: z.object({ name: z.string() }),
  key: ({ name }) => name,
  robots: "ignore",
  pace: { perSecond: 500, concurrency: 8 },
  async collect({ input, http, keep }) {
    const page = await http.get("/town/" + encodeURIComponent(input.name), { accept: [404] });
    if (page.status === 404) throw absent("no such town");
    keep.page("town", page);
    await keep.file("minutes", "/minutes/" + encodeURIComponent(input.name));
  },
  extract: { from: "town", fields: { mayor: field.text(".mayor"), tax: field.money("#tax").optional() } },
});
`;

interface Shown {
  readonly state: string;
  readonly source?: string;
  readonly skipReason?: string;
  readonly attempts: readonly { readonly end: string; readonly requests: number; readonly detail?: string }[];
  readonly captures: readonly {
    readonly name: string;
    readonly status?: number;
    readonly isFile: boolean;
    readonly digest: string;
    readonly blob: string;
  }[];
  readonly records: readonly {
    readonly from: string;
    readonly fields: Readonly<
      Record<string, { readonly value: unknown; readonly by?: string; readonly at?: number }>
    >;
  }[];
}

const openProject = async () => {
  const site = await openTestSite(({ url }, response) => {
    const name = url.split("/").at(-1)!;
    if (name === "nowhere") response.writeHead(404).end();
    else if (url === "/town/changed") answer(response, "<p>We have moved.</p>");
    else if (!url.startsWith("/minutes/")) answer(response, PAGE);
    else response.setHeader("content-type", "application/pdf").end(`%PDF of ${name}`);
  });
  const project = new TownProject(mkdtempSync(join(root, "p-")));
  writeFileSync(join(project.folder, "towns.scraper.ts"), SCRAPER(site.url));
  return { project, site, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
};

test("items show has an item's attempts, captures and records, with the place of each field", async () => {
  await using kit = await openProject();
  const { project, site } = kit;
  const job = await project.collect(["alder", "nowhere", "changed"]);
  const { code, stdout, stderr } = await project.run("items", "show", job, "alder");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Item alder \(towns\): done since 20/);
  assert.match(stdout, /Attempts: 1, 2 requests, /);
  assert.match(stdout, /0 {2}town {2}page, status 200, text\/html/);
  assert.match(
    stdout,
    new RegExp(
      `${site.url}/town/alder\n +sha256:[0-9a-f]{64}\n +in .*/data/blobs/jobs/${job}/captures/.*, \\d+ bytes from \\d+`,
    ),
  );
  assert.match(stdout, /1 {2}minutes {2}file, application\/pdf, 13 bytes/);
  assert.match(stdout, /mayor +present +Ann & Bob +\.mayor +3:28/);
  assert.match(stdout, /tax +missing +optional/);

  const [json] = await project.lines<Shown>("items", "show", job, "alder", "--json");
  assert.deepEqual(
    json!.captures.map(({ name, status, isFile }) => [name, status, isFile]),
    [
      ["town", 200, false],
      ["minutes", undefined, true],
    ],
  );
  assert.deepEqual([json!.records[0]?.from, json!.records[0]?.fields["mayor"]?.by], ["town", ".mayor"]);
  const absent = await project.run("items", "show", job, "nowhere");
  assert.match(absent.stdout, /absent since .*\n.*\n +absent +no such town/);
  assert.match(absent.stdout, /Captures: none/);
  const failed = await project.run("items", "show", job, "changed");
  assert.match(failed.stdout, /Item changed \(towns\): failed/);
  assert.match(failed.stdout, /failed +structure-changed: .*\n/);
  assert.match(failed.stdout, /Attempts: [1-9].*\n.*when.*\n.*structure-changed/);

  const later = await project.collect(["alder"], { reuse: true });
  const skipped = (await project.lines<Shown>("items", "show", later, "alder", "--json"))[0]!;
  assert.deepEqual([skipped.state, skipped.skipReason, skipped.source], ["skipped", "fresh", job]);
  assert.equal(skipped.records[0]?.fields["mayor"]?.value, "Ann & Bob");
});

test("the stored page is printed, or opened in a browser where nothing of it runs", async () => {
  await using kit = await openProject();
  const { project, site } = kit;
  await project.collect(["alder", "nowhere"]);
  const printed = await project.run("items", "show", "last", "alder", "--html");
  assert.equal(printed.stdout, PAGE);
  const file = await project.run("items", "show", "last", "alder", "--html", "--capture", "minutes");
  assert.equal(file.stdout, "%PDF of alder");

  const browser = join(project.folder, "browser.sh");
  const seen = join(project.folder, "opened");
  writeFileSync(browser, `#!/bin/sh\necho "$1" > ${seen}\n`);
  chmodSync(browser, 0o755);
  const open = async (BROWSER: string, ...args: readonly string[]): Promise<Ended> =>
    await new SluiceProcess(
      ["items", "show", "last", "alder", "--open", ...args],
      { BROWSER },
      project.folder,
    ).ended;
  const opened = await open(browser);
  assert.equal(opened.code, 0, opened.stderr);
  const path = readFileSync(seen, "utf8").trim();
  assert.match(opened.stdout, new RegExp(`town of alder: ${path}`));
  const text = readFileSync(path, "utf8");
  assert.ok(text.startsWith("<!doctype html><meta charset"));
  assert.match(text, /Content-Security-Policy" content="script-src 'none';/);
  assert.ok(text.includes(`<base href="${site.url}/town/alder"`));
  assert.match(text, /data-http-equiv="refresh"/, "it does not lead away either");
  const pdf = await open(browser, "--capture", "1");
  assert.equal(pdf.code, 0);
  assert.match(readFileSync(seen, "utf8"), /\.pdf$/m);
  const none = await open(join(project.folder, "no-browser"));
  assert.equal(none.code, 2);
  assert.match(none.stderr, /cannot open a browser \(.*ENOENT\)\. Open \/.*page\.html yourself/);
  for (const opened_ of [opened, pdf, none])
    rmSync(/(\/\S+)\/page\./.exec(opened_.stdout)![1]!, { recursive: true });
});

test("a wrong key, capture or option is reported with what to do", async () => {
  await using kit = await openProject();
  const { project } = kit;
  await project.collect(["alder", "birch", "nowhere"]);
  const problem = async (...args: readonly string[]): Promise<string> => {
    const { code, stderr } = await project.run("items", "show", "last", ...args);
    assert.equal(code, 2, args.join(" "));
    return stderr;
  };
  assert.match(await problem("aldre"), /no item with this key\. Did you mean alder\?/);
  assert.match(await problem("zzzzzz"), /`sluice items ls .*` lists its items/);
  assert.match(await problem("alder", "--html", "--capture", "detail"), /It has 0 \(town\), 1 \(minutes\)/);
  assert.match(await problem("alder", "--capture", "town"), /Add one of them/);
  assert.match(await problem("alder", "--html", "--json"), /cannot be combined/);
  assert.match(await problem("nowhere", "--html"), /nothing is stored for this item/);
});

interface FilesRow {
  readonly key: string;
  readonly _files: readonly { readonly name: string; readonly size: number; readonly path: string }[];
}

test("exports list kept files and write them under readable names", async () => {
  await using kit = await openProject();
  const { project } = kit;
  await project.collect(["alder", "a/b", "a_b", "A/B", "../up", "nowhere"]);
  const folder = join(project.folder, "minutes");
  const csv = join(project.folder, "towns.csv");
  const exported = await project.run("export", "last", "--output", csv, "--files", folder);
  assert.equal(exported.code, 0, exported.stderr);
  assert.match(exported.stdout, /5 files \(\d+ bytes\) written to /);
  assert.match(readFileSync(csv, "utf8").split("\n")[0]!, /,_files$/);
  const names = readdirSync(folder).sort();
  assert.deepEqual(names, [
    "A_B-minutes-3.pdf",
    "a_b-minutes-2.pdf",
    "a_b-minutes.pdf",
    "alder-minutes.pdf",
    "up-minutes.pdf",
  ]);
  assert.equal(readFileSync(join(folder, "alder-minutes.pdf"), "utf8"), "%PDF of alder");

  const rows = await project.lines<FilesRow>("export", "last");
  const byKey = new Map(rows.map((row) => [row.key, row._files]));
  assert.deepEqual(byKey.get("nowhere"), []);
  const [file] = byKey.get("alder")!;
  assert.deepEqual([file?.name, file?.size], ["minutes", 13]);
  assert.equal(readFileSync(file!.path, "utf8"), "%PDF of alder", "where the archive has it");
});
