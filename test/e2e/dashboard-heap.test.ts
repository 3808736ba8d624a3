// e2e: starts a service, a site and a browser
/** A page that stays open: after hours' worth of live updates it needs no more memory than after two. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as ask, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { CDPSession } from "playwright-core";
import { browserOrSkip } from "../browser.ts";
import { DashboardKit } from "./dashboard-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-heap-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The whole day takes minutes: `SLUICE_HEAP_HOURS=8`. */
const HOURS = Number(process.env["SLUICE_HEAP_HOURS"] ?? 4);
/** Progress comes about once a second. */
const EVENTS_AN_HOUR = 3600;
/** Written together: a page that is behind gets its time. */
const TOGETHER = 240;
/** The page's timers run so much faster, so that it reads its data again as often as it would in those hours, or nearly. */
const FASTER = 200;

const QUICK_TIMERS = `for (const name of ["setTimeout", "setInterval"]) {
  const real = window[name];
  window[name] = (work, ms = 0, ...rest) => real(work, ms / ${FASTER}, ...rest);
}`;

/** Between browser and service: everything passes but the stream of events, which the test writes. */
const startRelay = async (target: string) => {
  const streams = new Set<ServerResponse>();
  const counts = { asked: 0 };
  const server = createServer((incoming, outgoing) => {
    if (incoming.url!.startsWith("/v1/events")) {
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).write(": hello\nid: 1\n\n");
      streams.add(outgoing.once("close", () => streams.delete(outgoing)));
      return;
    }
    counts.asked++;
    const { method, url, headers } = incoming;
    const passed = ask(new URL(url!, target), { method: method!, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    /** Waits until the page has taken it. */
    async send(text: string): Promise<void> {
      while (streams.size === 0) await delay(5);
      for (const stream of streams)
        if (!stream.write(text)) await Promise.race([once(stream, "drain"), once(stream, "close")]);
    },
    /** As when the controller is restarted. */
    cut(): void {
      for (const stream of streams) stream.destroy();
      streams.clear();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const heapAfter = async (cdp: CDPSession): Promise<number> => {
  // What the first collection sets free may hold more.
  for (let n = 0; n < 2; n++) await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = (await cdp.send("Runtime.getHeapUsage")) as { readonly usedSize: number };
  return usedSize;
};

test(`the heap of an open page stays flat over ${HOURS} simulated hours`, async (t) => {
  const browser = await browserOrSkip(t);
  if (!browser) return;
  await using kit = await DashboardKit.open(join(folder, "project"), browser.path);
  const job = await kit.endedJob(20);
  const held = await kit.heldJob();
  await using relay = await startRelay(kit.service.url);
  const about = { client: "default", scraper: "county", job: job.id, key: "1", lane: "127.0.0.1" };
  const eventText = (type: string, n: number): string =>
    `id: ${n + 2}\nevent: ${type}\ndata: ${JSON.stringify({ type, timestamp: new Date().toISOString(), data: about })}\n\n`;

  for (const [name, path, type] of [
    ["now", "/", "job.progress"],
    ["job", `/jobs/${held.id}`, "job.progress"],
    ["events", "/events", "item.failed"],
  ] as const)
    await t.test(name, async () => {
      await using window = await kit.window({ url: relay.url });
      const { page } = window;
      // The tail reads nothing again, and draws what came together.
      if (name !== "events") await page.addInitScript(QUICK_TIMERS);
      await window.open(path);
      await window.settled();
      await page.getByText("● live").waitFor();
      const cdp = await window.context.newCDPSession(page);
      const heap: number[] = [];
      const before = relay.counts.asked;
      for (let hour = 0; hour < HOURS; hour++) {
        for (let n = 0; n < EVENTS_AN_HOUR; n += TOGETHER) {
          const numbers = Array.from({ length: TOGETHER }, (_, at) => hour * EVENTS_AN_HOUR + n + at);
          await relay.send(numbers.map((number) => eventText(type, number)).join(""));
          // The page draws what it got.
          await page.evaluate("new Promise(requestAnimationFrame)");
        }
        if (name === "events")
          await page
            .getByText(`${((hour + 1) * EVENTS_AN_HOUR).toLocaleString("en")} events received`)
            .waitFor();
        heap.push(await heapAfter(cdp));
        relay.cut();
      }
      if (name !== "events") assert.ok(relay.counts.asked > before + 10 * HOURS, "it reads its data again");
      const [early, late] = [Math.max(...heap.slice(1, 3)), Math.min(...heap.slice(-2))];
      t.diagnostic(`${name}: ${heap.map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`).join(", ")}`);
      // The tail of events alternates between two sizes that differ by a fifth. A hundred bytes kept of each event would be more.
      assert.ok(late < 1.25 * early, `${name}: ${heap.join(", ")}`);
      assert.deepEqual(window.problems, []);
    });
});
