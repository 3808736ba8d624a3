import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ArchiveError } from "../archive/stored-bytes.ts";
import { OutputError } from "../export/outputs/output-error.ts";
import { ExtractionError, SelectorError } from "../extraction/extraction-error.ts";
import { InputError } from "../inputs/input-format.ts";
import { BlobError } from "../ports/blobs.ts";
import { LedgerError } from "../ports/ledger.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import { EXIT, UsageError } from "./exit.ts";
import { explainError } from "./explain-error.ts";

const system = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: went wrong`), { code, ...(path !== undefined && { path }) });

describe("the kind of error determines the exit code", () => {
  const cases: readonly (readonly [string, Error, number])[] = [
    ["a wrong use", new UsageError("no inputs given"), EXIT.usage],
    ["a bad header", new InputError("bad-header", { file: "a.csv", line: 1 }, "x", "y"), EXIT.usage],
    ["an unknown scraper", new ScraperLoadError("unknown-scraper", "x"), EXIT.usage],
    ["a changed scraper", new ScraperLoadError("changed-scraper", "x"), EXIT.usage],
    ["a bad selector", new SelectorError("a[", new Error("x")), EXIT.usage],
    ["a bad extract block", new ExtractionError("bad-spec", "x"), EXIT.usage],
    ["an unknown job", new LedgerError("no-such-job", "x"), EXIT.usage],
    ["an ended job", new LedgerError("job-ended", "x"), EXIT.usage],
    ["a full disk under the ledger", new LedgerError("no-space", "x"), EXIT.storage],
    ["a read-only data folder", new LedgerError("read-only", "x"), EXIT.storage],
    ["a locked ledger", new LedgerError("locked", "x"), EXIT.storage],
    ["a newer ledger", new LedgerError("newer-version", "x"), EXIT.storage],
    ["a full disk under the archive", new BlobError("no-space", "a", "x"), EXIT.storage],
    ["a blob that is gone", new BlobError("not-found", "a", "x"), EXIT.storage],
    ["damaged bytes", new ArchiveError("a", "x"), EXIT.storage],
    ["an unwritable output", new OutputError("not-writable", "a", "x", "y"), EXIT.usage],
    ["a full disk under the output", new OutputError("no-space", "a", "x", "y"), EXIT.storage],
    ["a full disk anywhere", system("ENOSPC", "/data/logs/a.jsonl"), EXIT.storage],
    ["a read-only disk anywhere", system("EROFS"), EXIT.storage],
    ["an error that nobody foresaw", new TypeError("x is not a function"), EXIT.unexpected],
  ];
  for (const [what, error, exitCode] of cases)
    test(`${what}: ${exitCode}`, () => {
      const explained = explainError(error);
      assert.equal(explained.exitCode, exitCode);
      assert.notEqual(explained.message, undefined);
    });
});

test("an error from a worker process, with only its name and code, is explained the same way", () => {
  const error = Object.assign(new Error("sluice.db: the disk is full"), {
    name: "LedgerError",
    code: "no-space",
  });
  assert.deepEqual(explainError(error), { exitCode: EXIT.storage, message: "sluice.db: the disk is full" });
});

test("a closed stdout is not an error", () => {
  assert.deepEqual(explainError(new OutputError("closed", "stdout", "x", "y")), { exitCode: EXIT.ok });
});

test("a system error names its file", () => {
  assert.match(explainError(system("EACCES", "/data/logs")).message ?? "", /^\/data\/logs: /);
});

test("stacks of the error and its cause are shown only when debugging", () => {
  const error = new TypeError("no", { cause: new RangeError("deeper") });
  assert.doesNotMatch(explainError(error).message ?? "", /explain-error\.test/);
  const debugged = explainError(error, true).message ?? "";
  assert.match(debugged, /explain-error\.test\.ts:\d+/);
  assert.match(debugged, /caused by RangeError: deeper/);
});

test("messages contain no secrets and no terminal control sequences", () => {
  const { message } = explainError(new Error("\x1b[2Jproxy http://bob:hunter2@proxy.example failed"));
  assert.match(message ?? "", /proxy http:\/\/\*\*\*@proxy\.example failed/);
  assert.ok(!message?.includes("\x1b"));
});

test("a thrown value that is not an error is shown too", () => {
  assert.equal(explainError("gone").exitCode, EXIT.unexpected);
  assert.match(explainError("gone").message ?? "", /gone/);
});
