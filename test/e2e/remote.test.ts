import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { freePort } from "../free-port.ts";
import { cutAfterBytes, CuttingProxy } from "./cutting-proxy.ts";
import { HoppingSite } from "./hopping-site.ts";
import { Service } from "./service-process.ts";
import { type Ended, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-remote-"));
const ITEMS = 30;
let site: HoppingSite;
let service: Service;

before(async () => {
  site = await HoppingSite.open();
  service = new Service(join(folder, "service"), { HOPPING_URL: site.url });
  service.writeScraper("hopping", HoppingSite.scraper);
  await service.serve("--workers", "1");
});
after(async () => {
  await service?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** As a user on another machine runs it, with its own configuration. */
const type = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new SluiceProcess(
    args,
    { XDG_CONFIG_HOME: join(folder, "config"), SLUICE_SERVER: service.url, ...env },
    folder,
  ).ended;

const typed = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await type(args);
  assert.equal(code, 0, `${args.join(" ")}: ${stderr}`);
  return stdout;
};

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const csv = (count: number): string => `n\n${Array.from({ length: count }, (_, n) => `${n}\n`).join("")}`;

test("without a key a server reveals nothing but how to log in", async () => {
  const { code, stderr } = await type(["jobs", "ls"]);
  assert.equal(code, 2);
  assert.match(stderr, /sluice login/);
});

test("login stores a valid key, readable only by its owner, and refuses an invalid one", async () => {
  const bad = await type(["login"], {
    SLUICE_KEY: "sluice_00000000_0000000000000000000000000000000000000000",
  });
  assert.equal(bad.code, 2);
  const { code, stdout, stderr } = await type(["login", "--json"], { SLUICE_KEY: service.key });
  assert.equal(code, 0, stderr);
  const { client, role, file: kept } = JSON.parse(stdout) as Record<string, string>;
  assert.deepEqual([client, role], ["default", "admin"]);
  assert.equal(statSync(kept!).mode & 0o777, 0o600);
  assert.ok(!stdout.includes(service.key), "the key itself is not shown");
});

test("the same commands work on local jobs and on jobs of a server", async () => {
  const input = file("inputs.csv.gz", gzipSync(csv(ITEMS)));
  const submitted = JSON.parse(
    await typed("submit", "hopping", "--input", input, "--label", "a=b", "--json"),
  ) as {
    readonly job: string;
    readonly counts: { readonly accepted: number };
  };
  assert.equal(submitted.counts.accepted, ITEMS);
  const watched = (await typed("jobs", "watch", "last", "--json")).trim().split("\n").at(-1)!;
  const end = JSON.parse(watched) as {
    readonly type: string;
    readonly counts: { readonly states: { done: number } };
  };
  assert.deepEqual([end.type, end.counts.states.done], ["end", ITEMS]);
  assert.match(await typed("jobs", "ls"), new RegExp(submitted.job));
  assert.match(await typed("jobs", "show", "last"), /all\s+30/);
  const shown = JSON.parse(await typed("jobs", "show", "last", "--json")) as { readonly job: string };
  assert.equal(shown.job, submitted.job);
  const items = (await typed("items", "ls", "last", "--state", "done", "--limit", "7", "--json"))
    .trim()
    .split("\n");
  assert.equal(items.length, 7);
  const output = join(folder, "results.csv");
  await typed("jobs", "results", "last", "--output", output);
  assert.equal(readFileSync(output, "utf8").trim().split("\n").length, ITEMS + 1);
  assert.equal((await typed("jobs", "results", "last")).trim().split("\n").length, ITEMS);
  assert.match(await typed("jobs", "retry", "last"), /no failed items/);
  const { code } = await type(["jobs", "cancel", "last"]);
  assert.equal(code, 2, "it has ended");
});

test("closing the pipe early while results are written is no error", async () => {
  const results = new SluiceProcess(
    ["jobs", "results", "last"],
    { XDG_CONFIG_HOME: join(folder, "config"), SLUICE_SERVER: service.url },
    folder,
  );
  results.child.stdout!.destroy();
  const { code, stderr } = await results.ended;
  assert.deepEqual([code, stderr], [0, ""]);
});

test("an empty file is named before a job exists, and a file that does not fit is reported", async () => {
  const known = await typed("jobs", "ls", "--json");
  const empty = await type(["submit", "hopping", "--input", file("empty.csv", "")]);
  assert.deepEqual([empty.code, empty.stdout], [2, ""]);
  assert.match(empty.stderr, /empty\.csv/);
  assert.equal(await typed("jobs", "ls", "--json"), known);
  const misfit = await type(["submit", "hopping", "--input", file("misfit.csv", "number\n1\n")]);
  assert.equal(misfit.code, 3);
  assert.match(misfit.stderr, /no input is valid for scraper hopping/);
});

test("lanes, workers and clients can be managed on a server", async () => {
  const lane = new URL(site.url).host;
  assert.match(await typed("lanes", "set", lane, "--rate", "5"), /at most/);
  await typed("lanes", "hold", lane);
  const held = JSON.parse((await typed("lanes", "ls", "--json")).trim()) as Record<string, unknown>;
  assert.deepEqual([held["operatorPerSecond"], held["isHeldByOperator"]], [5, true]);
  await typed("lanes", "release", lane);
  await typed("lanes", "set", lane, "--clear");
  await typed("lanes", "hold", lane);
  assert.match(await typed("lanes", "reset", lane), /reset/);
  assert.equal(
    (JSON.parse((await typed("lanes", "ls", "--json")).trim()) as { isHeldByOperator: boolean })
      .isHeldByOperator,
    false,
  );
  assert.equal((await typed("workers", "--json")).trim().split("\n").length, 1);

  await typed("clients", "add", "tax-team", "--weight", "3");
  await typed("clients", "set", "tax-team", "--weight", "2");
  assert.match(await typed("clients", "ls"), /tax-team\s+2/);
  const made = JSON.parse(await typed("clients", "key", "tax-team", "--json")) as { id: string; key: string };
  const theirs = () => type(["jobs", "ls", "--json"], { SLUICE_KEY: made.key });
  assert.deepEqual((({ code, stdout }) => [code, stdout])(await theirs()), [0, ""], "not the jobs of others");
  await typed("clients", "revoke", "tax-team", made.id);
  assert.equal((await theirs()).code, 2);
});

test("an upload that is cut repeatedly continues where it stopped, and every input arrives once", async () => {
  await typed("lanes", "hold", new URL(site.url).host);
  const count = 60_000;
  for (const [name, text] of [
    ["cut.csv", csv(count)],
    ["cut.json", JSON.stringify(Array.from({ length: count }, (_, n) => ({ n: String(n) })))],
  ] as const) {
    await using proxy = await CuttingProxy.open(service.url, cutAfterBytes(200_000, 3));
    const { code, stdout, stderr } = await type(
      ["submit", "hopping", "--input", file(name, text), "--server", proxy.url, "--json"],
      { SLUICE_KEY: service.key },
    );
    assert.equal(code, 0, stderr);
    const { counts, job } = JSON.parse(stdout) as {
      readonly job: string;
      readonly counts: { readonly received: number; readonly accepted: number };
    };
    assert.equal(proxy.cuts, 3);
    assert.equal(counts.accepted, count);
    await typed("jobs", "cancel", job);
  }
});

test("the error for an unreachable server names its address", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { code, stderr } = await type(["jobs", "ls", "--server", url]);
  assert.equal(code, 1);
  assert.ok(stderr.includes(url) && stderr.includes("ECONNREFUSED"), stderr);
});
