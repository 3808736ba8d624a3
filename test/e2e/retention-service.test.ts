import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ProblemError, SluiceClient } from "../../src/client.ts";
import { openTownSite, townScraper, TownProject } from "./kept-town.ts";
import { Service } from "./service-process.ts";
import { SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-retention-service-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const LIMIT = { timeout: 300_000 };

const isCode = (code: string) => (error: unknown) => error instanceof ProblemError && error.code === code;

test(
  "a client removes its own ended jobs over the API, and a service that was killed in between goes on by itself",
  LIMIT,
  async () => {
    await using site = await openTownSite();
    await using service = new Service(join(folder, "one"));
    service.writeScraper("towns", townScraper(site.url));
    const admin = await service.serve("--workers", "1");
    const store = new TownProject(service.folder);
    await admin.createClient({ name: "team" });
    const key = (await admin.createKey("team", "client")).key!;
    const team = new SluiceClient({ server: service.url, key, retries: 20 });
    const collect = async (client: SluiceClient, count: number): Promise<string> => {
      const inputs = Array.from({ length: count }, (_, n) => ({ name: `town${n}` }));
      const { job } = await client.createJob({ scraper: "towns", inputs });
      await service.until(job.id, ({ state }) => state === "done");
      return job.id;
    };
    const others = await collect(admin, 1);
    const job = await collect(team, 20);
    const open = (await team.createJob({ scraper: "towns", seal: false })).job.id;
    await assert.rejects(team.removeJob(others), isCode("not-found"));
    await assert.rejects(team.removeJob(open), isCode("job-running"));
    await assert.rejects(team.getRemoval(job), isCode("not-found"));
    await assert.rejects(team.prune({ olderThanMs: 0 }), isCode("forbidden"));

    assert.equal((await team.removeJob(job)).what, "job");
    service.controller.child.kill("SIGKILL");
    await service.controller.ended;
    await service.serve("--workers", "1");
    await assert.rejects(team.getJob(job), isCode("job-removed"));
    let removal = await team.getRemoval(job);
    while (!removal.isComplete) {
      await delay(20);
      removal = await team.getRemoval(job);
    }
    assert.deepEqual([removal.removed.items, removal.removed.captures], [20, 40]);
    assert.deepEqual(store.objects(`jobs/${job}/`), []);
    assert.equal((await team.removeJob(job)).isComplete, true);

    const cli = async (...args: readonly string[]) =>
      await new SluiceProcess([...args, "--server", service.url], { SLUICE_KEY: service.key }, service.folder)
        .ended;
    const shown = await cli("jobs", "show", job);
    assert.match(shown.stdout, /the job was removed on .*: 20 items, 40 captures/);
    const dry = await cli("prune", "--older-than", "0", "--dry-run", "--json");
    assert.equal((JSON.parse(dry.stdout) as { readonly job: string }).job, others);
    const pages = await cli("jobs", "rm", others, "--keep", "records");
    assert.match(pages.stdout, /its pages were removed on .*: 2 captures/);
    assert.deepEqual((await admin.getJob(others)).pagesRemoved?.captures, 2);
    const pruned = await cli("prune", "--older-than", "0");
    assert.match(pruned.stdout, /Removed 1 job: 1 item, 2 captures/);
    assert.deepEqual(
      store.objects("jobs/").filter((name) => !name.startsWith(`jobs/${open}/`)),
      [],
    );
    const headers = { authorization: `Bearer ${service.key}` };
    const metrics = await (await fetch(`${service.url}/metrics`, { headers })).text();
    assert.match(metrics, /^sluice_removed_jobs_total 2$/m);
    assert.match(metrics, /^sluice_removed_items_total 21$/m);
  },
);
