// e2e: starts the example site as a process
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fetch } from "undici";
import { detailPath } from "./pages.ts";
import { truthOf } from "./truth.ts";
import { DEFAULT_SEED } from "./parcels.ts";
import { parseTroubles } from "./troubles.ts";

const serve = join(import.meta.dirname, "serve.ts");
const inputs = join(import.meta.dirname, "inputs.ts");

test("the site run by itself writes its truth at the start and its log to the last request", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "county-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [log, truth] = [join(folder, "log.jsonl"), join(folder, "truth.jsonl")];
  const args = ["--parcels", "50", "--troubles", "trickle=50", "--log", log, "--truth", truth];
  const site = spawn(process.execPath, [serve, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => site.kill("SIGKILL"));
  const [line] = await once(createInterface(site.stdout), "line");
  const { url } = JSON.parse(String(line));

  const truths = readLines(truth);
  const population = { seed: DEFAULT_SEED, parcels: 50, troubles: parseTroubles("trickle=50") };
  assert.deepEqual(truths, [...truthOf(population)]);
  const parcelWith = (trouble: string) => truths.find((one) => one["trouble"] === trouble)?.["parcel"];
  const [healthy, endless] = [String(parcelWith("none")), String(parcelWith("trickle"))];

  await (await fetch(url + detailPath(healthy))).text();
  const begun = await fetch(url + detailPath(endless));
  site.kill("SIGTERM");
  await Promise.all([assert.rejects(begun.text()), once(site, "exit")]);
  assert.equal(site.exitCode, 0);

  assert.deepEqual(
    readLines(log).map(({ at, ...rest }) => ({ ...rest, isTimed: typeof at === "number" })),
    [healthy, endless].map((parcel) => ({
      host: "127.0.0.1",
      method: "GET",
      path: "/property/detail.aspx",
      parcel,
      status: 200,
      isTimed: true,
    })),
  );
});

test("the inputs are the county's parcels, each once, under a header", () => {
  const csv = execFileSync(process.execPath, [inputs, "--parcels", "50"], { encoding: "utf8" });
  const truths = truthOf({ seed: DEFAULT_SEED, parcels: 50, troubles: {} });
  assert.equal(csv, ["parcel", ...Array.from(truths, ({ parcel }) => parcel), ""].join("\n"));
});

test("an option that cannot be read ends the site with its usage", async () => {
  for (const args of [
    ["--port", "x"],
    ["--troubles", "floods=1"],
    ["--change-to", "most"],
    ["--colour", "red"],
  ]) {
    const site = spawn(process.execPath, [serve, ...args], { stdio: "ignore" });
    const [code] = await once(site, "exit");
    assert.equal(code, 2, args.join(" "));
  }
});

const readLines = (file: string): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
