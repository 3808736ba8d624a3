import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Ended, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-submit-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const type = (...args: readonly string[]): Promise<Ended> => new SluiceProcess(args, {}, folder).ended;

test("inputs that cannot be read are told before there is a job", async () => {
  const { code, stdout, stderr } = await type("submit", "page", "--input", "nowhere.txt");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /nowhere\.txt/);
  assert.ok(!existsSync(join(folder, "data")));
});

test("the id stands alone on standard output, and that nobody works is said beside it", async () => {
  writeFileSync(join(folder, "urls.txt"), "http://127.0.0.1:9/a\n");
  const { code, stdout, stderr } = await type("submit", "page", "--input", "urls.txt");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\d{8}-\d{6}-\w+\n$/);
  assert.match(stderr, new RegExp(`sluice resume ${stdout.trim()}`));
  const shown = await type("jobs", "show", stdout.trim(), "--json");
  assert.equal((JSON.parse(shown.stdout) as { readonly state: string }).state, "running");
});

test("rejected inputs are shown with their lines, and the others are taken", async () => {
  writeFileSync(join(folder, "some.csv"), "url\nhttp://127.0.0.1:9/a\nnot a url\n");
  const { code, stderr } = await type("submit", "page", "--input", "some.csv");
  assert.equal(code, 3);
  assert.match(stderr, /^ {2}1 item, 1 rejected\n {2}line 3: \S/m);
});
