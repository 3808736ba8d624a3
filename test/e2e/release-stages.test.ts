// e2e: PostgreSQL, and controllers that are killed
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_SEED, parcelId } from "../../examples/county/parcels.ts";
import type { Firing } from "../../src/client.ts";
import { noPostgres, PostgresServer } from "../kits/postgres.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { Service } from "./service-process.ts";

const PARCELS = 60;
const folder = mkdtempSync(join(tmpdir(), "sluice-stages-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test(
  "with a ledger in PostgreSQL, a schedule goes through its stages to a published release, though its controller is killed between them",
  { skip: noPostgres },
  async () => {
    await using database = await PostgresServer.start();
    await using site = await startSite(["--parcels", `${PARCELS}`]);
    await using service = new Service(join(folder, "project"), { COUNTY_URL: site.url });
    service.writeScraper("county", patientCounty());
    service.configure({
      ledger: database.url("postgres"),
      allowTargets: ["127.0.0.1"],
      datasets: { taxes: { sources: [{ scraper: "county" }], rules: { minRows: PARCELS } } },
      schedules: {
        weekly: {
          scraper: "county",
          when: { cron: "0 6 * * mon", zone: "America/Chicago" },
          inputsFrom: {
            rows: Array.from({ length: PARCELS }, (_, n) => ({ parcel: parcelId(DEFAULT_SEED, n) })),
          },
          stages: ["collect", "extract", "audit", "publish"],
          dataset: "taxes",
        },
      },
    });
    let client = await service.serve();
    // The controller is killed alone.
    service.worker("--processes", "1");
    const { at } = await client.schedules.run("weekly");
    const firingUntil = async (
      isSo: (states: Readonly<Record<string, string>>) => boolean,
    ): Promise<Firing> => {
      for (;;) {
        const { data } = await client.schedules.firings("weekly");
        const [firing, ...others] = data.filter((one) => one.cause === "asked");
        assert.deepEqual([firing?.at, others], [at, []]);
        assert.notEqual(firing?.state, "failed", firing?.reason);
        if (isSo(Object.fromEntries(firing!.stages.map(({ name, state }) => [name, state])))) return firing!;
        await delay(20);
      }
    };
    const killWhen = async (isSo: Parameters<typeof firingUntil>[0]): Promise<void> => {
      await firingUntil(isSo);
      service.controller.child.kill("SIGKILL");
      await service.controller.ended;
      client = await service.serve();
    };
    await killWhen(({ collect }) => collect === "done");
    await killWhen(({ extract, audit }) => extract === "done" || audit === "running");
    const { job } = await firingUntil(({ publish }) => publish === "done");

    const latest = await client.datasets.latest("taxes");
    const { data: releases } = await client.datasets.listReleases("taxes");
    assert.deepEqual(
      releases.filter(({ state }) => state === "published").map(({ number, rows }) => [number, rows]),
      [[latest.release, PARCELS]],
    );
    assert.deepEqual(
      releases[0]!.sources.map((source) => source.job),
      [job],
    );
    const bytes = await new Response(await client.datasets.file("taxes", "data.jsonl")).bytes();
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    assert.equal(digest, latest.files.find(({ name }) => name === "data.jsonl")?.digest);
    assert.equal(Buffer.from(bytes).toString().trim().split("\n").length, PARCELS);
  },
);
