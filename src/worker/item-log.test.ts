import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkerKit } from "../../test/worker-kit.ts";
import { answer } from "../collectors/http/testing/test-site.ts";
import type { Log } from "./log.ts";

interface Line {
  readonly event: string;
  readonly [fact: string]: unknown;
}

const collectingLog = (lines: Line[]): Log => {
  const write = (event: string, facts = {}): void => void lines.push({ event, ...facts });
  return { debug: write, info: write, warn: write, error: write };
};

test("every line about an item says which worker, job, item and attempt", async () => {
  await using kit = await WorkerKit.open((request, response) =>
    request.url === "/1" ? void response.writeHead(404).end() : answer(response, "<p>"),
  );
  await kit.submit(["/0", "/1"], {
    failures: { navigation: { maxAttempts: 2, backoff: { firstMs: 1, maxMs: 1 } } },
    async collect({ input, http, keep }) {
      keep.page("page", await http.get((input as { url: string }).url));
    },
  });
  const lines: Line[] = [];
  await kit.run({ log: collectingLog(lines) });
  const about = lines.filter(({ event }) => event.startsWith("attempt"));
  assert.deepEqual(
    new Set(
      about.map(({ event, worker, job, item, attempt }) => [event, worker, job, item, attempt].join(" ")),
    ),
    new Set(["attempt ended w1 j1 /0 1", "attempt failed w1 j1 /1 1", "attempt failed w1 j1 /1 2"]),
  );
  assert.deepEqual(
    lines.map(({ event }) => event).filter((event) => event.startsWith("worker")),
    ["worker started", "worker draining", "worker ended"],
  );
});

test("a refused settle is logged with the lost lease", async () => {
  let isTaken = false;
  await using kit = await WorkerKit.open((_, response) => {
    const take = async (): Promise<void> => {
      if (!isTaken) await kit.storage.ledger.reap({ worker: "w1" });
      isTaken = true;
      answer(response, "<p>");
    };
    void take();
  });
  await kit.submit(["/0"], {});
  const lines: Line[] = [];
  const stop = new AbortController();
  const log = collectingLog(lines);
  const warn: Log["warn"] = (event, facts) => {
    log.warn(event, facts);
    if (event === "settle refused") stop.abort();
  };
  await kit.run({ log: { ...log, warn }, signal: stop.signal });
  const refused = lines.find(({ event }) => event === "settle refused");
  assert.deepEqual([refused?.["job"], refused?.["item"], refused?.["attempt"]], ["j1", "/0", 1]);
});
