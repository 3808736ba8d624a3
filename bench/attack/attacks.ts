import http from "node:http";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { createGzip, gzipSync } from "node:zlib";
import { AttackGround, BIG_JOB, FILE_JOB, type Reply } from "./attack-ground.ts";

/** What one client does to a service. Answers what broke, or nothing where the service held. */
export interface Attack {
  readonly name: string;
  /** A body that takes long to make: it is made before anybody's time is taken. */
  readonly prepare?: (scale: Scale) => Promise<Buffer>;
  readonly run: (ground: AttackGround, scale: Scale, body: Buffer) => Promise<string | undefined>;
}

/** How hard: the short form runs with the tests. */
export interface Scale {
  readonly items: number;
  readonly fileBytes: number;
  readonly readers: number;
  readonly bombRows: number;
  readonly strangers: number;
  readonly jobs: number;
  readonly bigRows: number;
}

export const FULL: Scale = {
  items: 30_000,
  fileBytes: 190 * 1024 * 1024,
  readers: 14,
  bombRows: 20_000_000,
  strangers: 5_000,
  jobs: 3_000,
  bigRows: 600,
};
export const SHORT: Scale = {
  items: 3_000,
  fileBytes: 48 * 1024 * 1024,
  readers: 14,
  bombRows: 2_000_000,
  strangers: 2_000,
  jobs: 300,
  bigRows: 30,
};

const NDJSON = { "content-type": "application/x-ndjson" };
const CSV = { "content-type": "text/csv" };
const JSON_TYPE = { "content-type": "application/json" };

const times = <T>(count: number, run: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => run(n)));

/** Answers that are neither done nor refused in a known way. */
const strange = (replies: readonly Reply[], ...expected: readonly number[]): string | undefined => {
  const wrong = replies.find(({ status }) => !expected.includes(status));
  return wrong && `answered ${wrong.status}: ${wrong.body.toString().slice(0, 200)}`;
};

const exports: Attack = {
  name: "20 exports at once",
  async run(ground, { items }) {
    const path = (n: number) =>
      n % 4 === 3
        ? `/v1/jobs/${BIG_JOB}/manifest`
        : `/v1/jobs/${BIG_JOB}/results?format=${n % 2 ? "csv" : "jsonl"}`;
    const replies = await times(20, (n) => ground.ask(ground.attacker, path(n)));
    const lines = replies.map(({ status, body }) => (status === 200 ? count(body, "\n") : items));
    const isShort = lines.some((number) => number !== items && number !== items + 1);
    return strange(replies, 200, 429) ?? (isShort ? `an export had ${lines.join(", ")} lines` : undefined);
  },
};

const count = (bytes: Buffer, character: string): number => {
  let found = 0;
  for (let at = bytes.indexOf(character); at >= 0; at = bytes.indexOf(character, at + 1)) found++;
  return found;
};

const lists: Attack = {
  name: "200 pages of 1,000 items, 50 at once",
  async run(ground) {
    for (let round = 0; round < 4; round++) {
      const replies = await times(50, () =>
        ground.ask(ground.attacker, `/v1/jobs/${BIG_JOB}/items?limit=1000`),
      );
      const wrong = strange(replies, 200, 429);
      if (wrong) return wrong;
    }
    return undefined;
  },
};

const slowReaders: Attack = {
  name: "readers of a large file that do not read",
  async run(ground, { readers, fileBytes }) {
    const list = await ground.ask(ground.attacker, `/v1/jobs/${FILE_JOB}/items`);
    const [item] = (JSON.parse(list.body.toString()) as { data: { id: string }[] }).data;
    const path = `/v1/jobs/${FILE_JOB}/items/${item!.id}/captures/0`;
    const begun = await times(readers, () => ground.begin(ground.attacker, path));
    // Each has had time to be buffered as far as the service would.
    await delay(2_000);
    for (const response of begun) response.destroy();
    const whole = await ground.ask(ground.attacker, path);
    return whole.status === 200 && whole.body.length === fileBytes
      ? undefined
      : `the file came as ${whole.status} with ${whole.body.length} bytes`;
  },
};

const bomb: Attack = {
  name: "gzip with millions of bad rows",
  prepare: ({ bombRows }) => zipped("x\n", bombRows),
  async run(ground, _scale, body) {
    const job = await ground.makeJob();
    const reply = await ground.ask(ground.attacker, `/v1/jobs/${job}/inputs`, {
      method: "POST",
      body,
      headers: { ...NDJSON, "content-encoding": "gzip" },
    });
    return strange([reply], 413, 422);
  },
};

