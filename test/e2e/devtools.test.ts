import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sluice, SluiceProcess } from "./sluice-process.ts";

const DETAIL = `<html><body>
<form id="back" action="/search;jsessionid=5E55A0"><input type="hidden" name="__VIEWSTATE" value="dDwtMTA4OTk"></form>
<table id="account">
<tr><th>Owner</th><td class="owner">ALLEN JAMES</td></tr>
<tr><th>Market value</th><td id="market">$306,320</td></tr>
<tr><th>Tax rate</th><td class="rate">see note 4</td></tr>
</table>
</body></html>
`;

const folder = mkdtempSync(join(tmpdir(), "sluice-devtools-"));
const scraper = join(folder, "county.scraper.ts");
const data = join(folder, "data");
const requests: string[] = [];
let site: Server;

const write = (owner = ".owner", market = "#market"): void => {
  const { port } = site.address() as AddressInfo;
  const text = `import { absent, defineScraper, field } from "sluice";
import { z } from "zod";
import { OWNER } from "./places.ts";
export default defineScraper({
  name: "county",
  site: "http://127.0.0.1:${port}",
  input: z.object({ parcel: z.string() }),
  key: ({ parcel }) => parcel,
  pace: { perSecond: Infinity },
  async collect({ input, http, keep }) {
    const page = await http.get("/go?parcel=" + input.parcel, { accept: [404] });
    if (page.status === 404) throw absent();
    keep.page("detail", page);
  },
  extract: {
    from: "detail",
    fields: {
      owner: field.text("#account " + OWNER),
      market: field.money("${market}"),
      notes: field.list("li.note").optional(),
    },
  },
});
`;
  writeFileSync(scraper, text);
  writeFileSync(join(folder, "places.ts"), `export const OWNER = ${JSON.stringify(owner)};\n`);
};

