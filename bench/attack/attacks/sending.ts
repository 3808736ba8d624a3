import http from "node:http";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { createGzip, gzipSync } from "node:zlib";
import { type Attack, CSV, JSON_TYPE, NDJSON, rows, unexpected, times } from "../attack.ts";
import type { AttackKit, Reply } from "../attack-kit.ts";
import { collidingKeys } from "../colliding-keys.ts";

/** Uploads into a new job, which is cancelled afterwards. */
const upload = async (
  kit: AttackKit,
  body: Buffer | Readable,
  headers: Readonly<Record<string, string>>,
  scraper = "page",
): Promise<{ readonly reply: Reply; readonly list: Reply }> => {
  const job = await kit.makeJob({ scraper });
  await kit.post(kit.attacker, `/v1/jobs/${job}/pause`);
  const path = `/v1/jobs/${job}/inputs`;
  const reply = await kit.ask(kit.attacker, path, { method: "POST", body, headers });
  const list = await kit.ask(kit.attacker, `/v1/jobs/${job}/items?limit=1000`);
  await kit.post(kit.attacker, `/v1/jobs/${job}/cancel`);
  return { reply, list };
};

const GZIP = { "content-encoding": "gzip" };

const bomb: Attack = {
  name: "gzip with millions of bad rows",
  prepare: ({ bombRows }) => zipped("x\n", bombRows),
  async run(kit, _scale, body) {
    const { reply } = await upload(kit, body, { ...NDJSON, ...GZIP });
    return unexpected([reply], 413, 422);
  },
};

const badRows: Attack = {
  name: "two million bad rows, not packed",
  async prepare({ bombRows }) {
    return Buffer.from(`{"nothing":"that it takes"}\n`.repeat(bombRows / 10));
  },
  async run(kit, _scale, body) {
    const { reply } = await upload(kit, body, NDJSON);
    return unexpected([reply], 422);
  },
};

const leavingSender: Attack = {
  name: "a sender that leaves its upload behind",
  prepare: ({ bombRows }) =>
    zipped(`{"url":"https://leaving.example/"}\n`, Math.min(bombRows / 4, 2_000_000)),
  async run(kit, _scale, body) {
    const job = await kit.makeJob();
    await kit.post(kit.attacker, `/v1/jobs/${job}/pause`);
    const request = http.request(`${kit.service.url}/v1/jobs/${job}/inputs`, {
      method: "POST",
      agent: false,
      headers: { authorization: `Bearer ${kit.attacker}`, ...NDJSON, ...GZIP },
    });
    request.on("error", () => undefined);
    // One byte short, so that it never ends.
    request.write(body.subarray(0, -1));
    await delay(1_000);
    request.destroy();
    const taken = async (): Promise<number> =>
      (await kit.read<{ offset: number }>(kit.attacker, `/v1/jobs/${job}/inputs`)).offset;
    await delay(2_000);
    const before = await taken();
    await delay(1_000);
    const after = await taken();
    await kit.post(kit.attacker, `/v1/jobs/${job}/cancel`);
    return before === after ? undefined : `it went on for ${after - before} inputs`;
  },
};

const leavers: Attack = {
  name: "300 requests that leave before they are served",
  async run(kit) {
    const { key } = await kit.makeClient();
    const authorization = `Bearer ${key}`;
    const announced = { authorization, ...JSON_TYPE, "content-length": "4000000" };
    await times(300, async (n) => {
      const request =
        n % 2 === 0
          ? http.get(`${kit.service.url}/v1/events`, { agent: false, headers: { authorization } })
          : http.request(`${kit.service.url}/v1/batches`, {
              method: "POST",
              agent: false,
              headers: announced,
            });
      request.on("error", () => undefined).flushHeaders();
      await delay(n % 5);
      request.destroy();
    });
    // Refused for its label, which is too long.
    const body = JSON.stringify({ scraper: "page", labels: { filling: "x".repeat(1_500_000) } });
    let replies: Reply[] = [];
    for (let tries = 0; tries < 100; tries++) {
      const listener = await kit.begin(key, "/v1/events");
      listener.destroy();
      replies = [
        { status: listener.statusCode!, body: Buffer.alloc(0) },
        // A refused body's connection would otherwise be closed while it is still sent.
        await kit.ask(key, "/v1/jobs", {
          method: "POST",
          body,
          headers: { ...JSON_TYPE, connection: "keep-alive" },
        }),
      ];
      if (replies.every(({ status }) => status === 200 || status === 400)) return undefined;
      await delay(100);
    }
    return unexpected(replies, 200, 400);
  },
};

