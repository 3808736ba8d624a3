import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { type CountySite, startSite } from "./county-process.ts";
import { COUNTY_SCRAPER, type Ended, sluice, SluiceProcess, untilJob } from "./sluice-process.ts";

/** Each message of docs/errors.md names the input, the reason and what to do. */

const folder = mkdtempSync(join(tmpdir(), "sluice-errors-"));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const parcels = file("parcels.csv", [...parcelsCsv(60)].join(""));

let site: CountySite;
before(async () => void (site = await startSite(["--parcels", "60"])));
after(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: readonly string[], data = join(folder, "data")): Promise<Ended> =>
  sluice([...args, "--data", data], { COUNTY_URL: site.url });

const assertSays = ({ code, stderr }: Ended, expected: number, ...parts: RegExp[]): void => {
  assert.equal(code, expected, stderr);
  for (const part of parts) assert.match(stderr, part);
};

test("the error for a wrong CSV header names the file, its columns and what to do", async () => {
  const input = file("wrong.csv", "apn,owner\n0123456789,SMITH\n");
  const ended = await run(["run", COUNTY_SCRAPER, "--input", input]);
  assertSays(ended, 2, /wrong\.csv:2/, /parcel/, /columns are apn, owner/, /Rename them/);
});

test("a bad row is reported with its line, and all other rows run", async () => {
  const [header, first, second] = [...parcelsCsv(2)].join("").trim().split("\n");
  const input = file("bad-row.csv", `${header}\n${first}\nnot-a-parcel\n${second}\n`);
  const ended = await run(["run", COUNTY_SCRAPER, "--input", input], join(folder, "bad-row"));
  assertSays(ended, 3, /rejected input of .*bad-row\.csv/, /^\s+3\s+parcel: /m, /done\s+2/);
});

test("the error for an unknown scraper names it and lists the known ones", async () => {
  const ended = await run(["run", "no-such.ts", "--input", parcels]);
  assertSays(ended, 2, /no-such\.ts/, /no such scraper/, /page/);
});

test("the error for a syntax error in a scraper names the file and the position", async () => {
  const scraper = file(
    "broken.ts",
    "import { defineScraper } from 'sluice';\nexport default defineScraper({ name: ;\n",
  );
  const ended = await run(["run", scraper, "--input", parcels]);
  assertSays(ended, 2, /broken\.ts/, /cannot be loaded/, /Correct the file/);
});

test("items of an unreachable site fail with the reason and the URL", async () => {
  const input = file("urls.txt", "http://127.0.0.1:9/nothing\n");
  const scraper = file(
    "patient.ts",
    `import page from "./page-again.ts";
     export default { ...page, failures: { connection: { maxAttempts: 1 } } };`,
  );
  file(
    "page-again.ts",
    `import { defineScraper } from "sluice"; import { z } from "zod";
     export default defineScraper({ name: "again", input: z.object({ url: z.string() }),
       async collect({ input, http, keep }) { keep.page("page", await http.get(input.url)); } });`,
  );
  const ended = await run(["run", scraper, "--input", input], join(folder, "unreachable"));
  assertSays(ended, 3, /connection/, /127\.0\.0\.1:9/, /jobs retry/);
});

test("the error for a read-only data folder names it and says what to do", async (t) => {
  if (process.getuid?.() === 0) {
    // For root only a read-only file system is read-only.
    const mount = join(folder, "read-only");
    mkdirSync(mount);
    if (!tmpfs(mount, "ro")) return t.skip("no read-only file system can be mounted here");
    try {
      assertSays(
        await run(["run", COUNTY_SCRAPER, "--input", parcels], join(mount, "data")),
        6,
        /read-only/,
        /--data/,
      );
    } finally {
      execFileSync("umount", [mount]);
    }
    return;
  }
  const locked = join(folder, "locked");
  mkdirSync(locked);
  chmodSync(locked, 0o500);
  assertSays(
    await run(["run", COUNTY_SCRAPER, "--input", parcels], join(locked, "data")),
    6,
    /locked/,
    /--data/,
  );
});

test("a full disk is reported, and no settled item is lost", async (t) => {
  const mount = join(folder, "small");
  mkdirSync(mount);
  if (!tmpfs(mount, "size=1500k")) return t.skip("no small file system can be mounted here");
  try {
    const ended = await run(["run", COUNTY_SCRAPER, "--input", parcels], join(mount, "data"));
    assertSays(ended, 6, /small/, /full|space/i, /resume/);
    execFileSync("mount", ["-o", "remount,size=100m", mount]);
    const resumed = await run(["resume", "last", "--input", parcels], join(mount, "data"));
    assertSays(resumed, 0, /done\s+60/);
  } finally {
    execFileSync("umount", [mount]);
  }
});

test("a data folder of a newer version is not opened", async () => {
  const data = join(folder, "newer");
  mkdirSync(data);
  const db = new DatabaseSync(join(data, "sluice.db"));
  db.exec("PRAGMA user_version = 999");
  db.close();
  const ended = await run(["run", COUNTY_SCRAPER, "--input", parcels], data);
  assertSays(ended, 6, /sluice\.db/, /newer/, /Update Sluice|--data/);
});

test("resume refuses a changed scraper and says what to do", async () => {
  const data = join(folder, "changed");
  const scraper = file("changing.ts", `export { default } from ${JSON.stringify(COUNTY_SCRAPER)};\n`);
  const started = new SluiceProcess(["run", scraper, "--input", parcels, "--data", data, "--rate", "20"], {
    COUNTY_URL: site.url,
  });
  await untilJob(data);
  started.child.kill("SIGINT");
  assert.equal((await started.ended).code, 5);
  file("changing.ts", `// better\nexport { default } from ${JSON.stringify(COUNTY_SCRAPER)};\n`);
  assertSays(
    await run(["resume", "last"], data),
    2,
    /scraper county was changed/,
    /sluice resume \S+ --new-version --data/,
  );
});

const tmpfs = (mount: string, options: string): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", mount], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
