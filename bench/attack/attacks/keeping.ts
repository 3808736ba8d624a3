import { setTimeout as delay } from "node:timers/promises";
import { type Attack, JSON_TYPE, unexpected, times } from "../attack.ts";
import type { AttackKit } from "../attack-kit.ts";
import { steadyNow } from "../neighbour.ts";

/** Milliseconds until the neighbour's receiver gets the event of a cancelled job. */
const deliveryMs = async (kit: AttackKit): Promise<number> => {
  const path = `/hook/neighbour-${Math.random()}`;
  const webhook = `${kit.neighbour.siteAt("127.0.0.30")}${path}`;
  const job = await kit.makeJob({ webhook }, kit.neighbourKey);
  const begunAt = steadyNow();
  await kit.post(kit.neighbourKey, `/v1/jobs/${job}/cancel`);
  for (;;) {
    const [first] = await kit.neighbour.arrivals(path, begunAt);
    if (first) return first.at - begunAt;
    await delay(50);
  }
};

const MOST_DELIVERY_MS = 3_000;

const webhooks: Attack = {
  name: "webhooks of 20 receivers that hang",
  async run(kit) {
    const before = Math.min(await deliveryMs(kit), await deliveryMs(kit));
    const { key } = await kit.makeClient();
    const made = await times(40, (n) =>
      kit.makeJob({ webhook: `${kit.neighbour.siteAt(`127.2.0.${(n % 20) + 1}`)}/hang/${n}` }, key),
    );
    await times(made.length, (n) => kit.post(key, `/v1/jobs/${made[n]}/cancel`));
    await delay(1_000);
    const during = Math.max(await deliveryMs(kit), await deliveryMs(kit));
    return during > MOST_DELIVERY_MS + 3 * before
      ? {
          slow: `the neighbour's deliveries took ${Math.round(during)} ms, and ${Math.round(before)} ms before`,
        }
      : undefined;
  },
};

const MOST_METRICS_MS = 2_000;

const emptyJobs: Attack = {
  name: "3,000 empty jobs, and /metrics",
  async run(kit, { jobs }) {
    const { key } = await kit.makeClient();
    for (let n = 0; n < jobs; n += 20) {
      const made = await times(20, () => kit.makeJob({}, key));
      const sealed = await times(20, (m) => kit.post(key, `/v1/jobs/${made[m]}/seal`));
      const wrong = unexpected(sealed, 200, 202);
      if (wrong) return wrong;
    }
    const waits: number[] = [];
    for (let n = 0; n < 3; n++) {
      const begunAt = performance.now();
      const reply = await kit.ask(kit.admin, "/metrics");
      waits.push(performance.now() - begunAt);
      if (reply.status !== 200) return `/metrics was answered ${reply.status}`;
    }
    const worst = Math.max(...waits);
    return worst > MOST_METRICS_MS ? { slow: `/metrics took ${Math.round(worst)} ms` } : undefined;
  },
};

interface JobView {
  readonly state: string;
  readonly counts: { readonly accepted: number; readonly capped: number };
  readonly cappedBy?: Readonly<Record<string, number>>;
}

const QUOTA = 50;

const emitted: Attack = {
  name: "found items beyond a quota",
  async run(kit) {
    const { key } = await kit.makeClient({ itemsPerDay: QUOTA });
    const job = await kit.makeJob({ scraper: "listing", inputs: [{ url: "/listing/2000" }] }, key);
    let view: JobView;
    do {
      await delay(100);
      view = await kit.read<JobView>(key, `/v1/jobs/${job}`);
    } while (view.counts.accepted + view.counts.capped < 2_000);
    await kit.post(key, `/v1/jobs/${job}/cancel`);
    return view.counts.accepted > QUOTA ? `${view.counts.accepted} were taken` : undefined;
  },
};

const storedBytes: Attack = {
  name: "more stored bytes than allowed",
  async run(kit) {
    const { key } = await kit.makeClient({ maxStoredBytes: 1 });
    const job = await kit.makeJob({ scraper: "listing", inputs: [{ url: "/listed/1" }] }, key);
    while ((await kit.read<JobView>(key, `/v1/jobs/${job}`)).state !== "done") await delay(100);
    const refused = await kit.post(key, "/v1/jobs", { scraper: "page" });
    return unexpected([refused], 409);
  },
};

const openJobs: Attack = {
  name: "jobs without end",
  async run(kit, { jobs }) {
    const { key } = await kit.makeClient();
    let made = 0;
    for (let n = 0; n < jobs; n += 20) {
      const replies = await times(20, () =>
        kit.ask(key, "/v1/jobs", { method: "POST", body: `{"scraper":"page"}`, headers: JSON_TYPE }),
      );
      const wrong = unexpected(replies, 201, 429);
      if (wrong) return wrong;
      made += replies.filter(({ status }) => status === 201).length;
    }
    return made > 1_000 ? `${made} were made` : undefined;
  },
};

const restless: Attack = {
  name: "a job of 10,000 lanes, paused and resumed all the time",
  async run(kit) {
    const { key } = await kit.makeClient();
    const urls = Array.from({ length: 10_000 }, (_, n) => `https://lane${n}.invalid/`);
    const reply = await kit.post(key, "/v1/batches", { urls, pace: { perSecond: 1 / 86_400 } });
    const wrong = unexpected([reply], 201);
    if (wrong) return wrong;
    const { batch } = JSON.parse(reply.body.toString()) as { batch: { id: string } };
    for (let n = 0; n < 10; n++)
      for (const to of ["pause", "resume"]) {
        const refused = unexpected([await kit.post(key, `/v1/jobs/${batch.id}/${to}`)], 200, 202);
        if (refused) return refused;
      }
    return unexpected([await kit.post(key, `/v1/jobs/${batch.id}/cancel`)], 200, 202);
  },
};

export const KEEPING: readonly Attack[] = [webhooks, emptyJobs, emitted, storedBytes, openJobs, restless];
