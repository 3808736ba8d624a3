import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Service } from "./service-process.ts";
import { ROOT } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice hints-"));
const BIN = join(ROOT, "bin/sluice.js");

/** Answers /ok/N with a page, /gone/N with 404, /broken/N with a page that has nothing of what is wanted. */
const site: Server = createServer(({ url = "" }, response) => {
  const kind = url.split("/")[1];
  if (kind === "gone" || kind === "robots.txt") return void response.writeHead(404).end("no");
  response.setHeader("content-type", "text/html");
  response.end(kind === "broken" ? "<p>Closed</p>" : `<h1>Parcel</h1><p>Owner: <b>Ann ${url}</b></p>`);
});
let url = "";
before(async () => {
  await once(site.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
after(() => {
  site.close();
  site.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const SCRAPER = `
import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "owners",
  site: process.env.SITE,
  input: z.object({ path: z.string() }),
  pace: { perSecond: 200, concurrency: 4 },
  async collect({ input, http, keep }) { keep.page("page", await http.get(input.path)); },
  extract: { fields: { owner: field.text("b") } },
});
`;

/** A project with a space in its name, Sluice installed in it. */
const makeProject = (name: string): string => {
  const project = join(folder, name);
  mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
  mkdirSync(join(project, "scrapers"));
  symlinkSync(ROOT, join(project, "node_modules/sluice"));
  symlinkSync(join(ROOT, "node_modules/zod"), join(project, "node_modules/zod"));
  symlinkSync(BIN, join(project, "node_modules/.bin/sluice"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "p", private: true, type: "module" }));
  writeFileSync(join(project, "scrapers/owners.scraper.ts"), SCRAPER);
  writeFileSync(join(project, "sluice.config.ts"), "export default {};\n");
  writeFileSync(join(project, "in puts.csv"), "path\n/ok/1\n/ok/2\n/gone/3\n");
  return project;
};

const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|SLUICE_|NODE_TEST)/.test(name)),
);
const PATH = [
  join(process.execPath, ".."),
  ...(env["PATH"] ?? "").split(delimiter).filter((part) => !part.includes("node_modules/.bin")),
].join(delimiter);

interface Said {
  readonly code: number;
  readonly text: string;
}

/** A command line as a shell reads it. */
const paste = (line: string, cwd: string, more: Readonly<Record<string, string>> = {}): Promise<Said> =>
  new Promise((resolve) => {
    const child = execFile(
      "sh",
      ["-c", line],
      { cwd, env: { ...env, PATH, SITE: url, ...more } },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    );
    child.stdin!.end();
  });

/** Printed commands: on their own lines or in backquotes. */
const hintsIn = (text: string): string[] => {
  const plain = stripVTControlCharacters(text).replaceAll(/^npm warn .*$/gm, "");
  const lines = [
    ...plain.matchAll(/^ {2,}((?:npx |node \S.*?|'[^']*')?\S*sluice(?:\.js)?'? [a-z].*)$/gm),
  ].map(([, line]) => line!);
  // A report breaks long lines: a command in backquotes may span two.
  const quoted = [...plain.replaceAll(/\n +/g, " ").matchAll(/`([^`]*sluice(?:\.js)?'? [a-z][^`]*)`/g)].map(
    ([, line]) => line!,
  );
  return [...lines, ...quoted];
};

/** Runs the printed commands, and fails if one of them does not work as printed. */
const pasteAll = async (
  said: Said,
  cwd: string,
  atLeast: number,
  more?: Readonly<Record<string, string>>,
): Promise<void> => {
  const hints = hintsIn(said.text);
  assert.ok(hints.length >= atLeast, `only ${hints.length} hints in:\n${said.text}`);
  for (const hint of hints) {
    const { code, text } = await paste(hint, cwd, more);
    assert.ok([0, 3].includes(code), `${hint}\nended with ${code}:\n${text}`);
  }
};

test("commands printed by a run can be pasted, however the program was started", async () => {
  const project = makeProject("all ways");
  const run = await paste(`node '${BIN}' run owners --input 'in puts.csv' --data 'my data'`, project);
  assert.equal(run.code, 3, run.text);
  const program = `node ${BIN} `;
  const hints = hintsIn(run.text);
  assert.ok(hints.length >= 3 && hints.every((hint) => hint.startsWith(program)), run.text);
  await pasteAll(run, project, 3);
  for (const [call, printed] of [
    ["npx --no-install sluice", "npx sluice "],
    ["node_modules/.bin/sluice", "node_modules/.bin/sluice "],
  ] as const) {
    const shown = await paste(`${call} jobs show last --data 'my data'`, project);
    const hint = hintsIn(shown.text).at(-1) ?? "";
    assert.ok(hint.startsWith(printed), shown.text);
    assert.equal((await paste(hint, project)).code, 0, hint);
  }
});

test("commands printed by other commands can be pasted", async () => {
  const project = makeProject("all");
  const type = async (args: string, code: number): Promise<Said> => {
    const said = await paste(`node_modules/.bin/sluice ${args}`, project);
    assert.equal(said.code, code, `${args}\n${said.text}`);
    return said;
  };
  await pasteAll(await type("capture owners --input path=/ok/1 --case one", 0), project, 1);
  await type("try owners --input path=/gone/9", 3).then(({ text }) => assert.match(text, /accept: \[404\]/));
  const drafted = await type(`new scraper 'drafted' --url ${url}/ok/7`, 0);
  await pasteAll(drafted, project, 3);

  const capped = "run owners --input 'in puts.csv' --max-items 1 --no-extract --output rows.csv";
  await pasteAll(await type(capped, 3), project, 2);
  await pasteAll(await type("extract last", 0), project, 1);
  await pasteAll(await type("jobs show last", 0), project, 3);
  const submitted = withoutWaiting(await type("submit owners --input 'in puts.csv'", 0));
  await pasteAll(await type("jobs pause last", 0), project, 1);
  await pasteAll(submitted, project, 1);
});

/** Left out: commands that wait for workers, or are workers. */
const withoutWaiting = ({ code, text }: Said): Said => ({
  code,
  text: text.replaceAll(/^.* jobs watch .*$/gm, "").replaceAll(/`[^`]* worker`/g, ""),
});

test("the report of a held job says how to continue", async () => {
  const project = makeProject("held");
  const rows = Array.from({ length: 60 }, (_, n) => `/${n < 20 ? "ok" : "broken"}/${n}`);
  writeFileSync(join(project, "many.csv"), `path\n${rows.join("\n")}\n`);
  const held = await paste("node_modules/.bin/sluice run owners --input many.csv", project);
  assert.equal(held.code, 4, held.text);
  const hints = hintsIn(held.text);
  assert.ok(
    hints.some((hint) => /sluice resume \S+$/.test(hint)),
    held.text,
  );
  for (const hint of hints) {
    const { code, text } = await paste(hint, project);
    // Nothing was repaired, so it is held again after resume.
    assert.ok([0, 3, 4].includes(code), `${hint}\nended with ${code}:\n${text}`);
  }
});

test("commands printed for jobs on a server can be pasted", async () => {
  const project = makeProject("served");
  await using service = new Service(join(folder, "service"), { SITE: url });
  service.configure({ allowTargets: ["127.0.0.1"] });
  service.writeScraper("owners", SCRAPER);
  await service.serve("--workers", "1");
  const key = { SLUICE_KEY: service.key };
  const at = `--server ${service.url}`;
  const submitted = await paste(
    `node_modules/.bin/sluice submit owners --input 'in puts.csv' ${at}`,
    project,
    key,
  );
  assert.equal(submitted.code, 0, submitted.text);
  await pasteAll(submitted, project, 1, key);
  await pasteAll(await paste(`node_modules/.bin/sluice jobs show last ${at}`, project, key), project, 3, key);
});
