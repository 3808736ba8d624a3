/** A real worker on one paced lane: how often it calls the ledger, and which share of the lane's rate it uses. */
import { setTimeout as delay } from "node:timers/promises";
import { answer } from "../../src/collectors/http/testing/test-site.ts";
import { WorkerKit } from "../../test/worker-kit.ts";

export interface CallsTask {
  /** 0 for a worker that finds no work. */
  readonly perSecond: number;
  readonly concurrency: number;
  /** Requests of an item. */
  readonly hops: number;
  /** In which the calls are counted, after the first two. */
  readonly seconds: number;
}

export interface CallsRun {
  readonly claims: number;
  readonly emptyClaims: number;
  readonly pulses: number;
  readonly settles: number;
  /** Of the lane's rate. */
  readonly share: number;
}

const ANSWER_MS = 100;
const WARM_UP_S = 2;

const { perSecond, concurrency, hops, seconds } = JSON.parse(process.argv[2]!) as CallsTask;
const counts = { claims: 0, emptyClaims: 0, pulses: 0, settles: 0, requests: 0 };
await using kit = await WorkerKit.open((_, response) => {
  counts.requests++;
  setTimeout(() => answer(response, "<p>"), ANSWER_MS);
});
const items = perSecond === 0 ? 1 : Math.ceil((perSecond * (seconds + 2 * WARM_UP_S)) / hops);
await kit.submit(
  Array.from({ length: items }, (_, i) => `/${i}`),
  {
    pace: { perSecond: perSecond || 10, burst: Math.max(1, Math.floor(perSecond / 20)), concurrency },
    async collect({ input, http, keep }) {
      const { url } = input as { url: string };
      for (let hop = 1; hop < hops; hop++) await http.get(`${url}/${hop}`);
      keep.page("page", await http.get(url));
    },
  },
);
const stop = new AbortController();
const { ledger } = kit.storage;
const working = kit.run({
  signal: stop.signal,
  onSettled: () => false,
  ledger: {
    async claim(request) {
      const grant = await ledger.claim(request);
      counts.claims++;
      if (grant.items.length === 0) counts.emptyClaims++;
      return grant;
    },
    pulse(report) {
      counts.pulses++;
      return ledger.pulse(report);
    },
    settle(worker, settled) {
      counts.settles++;
      return ledger.settle(worker, settled);
    },
  },
});
await delay(WARM_UP_S * 1000);
const from = { ...counts };
const startedAt = performance.now();
await delay(seconds * 1000);
const passedS = (performance.now() - startedAt) / 1000;
const rate = (name: keyof typeof counts): number => (counts[name] - from[name]) / passedS;
const run: CallsRun = {
  claims: rate("claims"),
  emptyClaims: rate("emptyClaims"),
  pulses: rate("pulses"),
  settles: rate("settles"),
  share: rate("requests") / (perSecond || 1),
};
stop.abort();
await working;
console.log(JSON.stringify(run));