/** Of one text, many times over. */
const zipped = async (text: string, copies: number): Promise<Buffer> => {
  const gzip = createGzip({ level: 9 });
  const parts: Buffer[] = [];
  gzip.on("data", (part: Buffer) => parts.push(part));
  const block = Buffer.from(text.repeat(10_000));
  for (let left = copies; left > 0; left -= 10_000)
    if (!gzip.write(block)) await new Promise((resolve) => gzip.once("drain", resolve));
  await new Promise<void>((resolve) => gzip.once("end", resolve).end());
  return Buffer.concat(parts);
};

const slowSenders: Attack = {
  name: "40 uploads of a byte at a time",
  async run(kit) {
    const { key } = await kit.makeClient();
    const senders = await times(40, async () => {
      const job = await kit.makeJob({}, key);
      const request = http.request(`${kit.service.url}/v1/jobs/${job}/inputs`, {
        method: "POST",
        agent: false,
        headers: { authorization: `Bearer ${key}`, ...NDJSON },
      });
      request.on("error", () => undefined);
      return request;
    });
    for (let n = 0; n < 20; n++) {
      for (const sender of senders) if (!sender.destroyed) sender.write("x");
      await delay(50);
    }
    for (const sender of senders) sender.destroy();
    return undefined;
  },
};

const wideHeader: Attack = {
  name: "a CSV header with 170,000 columns",
  async prepare() {
    return gzipSync(`${Array.from({ length: 170_000 }, (_, n) => `c${n}`).join(",")}\n`);
  },
  async run(kit, _scale, body) {
    const { reply } = await upload(kit, body, { ...CSV, ...GZIP });
    return unexpected([reply], 422);
  },
};

const collisions: Attack = {
  name: "keys that collide without a secret",
  async prepare({ collisions: number }) {
    return Buffer.from(rows(collidingKeys(number).map((path) => ({ path }))));
  },
  async run(kit, { collisions: number }, body) {
    const begunAt = performance.now();
    const { reply } = await upload(kit, body, NDJSON, "shared");
    const seconds = (performance.now() - begunAt) / 1000;
    const accepted = (JSON.parse(reply.body.toString()) as { accepted?: number }).accepted;
    if (accepted !== number)
      return `${accepted} of ${number} were taken: ${reply.body.toString().slice(0, 200)}`;
    return seconds > 20 ? { slow: `they took ${seconds.toFixed()} s` } : undefined;
  },
};

const deepJson: Attack = {
  name: "JSON with 5,000 levels",
  async run(kit) {
    const deep = (levels: number) => `{"a":`.repeat(levels) + "1" + "}".repeat(levels);
    const asJob = await times(2, (n) =>
      kit.ask(kit.attacker, "/v1/jobs", {
        method: "POST",
        body: `{"scraper":"page","inputs":[${deep(n === 0 ? 5_000 : 300_000)}]}`,
        headers: JSON_TYPE,
      }),
    );
    const { reply } = await upload(kit, Buffer.from(`${deep(5_000)}\n`), NDJSON);
    return unexpected(asJob, 400) ?? unexpected([reply], 200, 422);
  },
};

const bigBodies: Attack = {
  name: "10 jobs of 2 MB at once",
  async run(kit) {
    const inputs = Array.from({ length: 5_000 }, (_, n) => ({
      url: `https://a.example/${n}/${"x".repeat(330)}`,
    }));
    const body = JSON.stringify({ scraper: "page", pace: { perSecond: 1 }, inputs });
    const { key } = await kit.makeClient();
    const replies = await times(10, () =>
      // A refused upload's connection is closed while it still sends.
      kit.ask(key, "/v1/jobs", {
        method: "POST",
        body,
        headers: { ...JSON_TYPE, connection: "keep-alive" },
      }),
    );
    const jobs = replies.flatMap(({ status, body: made }) =>
      status === 201 ? [(JSON.parse(made.toString()) as { job: { id: string } }).job.id] : [],
    );
    await times(jobs.length, (n) => kit.post(key, `/v1/jobs/${jobs[n]}/cancel`));
    return unexpected(replies, 201, 413, 429, 503);
  },
};

const bigKeys: Attack = {
  name: "inputs with keys of 1 MB",
  async run(kit, { bigRows }) {
    const row = Buffer.from(`{"url":"https://a.example/${"k".repeat(1_000_000)}"}\n`);
    const body = Readable.from(Array.from({ length: bigRows }, () => row));
    const { reply, list } = await upload(kit, body, NDJSON);
    return unexpected([reply, list], 200);
  },
};

export const SENDING: readonly Attack[] = [
  bomb,
  badRows,
  leavingSender,
  leavers,
  slowSenders,
  wideHeader,
  collisions,
  deepJson,
  bigBodies,
  bigKeys,
];