const leavingSender: Attack = {
  name: "a sender that leaves its upload behind",
  prepare: ({ bombRows }) =>
    zipped(`{"url":"https://leaving.example/"}\n`, Math.min(bombRows / 4, 2_000_000)),
  async run(ground, _scale, body) {
    const job = await ground.makeJob();
    const request = http.request(`${ground.service.url}/v1/jobs/${job}/inputs`, {
      method: "POST",
      agent: false,
      headers: { authorization: `Bearer ${ground.attacker}`, ...NDJSON, "content-encoding": "gzip" },
    });
    request.on("error", () => undefined);
    // One byte short: it is not at its end.
    request.write(body.subarray(0, -1));
    await delay(1_000);
    request.destroy();
    const taken = async (): Promise<number> => {
      const { body: text } = await ground.ask(ground.attacker, `/v1/jobs/${job}/inputs`);
      return (JSON.parse(text.toString()) as { offset: number }).offset;
    };
    await delay(2_000);
    const before = await taken();
    await delay(1_000);
    const after = await taken();
    return before === after ? undefined : `it went on for ${after - before} inputs`;
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

const wideHeader: Attack = {
  name: "a CSV header with 170,000 columns",
  async prepare() {
    return gzipSync(`${Array.from({ length: 170_000 }, (_, n) => `c${n}`).join(",")}\n`);
  },
  async run(ground, _scale, body) {
    const job = await ground.makeJob();
    const reply = await ground.ask(ground.attacker, `/v1/jobs/${job}/inputs`, {
      method: "POST",
      body,
      headers: { ...CSV, "content-encoding": "gzip" },
    });
    return strange([reply], 422);
  },
};

const listeners: Attack = {
  name: "500 listeners to events",
  async run(ground) {
    const open = await times(500, () => ground.begin(ground.attacker, "/v1/events"));
    const taken = open.filter(({ statusCode }) => statusCode === 200).length;
    for (const response of open) response.destroy();
    return taken > 100 ? `${taken} were let in` : undefined;
  },
};

const strangers: Attack = {
  name: "a flood of wrong keys",
  async run(ground, { strangers: number }) {
    const before = ground.logBytes;
    const statuses = new Map<number, number>();
    for (let n = 0; n < number; n += 50) {
      const replies = await times(50, (m) =>
        ground.ask(`sluice_${"a".repeat(39)}${n + m}`, "/v1/jobs", { from: "127.0.0.9" }),
      );
      for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const grown = ground.logBytes - before;
    if (!statuses.has(429)) return `all were looked up: ${JSON.stringify([...statuses])}`;
    return grown > 400_000 ? `they wrote ${grown} bytes of log` : undefined;
  },
};

const deepJson: Attack = {
  name: "JSON with 5,000 levels",
  async run(ground) {
    const deep = (levels: number) => `{"a":`.repeat(levels) + "1" + "}".repeat(levels);
    const replies = await times(2, (n) =>
      ground.ask(ground.attacker, "/v1/jobs", {
        method: "POST",
        body: `{"scraper":"page","inputs":[${deep(n === 0 ? 5_000 : 1_000_000)}]}`,
        headers: JSON_TYPE,
      }),
    );
    return strange(replies, 400);
  },
};

const bigKeys: Attack = {
  name: "inputs with keys of 1 MB",
  async run(ground, { bigRows }) {
    const job = await ground.makeJob();
    const row = Buffer.from(`{"url":"https://a.example/${"k".repeat(1_000_000)}"}\n`);
    const reply = await ground.ask(ground.attacker, `/v1/jobs/${job}/inputs?seal=true`, {
      method: "POST",
      body: Readable.from(Array.from({ length: bigRows }, () => row)),
      headers: NDJSON,
    });
    const list = await ground.ask(ground.attacker, `/v1/jobs/${job}/items?limit=1000`);
    return strange([reply, list], 200);
  },
};

const openJobs: Attack = {
  name: "jobs without end",
  async run(ground, { jobs }) {
    let made = 0;
    for (let n = 0; n < jobs; n += 20) {
      const replies = await times(20, () =>
        ground.ask(ground.attacker, "/v1/jobs", {
          method: "POST",
          body: `{"scraper":"page"}`,
          headers: JSON_TYPE,
        }),
      );
      const wrong = strange(replies, 201, 429);
      if (wrong) return wrong;
      made += replies.filter(({ status }) => status === 201).length;
    }
    return made > 1_000 ? `${made} were made` : undefined;
  },
};

const revoked: Attack = {
  name: "streams of a revoked key",
  async run(ground) {
    const { id, key } = await ground.makeKey("attacker");
    const job = await ground.makeJob();
    const list = await ground.ask(key, `/v1/jobs/${FILE_JOB}/items`);
    const [item] = (JSON.parse(list.body.toString()) as { data: { id: string }[] }).data;
    const events = await ground.begin(key, "/v1/events");
    const file = await ground.begin(key, `/v1/jobs/${FILE_JOB}/items/${item!.id}/captures/0`);
    const upload = http.request(`${ground.service.url}/v1/jobs/${job}/inputs`, {
      method: "POST",
      agent: false,
      headers: { authorization: `Bearer ${key}`, ...NDJSON },
    });
    upload.write(`{"url":"https://a.example/"}\n`);
    const ended = Promise.all([
      new Promise((end) =>
        events
          .once("close", end)
          .once("error", () => undefined)
          .resume(),
      ),
      new Promise((end) =>
        file
          .once("close", end)
          .once("error", () => undefined)
          .on("data", () => {
            file.pause();
            setTimeout(() => file.resume(), 10);
          }),
      ),
      new Promise((end) => upload.once("close", end).once("error", () => undefined)),
    ]);
    await ground.ask(ground.admin, `/v1/clients/attacker/keys/${id}`, { method: "DELETE" });
    const isOver = await Promise.race([ended.then(() => true), delay(10_000, false, { ref: false })]);
    for (const stream of [events, file, upload]) stream.destroy();
    return isOver ? undefined : "some stayed open for 10 s";
  },
};

export const ATTACKS: readonly Attack[] = [
  exports,
  lists,
  slowReaders,
  bomb,
  leavingSender,
  wideHeader,
  listeners,
  strangers,
  deepJson,
  bigKeys,
  revoked,
  openJobs,
];
