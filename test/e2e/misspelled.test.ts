import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { LoopbackSite } from "./loopback-site.ts";
import { SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-misspelled-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Parts {
  /** Beside name, input and collect. */
  readonly options?: string;
  readonly fields?: string;
  readonly request?: string;
}

const scraperText = ({ options = "", fields = 'b: field.text("b")', request = "" }: Parts): string => `
import { by, defineScraper, emitTo, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "spelled",
  input: z.object({ url: z.string() }),
  async collect({ input, http, keep }) {
    keep.page("page", await http.get(input.url${request}));
  },
  extract: { fields: { ${fields} } },
  ${options}
});
`;

/** For each mistake: what was written and what was meant. */
const AT_LOAD: Readonly<Record<string, readonly [Parts, string, string]>> = {
  "a cap": [{ options: "limits: { dept: 20 }," }, "dept", "depth"],
  "a scraper's option": [{ options: 'robot: "ignore",' }, "robot", "robots"],
  "a flag": [{ options: "once_: true," }, "once_", "once"],
  "a pace": [{ options: "pace: { perSeconds: 1 }," }, "perSeconds", "perSecond"],
  "a kind of failure": [
    { options: 'failures: { "rate-limit": { maxAttempts: 9 } },' },
    "rate-limit",
    "rate-limited",
  ],
  "a policy": [{ options: "failures: { blocked: { maxAttempt: 9 } }," }, "maxAttempt", "maxAttempts"],
  "a wait": [{ options: "failures: { blocked: { backoff: { firstMS: 9 } } }," }, "firstMS", "firstMs"],
  "an option of every field": [
    { fields: 'b: field.text("b", { placeholder: ["-"] })' },
    "placeholder",
    "placeholders",
  ],
  "an option of one kind of field": [{ fields: 'b: field.money("b", { mn: 0 })' }, "mn", "min"],
  "where to look": [{ fields: 'b: field.text(by.label("B", { witin: "div" }))' }, "witin", "within"],
  "an option of rows": [{ fields: 'b: field.table("table", { column: {} })' }, "column", "columns"],
  "an option of `extract`": [
    { options: 'extract: { form: "page", fields: { b: field.text("b") } },' },
    "form",
    "from",
  ],
  "an option of `emit`": [
    { options: 'emit: [emitTo("self", { each: "b", input: { url: field.url("a") }, mim: 0 })],' },
    "mim",
    "min",
  ],
};

test("a misspelled option is refused before anything is fetched, and the right one is suggested", async (t) => {
  await using site = await LoopbackSite.open();
  const input = site.writeUrls(join(folder, "urls.txt"), ["/1"]);
  await Promise.all(
    Object.entries(AT_LOAD).map(([what, [parts, written, meant]], number) =>
      t.test(what, async () => {
        const file = join(folder, `spelled-${number}.ts`);
        writeFileSync(file, scraperText(parts));
        const run = new SluiceProcess(["run", file, "--input", input, "--data", join(folder, "data")]);
        const { code, stderr } = await run.ended;
        assert.equal(code, 2, stderr);
        assert.ok(stderr.includes(`\`${written}\``), stderr);
        assert.ok(stderr.includes(`Did you mean \`${meant}\`?`), stderr);
        assert.ok(stderr.includes(file), stderr);
      }),
    ),
  );
  assert.deepEqual(site.arrived, []);
});

test("a misspelled option of a request fails the item, before the request leaves", async () => {
  await using site = await LoopbackSite.open();
  const input = site.writeUrls(join(folder, "request.txt"), ["/1"]);
  const file = join(folder, "request.ts");
  writeFileSync(file, scraperText({ request: ", { acept: [404] }" }));
  const run = new SluiceProcess([
    "run",
    file,
    "--input",
    input,
    "--data",
    join(folder, "requests"),
    "--json",
  ]);
  const { code, stdout } = await run.ended;
  assert.equal(code, 3);
  assert.match(stdout, /http\.get has no option `acept`\. Did you mean `accept`\?/);
  assert.deepEqual(site.arrived, []);
});

test("a misspelled option of sluice.config.ts is refused", async () => {
  const project = join(folder, "project");
  mkdirSync(project);
  for (const [text, meant] of [
    ['{ allowTarget: ["10.1.0.0/16"] }', "allowTargets"],
    ["{ server: { prot: 7071 } }", "port"],
    ["{ alerts: { channels: [], rules: { noSucces: false } } }", "noSuccess"],
  ] as const) {
    writeFileSync(join(project, "sluice.config.ts"), `export default ${text};\n`);
    const { code, stderr } = await new SluiceProcess(["jobs", "ls"], {}, project).ended;
    assert.equal(code, 2, stderr);
    assert.ok(stderr.includes(`Did you mean \`${meant}\`?`), stderr);
  }
});
