// e2e: starts the command line as a process
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EXIT } from "./exit.ts";
import { type Ending, openSampleStorage } from "./testing/sample-storage.ts";

const BIN = fileURLToPath(new URL("../../bin/sluice.js", import.meta.url));

const sluice = async (...args: readonly string[]) => {
  const child = spawn(process.execPath, [BIN, ...args], { env: { ...process.env, SLUICE_DATA: undefined } });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on("close", resolve)),
  ]);
  return { stdout, stderr, code };
};

const firstLine = (output: string) => output.split("\n", 1)[0];

describe("the command line", () => {
  test("a mistyped command or option gets a suggestion", async () => {
    const command = await sluice("rnu");
    assert.equal(command.code, EXIT.usage);
    assert.match(command.stderr, /'rnu'[^]*Did you mean run\?/);
    const option = await sluice("run", "page", "--imput", "x");
    assert.equal(option.code, EXIT.usage);
    assert.match(option.stderr, /--imput[^]*Did you mean --input\?/);
  });

  test("invalid values are refused before anything is opened", async () => {
    for (const args of [
      ["run", "page", "--limit", "0"],
      ["run", "page", "--processes", "1.5"],
      ["run", "page", "--rate", "-1"],
      ["run", "page", "--log-level", "loud"],
      ["run", "page", "--format", "xlsx"],
      ["run", "page", "--json", "--output", "-"],
      ["items", "ls", "last", "--state", "done,gone"],
      ["jobs", "retry", "last", "--kind", "tired"],
    ]) {
      const { code, stderr, stdout } = await sluice(...args);
      assert.equal(code, EXIT.usage, args.join(" "));
      assert.match(stderr, /^error: /, args.join(" "));
      assert.equal(stdout, "");
    }
  });

  test("help has examples for every command and exits with 0", async () => {
    for (const args of [[], ["run"], ["resume"], ["jobs"], ["items", "ls"], ["export"]]) {
      const { code, stdout } = await sluice(...args, "--help");
      assert.equal(code, EXIT.ok);
      assert.match(stdout, /Usage: sluice[^]*Examples:\n {2}/, args.join(" "));
    }
  });

  test("--version prints the version of the package", async () => {
    const { version } = JSON.parse(
      await readFile(new URL("../../package.json", import.meta.url), "utf8"),
    ) as { version: string };
    assert.deepEqual(await sluice("--version"), { stdout: `${version}\n`, stderr: "", code: EXIT.ok });
  });

  test("a missing data folder is an error and is not created", async () => {
    const data = join(tmpdir(), `sluice-none-${process.pid}`);
    const { code, stderr } = await sluice("jobs", "ls", "--data", data);
    assert.equal(code, EXIT.usage);
    assert.ok(stderr.includes(data));
    await assert.rejects(readFile(data), { code: "ENOENT" });
  });
});

const endings = (n: number): Ending => {
  if (n < 3)
    return {
      outcome: {
        state: "failed",
        failure: { kind: n === 0 ? "captcha" : "blocked", detail: `trouble ${n}` },
      },
    };
  return { outcome: { state: "done", quality: "complete" }, records: [{ owner: `Ann ${n}` }] };
};

describe("on a data folder", () => {
  test("jobs and items are listed, shown and exported", async () => {
    await using storage = await openSampleStorage(10, endings);
    const at = ["--data", storage.data];
    const jobs = await sluice("jobs", "ls", ...at);
    assert.match(jobs.stdout, new RegExp(`^  job .*\\n  ${storage.job}  done +10 +7 +0 +3 .* county\\n$`));
    const shown = await sluice("jobs", "show", "last", ...at, "--json");
    assert.equal(
      (JSON.parse(shown.stdout) as { counts: { states: { failed: number } } }).counts.states.failed,
      3,
    );
    const items = await sluice("items", "ls", "k3f9", "--state", "failed", "--kind", "blocked", ...at);
    assert.equal(
      items.stdout,
      "  key  state   tries  failure  detail\n  1    failed      1  blocked  trouble 1\n  2    failed      1  blocked  trouble 2\n",
    );
    const limited = await sluice("items", "ls", "last", "--limit", "4", "--json", ...at);
    assert.deepEqual(
      limited.stdout
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { key: string }).key),
      ["0", "1", "2", "3"],
    );
    const exported = await sluice("export", "last", ...at);
    assert.equal(exported.stdout.trimEnd().split("\n").length, 10);
    assert.equal(exported.code, EXIT.ok);
  });

  test("failed items are retried by kind, with the next command shown", async () => {
    await using storage = await openSampleStorage(10, endings);
    const retried = await sluice(
      "jobs",
      "retry",
      "last",
      "--kind",
      "blocked,timeout",
      "--data",
      storage.data,
    );
    assert.equal(retried.code, EXIT.ok);
    assert.ok(retried.stdout.includes(` resume ${storage.job} --data ${storage.data}\n`));
    const view = await storage.ledger.readJob(storage.job);
    assert.deepEqual(
      [view?.state, view?.counts.states.failed, view?.counts.states.queued],
      ["running", 1, 2],
    );
    const again = await sluice(
      "jobs",
      "retry",
      "last",
      "--kind",
      "blocked",
      "--data",
      storage.data,
      "--json",
    );
    assert.deepEqual(JSON.parse(again.stdout), { job: storage.job, retried: 0 });
  });

  test("a job can be cancelled only once", async () => {
    await using storage = await openSampleStorage(10, (n) => (n < 5 ? endings(n) : undefined));
    const cancel = () => sluice("jobs", "cancel", "last", "--data", storage.data);
    assert.match(firstLine((await cancel()).stdout) ?? "", /cancelled, with 5 unfinished items/);
    assert.equal((await storage.ledger.readJob(storage.job))?.state, "cancelled");
    assert.equal((await cancel()).code, EXIT.usage);
  });

  test("a bad output name fails before anything is read", async () => {
    await using storage = await openSampleStorage(1, endings);
    const wrong = await sluice("export", "last", "--output", "out.xlsx", "--data", storage.data);
    assert.deepEqual([wrong.code, wrong.stdout], [EXIT.usage, ""]);
    assert.match(wrong.stderr, /^error: out\.xlsx: /);
  });
});
