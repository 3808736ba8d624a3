import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { LoopbackSite } from "./loopback-site.ts";
import { ROOT } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-own-trouble-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The first item opens all files that the process may open, until a while after the first failure. */
const HOARDER = `
  import { closeSync, openSync, writeFileSync } from "node:fs";
  import { defineScraper } from "sluice";
  import { z } from "zod";
  const held = [];
  let seen = "";
  const hoard = () => {
    try { for (;;) held.push(openSync("/dev/null")); } catch {}
  };
  const letGo = () => { for (const file of held) closeSync(file); };
  export default defineScraper({
    name: "hoarder",
    site: process.env["SITE_URL"],
    input: z.object({ n: z.string() }),
    key: ({ n }) => n,
    robots: "ignore",
    pace: { perSecond: Infinity, concurrency: 20 },
    async collect({ input, http, keep }) {
      if (held.length === 0) hoard();
      try {
        keep.page("page", await http.get("/" + input.n));
        if (seen !== "") writeFileSync(process.env["SEEN"], seen);
      } catch (error) {
        if (seen === "") setTimeout(letGo, 1000);
        seen = error.message;
        throw new Error("the scraper takes it for its own");
      }
    },
  });`;

test("items that fail because files are exhausted are put back, and all are done", async () => {
  await using site = await LoopbackSite.open();
  const scraper = join(folder, "hoarder.scraper.ts");
  writeFileSync(scraper, HOARDER);
  const inputs = join(folder, "inputs.csv");
  writeFileSync(inputs, `n\n${Array.from({ length: 60 }, (_, i) => `${i}\n`).join("")}`);
  const data = join(folder, "data");
  const seen = join(folder, "seen.txt");
  const args = ["run", scraper, "--input", inputs, "--data", data, "--json"];
  const run = spawn(
    "sh",
    ["-c", 'ulimit -n 256; exec "$@"', "sh", process.execPath, join(ROOT, "bin/sluice.js"), ...args],
    { cwd: ROOT, env: { ...process.env, SITE_URL: site.url, SEEN: seen }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let [output, errors] = ["", ""];
  run.stdout.on("data", (text: Buffer) => (output += text.toString()));
  run.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  const code = await new Promise((ended) => run.once("close", ended));
  assert.equal(code, 0, errors);
  const last = JSON.parse(output.trimEnd().split("\n").at(-1)!) as {
    readonly counts: { readonly states: Record<string, number> };
  };
  assert.equal(last.counts.states["done"], 60);
  assert.equal(readFileSync(seen, "utf8"), "this machine has run out of a resource (EMFILE)");
});
