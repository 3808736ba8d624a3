import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { startCounty } from "../../examples/county/site.ts";
import { openStorage } from "../../src/compose.ts";
import type { JobView } from "../../src/domain/job.ts";
import { makeCertificates } from "../proxies/certificates.ts";
import { startSuperProxy } from "../proxies/super-proxy.ts";
import { Service } from "./service-process.ts";
import { sluice, SluiceProcess, untilJob } from "./sluice-process.ts";
import {
  PASSWORD,
  EXITS,
  folder,
  scraperFile,
  inputs,
  tiers,
  LADDER,
  TWO_TIERS,
  onlyJob,
  tierOf,
  heldReason,
  withStorage,
} from "./proxy-kit.ts";

test("a lane that is blocked moves to the cheapest tier that works, after at most three refused items and without a lost attempt", async () => {
  for (const [name, blocks, right] of [
    ["one-step", ["127.0.0.1"], "datacenter"],
    ["two-steps", ["127.0.0.1", EXITS.dc], "residential:us-tx"],
  ] as const) {
    await using county = await startCounty({ parcels: 40, blocks });
    await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS });
    const data = join(folder, name);
    const { code, stderr } = await sluice(
      [
        "run",
        scraperFile(name, { ladder: LADDER }),
        "--input",
        inputs(name, 40),
        "--data",
        data,
        "--processes",
        "1",
      ],
      { COUNTY_URL: county.url, ...tiers(proxy.url, TWO_TIERS) },
    );
    assert.equal(code, 0, stderr);
    await withStorage(data, async (storage) => {
      const job = await onlyJob(storage);
      assert.equal(job.counts.states.done, 40);
      const refused = blocks.map(
        (exit) => county.arrivals.filter(({ from, path }) => from === exit && path !== "/robots.txt").length,
      );
      // Two refused items move the lane, and one is enough where no item has succeeded. Two are in flight at once: the other one may be refused as well.
      for (const [tier, count] of refused.entries())
        assert.ok(
          count >= (tier === 0 ? 2 : 1) && count <= (tier === 0 ? 3 : 2),
          `${refused.join(", ")} refused`,
        );
      assert.equal(await tierOf(storage), right);
    });
    const state = right === "datacenter" ? /zone-dc/ : /zone-res-country-us-state-tx-session-/;
    assert.match(proxy.connects.at(-1)?.user ?? "", state);
  }
});

test("items that are not found and a site that is down cause no request on a more expensive tier", async () => {
  await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS });
  await using county = await startCounty({ parcels: 100 });
  const env = { COUNTY_URL: county.url, ...tiers(proxy.url, TWO_TIERS) };
  const data = join(folder, "absent");
  const scraper = scraperFile("absent", { ladder: LADDER, more: `robots: "ignore",` });
  // One in ten is no parcel of the county.
  const [head = "", ...rows] = [...parcelsCsv(100)].join("").trimEnd().split("\n");
  const some = rows.flatMap((row, n) =>
    n % 10 === 9 ? [row, row.replace(/\d+/, (digits) => `${9e9 + n}`.slice(0, digits.length))] : [row],
  );
  const mixed = join(folder, "mixed.csv");
  writeFileSync(mixed, [head, ...some, ""].join("\n"));
  const { code, stderr } = await sluice(
    ["run", scraper, "--input", mixed, "--data", data, "--processes", "2"],
    env,
  );
  assert.equal(code, 0, stderr);
  await county.close();
  const down = join(folder, "down");
  const run = new SluiceProcess(
    ["run", scraper, "--input", inputs("down", 20), "--data", down, "--processes", "1"],
    env,
  );
  await untilJob(down);
  await using storage = await openStorage(down);
  while ((await onlyJob(storage)).requests < 6) await delay(50);
  run.child.kill("SIGINT");
  await run.ended;
  assert.deepEqual(proxy.connects, []);
  assert.equal((await onlyJob(storage)).counts.states.done, 0);
});

