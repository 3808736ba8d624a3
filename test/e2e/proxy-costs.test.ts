import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startCounty } from "../../examples/county/site.ts";
import { openStorage } from "../../src/compose.ts";
import { browserOrSkip } from "../browser.ts";
import { startSuperProxy } from "../proxies/super-proxy.ts";
import { assertPace } from "./chaos/assert-pace.ts";
import { sluice, SluiceProcess } from "./sluice-process.ts";
import {
  PASSWORD,
  EXITS,
  folder,
  scraperFile,
  inputs,
  tiers,
  TWO_TIERS,
  onlyJob,
  withStorage,
} from "./proxy-kit.ts";

test("bytes and cost of each tier are those that the proxy counts", async (t) => {
  const kinds = [
    ["http", scraperFile("bytes", { ladder: ["datacenter"] })],
    ...((await browserOrSkip(t)) ? [["browser", join(folder, "bytes-browser.scraper.ts")] as const] : []),
  ] as const;
  writeFileSync(
    join(folder, "bytes-browser.scraper.ts"),
    `import county from ${JSON.stringify(new URL("../../examples/county/county-browser.scraper.ts", import.meta.url).href)};
export default { ...county, name: "bytes-browser", proxies: ["datacenter"], pace: { perSecond: 50, burst: 5, concurrency: 2 } };
`,
  );
  for (const [kind, scraper] of kinds) {
    await using county = await startCounty({ parcels: 30, scripted: kind === "browser" });
    await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS });
    const data = join(folder, `bytes-${kind}`);
    const { code, stderr } = await sluice(
      ["run", scraper, "--input", inputs(`bytes-${kind}`, 30), "--data", data, "--processes", "1"],
      { COUNTY_URL: county.url, ...tiers(proxy.url, { datacenter: { zone: "dc", perGB: 5 } }) },
    );
    assert.equal(code, 0, stderr);
    const { costs } = await withStorage(data, onlyJob);
    const { bytes, microCost } = costs!["datacenter"]!;
    const counted = proxy.bytes();
    assert.ok(
      Math.abs(bytes - counted) <= 0.005 * counted,
      `${kind}: ${bytes} bytes, the proxy counts ${counted}`,
    );
    assert.ok(Math.abs(microCost - bytes * 5e-3) <= 30, `${microCost} for ${bytes} bytes`);
  }
});

test("a budget of money is exceeded by no more than what was in flight, with two workers", async () => {
  await using county = await startCounty({ parcels: 300 });
  await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS });
  const data = join(folder, "budget");
  const scraper = scraperFile("budget", { ladder: ["datacenter"] });
  writeFileSync(scraper, readFileSync(scraper, "utf8").replace("concurrency: 2", "concurrency: 50"));
  const perGB = 1000;
  const env = { COUNTY_URL: county.url, ...tiers(proxy.url, { datacenter: { zone: "dc", perGB } }) };
  const submitted = await sluice(
    ["submit", scraper, "--input", inputs("budget", 300), "--data", data, "--max-cost", "0.5"],
    env,
  );
  assert.equal(submitted.code, 0, submitted.stderr);
  const workers = new SluiceProcess(["worker", "--data", data, "--processes", "2"], env);
  await using storage = await openStorage(data);
  while ((await onlyJob(storage)).endedAt === undefined) await delay(50);
  workers.child.kill("SIGTERM");
  await workers.ended;
  const { costs, counts, requests } = await onlyJob(storage);
  const { bytes, microCost } = costs!["datacenter"]!;
  const perItem = bytes / Math.max(1, requests / 3);
  assert.ok(counts.states.failed > 0 && counts.states.done > 0, JSON.stringify(counts));
  assert.ok(microCost <= 500_000 + 2 * 50 * perItem * (perGB / 1e3), `${microCost} millionths`);
  assert.ok(microCost >= 250_000, `${microCost} millionths were spent of 500,000`);
});

test("the lane's rate holds through proxies, over two workers and all exits", async () => {
  const log = join(folder, "pace.jsonl");
  await using county = await startCounty({ parcels: 40, log });
  await using proxy = await startSuperProxy({ password: PASSWORD, exits: EXITS });
  const scraper = scraperFile("pace", {
    ladder: ["datacenter"],
    more: `proxySession: "item", robots: "ignore",`,
  });
  writeFileSync(
    scraper,
    readFileSync(scraper, "utf8").replace(
      /pace: \{[^}]*\}/,
      "pace: { perSecond: 20, burst: 1, concurrency: 16 }",
    ),
  );
  const { code, stderr } = await sluice(
    ["run", scraper, "--input", inputs("pace", 40), "--data", join(folder, "pace"), "--processes", "2"],
    { COUNTY_URL: county.url, ...tiers(proxy.url, TWO_TIERS) },
  );
  assert.equal(code, 0, stderr);
  await county.close();
  // As in the tests of browsers: a busy machine sees what came one by one at once.
  const { requests } = assertPace(log, { perSecond: 20, burst: 1 }, 3000);
  assert.ok(requests >= 120, `${requests} requests`);
});

test("an ordinary proxy counts the same bytes", async () => {
  const { Server } = await import("proxy-chain");
  let counted = 0;
  const server = new Server({
    port: 0,
    host: "127.0.0.1",
    prepareRequestFunction: ({ username, password }) => ({
      requestAuthentication: username !== "team" || password !== PASSWORD,
    }),
  });
  server.on("connectionClosed", ({ stats }: { stats: { srcRxBytes: number; srcTxBytes: number } }) => {
    counted += stats.srcRxBytes + stats.srcTxBytes;
  });
  await server.listen();
  await using county = await startCounty({ parcels: 40 });
  const data = join(folder, "chain");
  const { code, stderr } = await sluice(
    [
      "run",
      scraperFile("chain", { ladder: ["plain"] }),
      "--input",
      inputs("chain", 40),
      "--data",
      data,
      "--processes",
      "1",
    ],
    {
      COUNTY_URL: county.url,
      PLAIN_PASSWORD: PASSWORD,
      SLUICE_PROXIES: JSON.stringify({
        tiers: {
          plain: {
            url: `http://127.0.0.1:${server.port}`,
            user: "team",
            passwordEnv: "PLAIN_PASSWORD",
            price: { perRequest: 0.01 },
          },
        },
      }),
    },
  );
  await server.close(true);
  assert.equal(code, 0, stderr);
  const { costs } = await withStorage(data, onlyJob);
  const { bytes, requests, microCost } = costs!["plain"]!;
  assert.ok(Math.abs(bytes - counted) <= 0.005 * counted, `${bytes} bytes, the proxy counts ${counted}`);
  assert.equal(microCost, requests * 10_000);
});
