// e2e: kills writing processes
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { it } from "node:test";
import { openFiles } from "../backends/files/open-files.ts";
import { readCapture } from "./read-capture.ts";
import type { Kept } from "./item-bundle.ts";

/** Commits one item, runs a second one until just before its commit, and reports it: then it is killed. */
const program = `
  const [folder, files, packerModule, writer] = process.argv.slice(1);
  const { openFiles } = await import(files);
  const { startPacker } = await import(packerModule);
  const { openArchive } = await import(writer);
  const blobs = await openFiles(folder);
  const archive = openArchive({ blobs, packer: startPacker(), job: "7", software: "x", maxAgeMs: 2 ** 30 });
  const page = (text) => ({ method: "GET", url: "http://example.com/" + text, startedAt: 0, requestHeaders: [], status: 200,
    statusText: "OK", responseHeaders: [], body: Buffer.from(text) });
  const take = async (text) => {
    const item = archive.item();
    item.keep("page", await item.exchange(page(text)));
    return { committed: item.commit([JSON.stringify({ text })]) };
  };
  const { committed } = await take("committed");
  await archive.seal();
  const kept = await committed;
  await take("lost");
  console.log(JSON.stringify(kept));
`;

it("keeps committed data after SIGKILL, and shows nothing that was not committed", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-crash-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const modules = ["../backends/files/open-files.ts", "./packer.ts", "./segment-writer.ts"];
  const paths = modules.map((path) => new URL(path, import.meta.url).href);
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program, folder, ...paths], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  child.kill("SIGKILL");
  await exited;

  const { captures, records }: Kept = JSON.parse(String(line.value));
  const blobs = await openFiles(folder);
  const names: string[] = [];
  for await (const { name } of blobs.list("")) names.push(name);
  const [ref] = captures;
  assert.ok(ref !== undefined && records !== null);
  assert.deepEqual(names, [ref.blob, `${ref.blob}.cdxj`, records.blob]);
  assert.equal(Buffer.from((await readCapture(blobs, ref)).body).toString(), "committed");
  assert.equal(Buffer.from(await blobs.get(records.blob, records)).toString(), '{"text":"committed"}\n');
});