test("when the block ends, the lane is back on the cheapest tier within 300 items", async () => {
  await using county = await startCounty({ parcels: 500, blocks: ["127.0.0.1"] });
  await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS });
  const data = join(folder, "ends");
  const env = { COUNTY_URL: county.url, ...tiers(proxy.url, TWO_TIERS) };
  const run = new SluiceProcess(
    [
      "run",
      scraperFile("ends", { ladder: LADDER }),
      "--input",
      inputs("ends", 500),
      "--data",
      data,
      "--processes",
      "2",
    ],
    env,
  );
  await untilJob(data);
  await using storage = await openStorage(data);
  const done = async (): Promise<number> => (await onlyJob(storage)).counts.states.done;
  while ((await done()) < 30) await delay(50);
  county.blocked.clear();
  const before = await done();
  const { code, stderr } = await run.ended;
  assert.equal(code, 0, stderr);
  assert.equal(await tierOf(storage), "direct");
  const direct = county.arrivals.filter(({ from }) => from === "127.0.0.1").length;
  assert.ok(direct > 2 * (500 - before - 300), `${direct} direct requests for ${500 - before} items`);
});

test("a refusal of the provider is a proxy failure with its reason, and neither the breaker nor attempts move", async () => {
  await using county = await startCounty({ parcels: 6 });
  using certificates = makeCertificates("Bright Data", ["127.0.0.1"]);
  await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS, certificates });
  const reasons = {
    quota: "407 client_10100",
    policy: "402 policy_20130",
    forbidden: "403 policy_20050",
    busy: "429 client_10060",
    noexit: "502 no_peer_30010",
    // 200 with an empty body.
    ...(certificates && { empty: "no_peer: the exit has gone" }),
  };
  for (const [zone, expected] of Object.entries(reasons)) {
    const data = join(folder, `zone-${zone}`);
    const run = new SluiceProcess(
      [
        "run",
        scraperFile(`zone-${zone}`, { ladder: ["odd"] }),
        "--input",
        inputs(`zone-${zone}`, 6),
        "--data",
        data,
        "--processes",
        "1",
      ],
      { COUNTY_URL: county.url, ...tiers(proxy.url, { odd: { zone } }) },
    );
    await untilJob(data);
    await using storage = await openStorage(data);
    const reason = await heldReason(storage);
    assert.ok(reason.includes(expected), `${zone}: ${reason}`);
    run.child.kill("SIGINT");
    const { stderr } = await run.ended;
    const { spec, counts, failures, held, attemptFailures } = await onlyJob(storage);
    assert.deepEqual([counts.states.failed, failures, held], [0, [], []], zone);
    assert.deepEqual(Object.keys(attemptFailures), ["proxy"], zone);
    assert.ok(stderr.includes(expected), `${zone}: the report has the reason: ${stderr}`);
    const { items } = await storage.ledger.listItems(spec.id, { limit: 10 });
    assert.ok(
      items.every(({ attempts }) => attempts === 0),
      zone,
    );
  }
});

test("a tunnel that is cut is a connection failure and costs an attempt", async () => {
  await using county = await startCounty({ parcels: 2 });
  await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS, cutAfter: 300 });
  const data = join(folder, "cut");
  await sluice(
    [
      "run",
      scraperFile("cut", { ladder: ["odd"] }),
      "--input",
      inputs("cut", 2),
      "--data",
      data,
      "--processes",
      "1",
    ],
    { COUNTY_URL: county.url, ...tiers(proxy.url, { odd: { zone: "cut" } }) },
  );
  const job = await withStorage(data, onlyJob);
  assert.deepEqual(
    job.failures.map(({ kind, count }) => [kind, count]),
    [["connection", 2]],
  );
});