before(async () => {
  site = createServer((request, response) => {
    requests.push(request.url!);
    const url = new URL(request.url!, "http://site");
    const parcel = url.searchParams.get("parcel");
    if (url.pathname === "/robots.txt" || parcel === "absent") return void response.writeHead(404).end("no");
    if (url.pathname === "/go")
      return void response.writeHead(302, { location: `/detail?parcel=${parcel}&sid=5E55` }).end();
    if (parcel === "broken") return void response.writeHead(503).end("down");
    if (parcel === "empty") return void response.setHeader("content-type", "text/html").end("<h1>New!</h1>");
    response.setHeader("content-type", "text/html").end(DETAIL);
  });
  await once(site.listen(0, "127.0.0.1"), "listening");
  write();
  assert.equal((await capture("7", "plain")).code, 0);
});
after(() => {
  site.close();
  site.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const lines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const attempt = (...args: string[]) => sluice(["try", scraper, "--data", data, ...args]);
const capture = (parcel: string, name: string) =>
  sluice(["capture", scraper, "--data", data, "--input", `parcel=${parcel}`, "--case", name]);
const forget = (name: string): void => rmSync(join(folder, "fixtures", name), { recursive: true });
const fixture = (name: string, file: string): string => join(folder, "fixtures", name, file);
const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Record<string, never>;

test("try shows every request, what was kept and each field with its place", async () => {
  const { code, stdout } = await attempt("--input", "parcel=1");
  assert.equal(code, 0);
  assert.match(stdout, /GET\s+\/go\?parcel=1\s+302/);
  assert.match(stdout, /GET\s+\/detail\?parcel=1&sid=\*\*\*\s+200/);
  assert.match(stdout, /stored page detail/);
  assert.match(stdout, /owner\s+present\s+ALLEN JAMES\s+#account \.owner\s+4:/);
  assert.match(stdout, /market\s+present\s+306320\s+#market\s+5:/);
});

test("try is a job like any other: its pages are in the archive", async () => {
  const [end] = lines((await attempt("--input", '{"parcel":"2"}', "--json")).stdout).slice(-1);
  const { stdout } = await sluice(["items", "ls", String(end!["job"]), "--data", data, "--json"]);
  const [item] = lines(stdout);
  assert.equal(item!["state"], "done");
  assert.equal((item!["captures"] as unknown[]).length, 1);
});

test("an item that the site does not have is absent, and one that fails is tried once", async () => {
  assert.equal((await attempt("--input", "parcel=absent")).code, 0);
  requests.length = 0;
  const { code, stdout } = await attempt("--input", "parcel=broken", "--json");
  const end = lines(stdout).at(-1)!;
  assert.equal(code, 3);
  assert.equal((end["failure"] as { kind: string }).kind, "server-error");
  assert.equal(requests.filter((url) => url.startsWith("/detail")).length, 1);
});

test("an invalid input is refused before anything is fetched", async () => {
  requests.length = 0;
  const { code, stderr } = await attempt("--input", "parcl=1");
  assert.equal(code, 2);
  assert.match(stderr, /parcl.*county/);
  assert.deepEqual(requests, []);
});

test("for a wrong selector, try shows which parts of it match", async () => {
  write(".ownr", ".rate");
  const [end] = lines((await attempt("--input", "parcel=1", "--json")).stdout).slice(-1);
  const [owner, market] = end!["explanations"] as {
    field: string;
    reasons: string[];
    expects: string;
    views: { fragment: { line: number; lines: { text: string }[] } }[];
  }[];
  assert.equal(owner!.field, "owner");
  assert.match(owner!.reasons[0]!, /#account.*\.ownr/);
  assert.deepEqual(
    owner!.views.map(({ fragment }) => fragment.line),
    [3, 4],
  );
  assert.equal(market!.field, "market");
  assert.match(market!.expects, /money/);
  assert.equal(market!.views[0]!.fragment.line, 6);
  assert.match(market!.reasons[0]!, /see note 4/);
  write();
});

test("capture writes a fixture without secrets, and test checks the scraper against it", async () => {
  const { code, stdout } = await capture("8", "eight");
  assert.equal(code, 0);
  assert.match(stdout, /removed: .*__VIEWSTATE/);
  const page = readFileSync(fixture("eight", "detail.html"), "utf8");
  const whole = page + readFileSync(fixture("eight", "fixture.json"), "utf8");
  for (const secret of ["dDwtMTA4OTk", "5E55A0", "sid=5E55"]) assert.ok(!whole.includes(secret), secret);
  assert.equal(page.split("\n").length, DETAIL.split("\n").length);
  requests.length = 0;
  const tested = await sluice(["test", scraper]);
  assert.equal(tested.code, 0, tested.stdout);
  assert.deepEqual(requests, []);
  forget("eight");
});

test("capture makes a fixture from a job's stored pages, and overwrites none without --update", async () => {
  const end = lines((await attempt("--input", "parcel=9", "--json")).stdout).at(-1)!;
  requests.length = 0;
  const from = ["--from-job", String(end["job"]), "--key", "9"];
  const args = ["capture", scraper, "--data", data, ...from, "--case", "stored"];
  assert.equal((await sluice(args)).code, 0);
  assert.deepEqual(requests, []);
  const both = (file: string) => ["stored", "plain"].map((name) => readFileSync(fixture(name, file), "utf8"));
  for (const [stored, plain] of [both("detail.html"), both("expected.json")]) assert.equal(stored, plain);
  assert.equal((await sluice(args)).code, 2);
  assert.equal((await sluice([...args, "--force"])).code, 0);
  forget("stored");
});

test("a page without any field can be captured, an absent item cannot", async () => {
  assert.equal((await capture("empty", "empty")).code, 0);
  assert.equal(readJson(fixture("empty", "expected.json"))["failure"], "structure-changed");
  assert.equal((await sluice(["test", scraper])).code, 0);
  forget("empty");
  assert.equal((await capture("absent", "absent")).code, 3);
});

test("a fixture that differs fails field by field with the page's fragment, until it is updated", async () => {
  write(".owner", "td");
  const differing = await sluice(["test", scraper]);
  assert.equal(differing.code, 3);
  assert.match(differing.stdout, /market\n\s+expected\s+present\s+306320\n\s+got\s+malformed/);
  assert.match(differing.stdout, /4 │ .*ALLEN JAMES.*\n.*\^\^/);
  assert.equal((await sluice(["test", scraper, "--update"])).code, 0);
  assert.equal((await sluice(["test", scraper])).code, 0);
  write();
  const [result] = lines((await sluice(["test", scraper, "--json"])).stdout);
  const [one] = result!["cases"] as { findings: { difference: { field: string } }[] }[];
  assert.deepEqual(
    one!.findings.map(({ difference }) => difference.field),
    ["market"],
  );
  assert.equal((await sluice(["test", scraper, "--update"])).code, 0);
});

test("a scraper without fixtures is named, and fails only where fixtures are required", async () => {
  const bare = join(folder, "bare");
  mkdirSync(bare, { recursive: true });
  const file = join(bare, "bare.scraper.ts");
  writeFileSync(file, readFileSync(scraper, "utf8").replace("./places.ts", "../places.ts"));
  const { code, stdout } = await sluice(["test", file]);
  assert.equal(code, 0);
  assert.match(stdout, /bare\.scraper\.ts\s+no fixture/);
  assert.equal((await sluice(["test", file, "--require-fixtures"])).code, 3);
});

test("a scraper that does not load fails with its reason, and the others are still tested", async () => {
  const broken = join(folder, "broken.scraper.ts");
  writeFileSync(broken, readFileSync(scraper, "utf8").replace('"#market"', '"#market["'));
  const { code, stdout } = await sluice(["test", broken, scraper, "--json"]);
  const [first, second] = lines(stdout);
  assert.equal(code, 3);
  assert.match(String(first!["problem"]), /#market\[/);
  assert.equal((second!["cases"] as unknown[]).length, 1);
  rmSync(broken);
});

test("test reports an extraction that is not deterministic", async () => {
  const text = readFileSync(scraper, "utf8");
  writeFileSync(
    scraper,
    text.replace(
      'field.money("#market")',
      'field.text("#market", { transform: () => "" + process.hrtime.bigint() })',
    ),
  );
  const { code, stdout } = await sluice(["test", scraper, "--json"]);
  const [one] = lines(stdout)[0]!["cases"] as { problem: string }[];
  assert.equal(code, 3);
  assert.match(one!.problem, /field market.*twice/);
  write();
});

test("watch runs again when an import or a fixture changes, and stops on an interrupt", async () => {
  const watching = new SluiceProcess(["test", scraper, "--watch"]);
  await watching.prints(/✓ county[^]*Watching/);
  write(".ownr");
  await watching.prints(/✗ county[^]*got\s+missing[^]*Watching/);
  // As editors save: a new file takes the place of the old one.
  writeFileSync(join(folder, "places.new"), 'export const OWNER = ".owner";\n');
  renameSync(join(folder, "places.new"), join(folder, "places.ts"));
  await watching.prints(/✓ county[^]*Watching/);
  const expected = fixture("plain", "expected.json");
  writeFileSync(expected, readFileSync(expected, "utf8").replace("ALLEN", "ELLEN"));
  await watching.prints(/✗ county[^]*ELLEN JAMES[^]*Watching/);
  watching.child.kill("SIGINT");
  assert.equal((await watching.ended).code, 0);
});