test("the password is in no log, error, record, page, API answer or process list", async () => {
  await using county = await startCounty({ parcels: 20 });
  await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS });
  const data = join(folder, "secret");
  const passwordFile = join(folder, "password.txt");
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  const list = join(folder, "list.txt");
  writeFileSync(
    list,
    `${proxy.url.replace("//", `//brd-customer-c1-zone-dc:${PASSWORD}@`)}\nhttp://user:${PASSWORD}@127.0.0.1:1\n`,
  );
  const env = {
    COUNTY_URL: county.url,
    BRD_PASSWORD: PASSWORD,
    SLUICE_PROXIES: JSON.stringify({
      tiers: {
        wrong: {
          provider: "bright-data",
          url: proxy.url,
          values: { customer: "other", zone: "dc" },
          passwordFile,
        },
        listed: { file: list },
        right: {
          provider: "bright-data",
          url: proxy.url,
          values: { customer: "c1", zone: "dc" },
          passwordEnv: "BRD_PASSWORD",
        },
      },
    }),
  };
  const outputs: string[] = [];
  // The last one holds the lane.
  for (const tier of ["right", "listed", "wrong"]) {
    const run = new SluiceProcess(
      [
        "run",
        scraperFile(`secret-${tier}`, { ladder: [tier] }),
        "--input",
        inputs(`secret-${tier}`, 20),
        "--data",
        data,
        "--processes",
        "1",
        "--log-level",
        "debug",
      ],
      env,
    );
    if (tier === "wrong") {
      await untilJob(data);
      outputs.push(await withStorage(data, heldReason));
      run.child.kill("SIGINT");
    }
    const lines = run.family().flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "latin1")];
      } catch {
        return []; // it has just ended
      }
    });
    outputs.push(...lines);
    const { stdout, stderr } = await run.ended;
    outputs.push(stdout, stderr);
    const { stdout: shown } = await sluice(["jobs", "show", "last", "--data", data, "--json"], env);
    outputs.push(shown);
  }
  await using service = new Service(join(folder, "served"), env);
  await service.serve("--data", data);
  const headers = { authorization: `Bearer ${service.key}` };
  const ask = async (path: string): Promise<string> => {
    const response = await fetch(`${service.url}${path}`, { headers });
    assert.equal(response.status, 200, path);
    return await response.text();
  };
  for (const path of ["/v1/jobs", "/v1/lanes", "/v1/workers", "/metrics"]) outputs.push(await ask(path));
  const { data: jobs } = JSON.parse(await ask("/v1/jobs")) as {
    readonly data: readonly { readonly id: string }[];
  };
  assert.equal(jobs.length, 3);
  for (const { id } of jobs)
    outputs.push(
      await ask(`/v1/jobs/${id}`),
      await ask(`/v1/jobs/${id}/items`),
      await ask(`/v1/jobs/${id}/results`),
    );
  const files = globSync(join(data, "**"), { withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.length > 5);
  for (const file of files) {
    const bytes = readFileSync(join(file.parentPath, file.name));
    outputs.push(
      bytes.toString("latin1"),
      file.name.endsWith(".gz") ? gunzipSync(bytes).toString("latin1") : "",
    );
  }
  const spellings = [
    PASSWORD,
    Buffer.from(PASSWORD).toString("base64").slice(0, 20),
    encodeURIComponent(PASSWORD),
  ];
  for (const text of outputs)
    for (const spelling of spellings) assert.ok(!text.includes(spelling), text.slice(0, 300));
});

test("what was learned and what was spent survive the workers", async () => {
  await using county = await startCounty({ parcels: 150, blocks: ["127.0.0.1"] });
  await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS });
  const data = join(folder, "killed");
  const env = { COUNTY_URL: county.url, ...tiers(proxy.url, TWO_TIERS) };
  const args = ["--data", data, "--processes", "2"];
  let run = new SluiceProcess(
    ["run", scraperFile("killed", { ladder: LADDER }), "--input", inputs("killed", 150), ...args],
    env,
  );
  await untilJob(data);
  await using storage = await openStorage(data);
  const until = async (isSo: (job: JobView) => boolean): Promise<void> => {
    while (!isSo(await onlyJob(storage))) await delay(50);
    for (const pid of run.family()) process.kill(pid, "SIGKILL");
    await run.ended;
  };
  await until(({ attemptFailures }) => (attemptFailures.blocked ?? 0) > 0);
  run = new SluiceProcess(["resume", "last", ...args], env);
  await until(({ counts }) => counts.states.done >= 20);
  const direct = county.arrivals.filter(({ from }) => from === "127.0.0.1").length;
  run = new SluiceProcess(["resume", "last", ...args], env);
  const { code, stderr } = await run.ended;
  assert.equal(code, 0, stderr);
  const probes =
    county.arrivals.filter(({ from, path }) => from === "127.0.0.1" && !path.includes("robots")).length -
    direct;
  assert.ok(probes <= 3, `${probes} further direct requests`);
  const { costs, counts } = await onlyJob(storage);
  assert.equal(counts.states.done, 150);
  const { bytes } = costs!["datacenter"]!;
  const counted = proxy.bytes(/zone-dc/);
  assert.ok(bytes > 0.9 * counted && bytes <= counted * 1.005, `${bytes} bytes, the proxy counts ${counted}`);
});
