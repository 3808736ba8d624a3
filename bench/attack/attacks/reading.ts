import http from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Attack, NDJSON, unexpected, times } from "../attack.ts";
import type { AttackKit } from "../attack-kit.ts";
import { BIG_JOB, FILE_JOB } from "../fill-jobs.ts";

const exports: Attack = {
  name: "20 exports at once",
  async run(kit, { items }) {
    const path = (n: number) =>
      n % 4 === 3
        ? `/v1/jobs/${BIG_JOB}/manifest`
        : `/v1/jobs/${BIG_JOB}/results?format=${n % 2 ? "csv" : "jsonl"}`;
    const replies = await times(20, (n) => kit.ask(kit.attacker, path(n)));
    const lines = replies.map(({ status, body }) => (status === 200 ? count(body, "\n") : items));
    const isShort = lines.some((number) => number !== items && number !== items + 1);
    return unexpected(replies, 200, 429) ?? (isShort ? `an export had ${lines.join(", ")} lines` : undefined);
  },
};

const count = (bytes: Buffer, character: string): number => {
  let found = 0;
  for (let at = bytes.indexOf(character); at >= 0; at = bytes.indexOf(character, at + 1)) found++;
  return found;
};

const lists: Attack = {
  name: "200 pages of 1,000 items, 50 at once",
  async run(kit, { pageRounds }) {
    for (let round = 0; round < pageRounds; round++) {
      const replies = await times(50, () => kit.ask(kit.attacker, `/v1/jobs/${BIG_JOB}/items?limit=1000`));
      const wrong = unexpected(replies, 200, 429);
      if (wrong) return wrong;
    }
    return undefined;
  },
};

/** The only capture of the job with a large file. */
const filePath = async (kit: AttackKit, key: string): Promise<string> => {
  const list = await kit.read<{ data: { id: string }[] }>(key, `/v1/jobs/${FILE_JOB}/items`);
  return `/v1/jobs/${FILE_JOB}/items/${list.data[0]!.id}/captures/0`;
};

const slowReaders: Attack = {
  name: "readers of a large file that do not read",
  async run(kit, { readers, fileBytes }) {
    const path = await filePath(kit, kit.attacker);
    const begun = await times(readers, () => kit.begin(kit.attacker, path));
    // Enough time for the service to fill its buffers.
    await delay(2_000);
    for (const response of begun) response.destroy();
    const whole = await kit.ask(kit.attacker, path);
    return whole.status === 200 && whole.body.length === fileBytes
      ? undefined
      : `the file came as ${whole.status} with ${whole.body.length} bytes`;
  },
};

const slowExports: Attack = {
  name: "exports and lists that nobody reads",
  async run(kit) {
    const path = (n: number) => `/v1/jobs/${BIG_JOB}/${n % 2 ? "results?format=jsonl" : "items?limit=1000"}`;
    const begun = await times(30, (n) => kit.begin(kit.attacker, path(n)));
    await delay(1_000);
    for (const response of begun) response.destroy();
    const replies = begun.map(({ statusCode }) => ({ status: statusCode!, body: Buffer.alloc(0) }));
    return unexpected(replies, 200, 429);
  },
};

const listeners: Attack = {
  name: "500 listeners to events",
  async run(kit) {
    const open = await times(500, () => kit.begin(kit.attacker, "/v1/events"));
    const taken = open.filter(({ statusCode }) => statusCode === 200).length;
    for (const response of open) response.destroy();
    return taken > 100 ? `${taken} were let in` : undefined;
  },
};

const deafListeners: Attack = {
  name: "listeners that do not read, and 200 jobs to tell of",
  async run(kit) {
    const { key } = await kit.makeClient();
    const open = await times(20, () => kit.begin(key, "/v1/events"));
    await times(200, async () => {
      const job = await kit.makeJob({ labels: { filling: "x".repeat(100) } }, key);
      await kit.post(key, `/v1/jobs/${job}/cancel`);
    });
    for (const response of open) response.destroy();
    return undefined;
  },
};

const revoked: Attack = {
  name: "streams of a revoked key",
  async run(kit) {
    const { id, key } = await kit.makeKey("attacker");
    const job = await kit.makeJob();
    const path = await filePath(kit, key);
    const events = await kit.begin(key, "/v1/events");
    const file = await kit.begin(key, path);
    const result = await kit.begin(key, `/v1/jobs/${BIG_JOB}/results?format=jsonl`);
    const upload = http.request(`${kit.service.url}/v1/jobs/${job}/inputs`, {
      method: "POST",
      agent: false,
      headers: { authorization: `Bearer ${key}`, ...NDJSON },
    });
    upload.write(`{"url":"https://a.example/"}\n`);
    const streams = [events, file, result, upload];
    for (const stream of [file, result])
      stream.on("data", () => {
        stream.pause();
        setTimeout(() => stream.resume(), 10);
      });
    events.resume();
    const ended = Promise.all(
      streams.map((stream) => new Promise((end) => stream.once("close", end).once("error", () => undefined))),
    );
    await kit.ask(kit.admin, `/v1/clients/attacker/keys/${id}`, { method: "DELETE" });
    const isOver = await Promise.race([ended.then(() => true), delay(60_000, false, { ref: false })]);
    for (const stream of streams) stream.destroy();
    await kit.post(kit.attacker, `/v1/jobs/${job}/cancel`);
    return isOver ? undefined : "some stayed open for a minute";
  },
};

export const READING: readonly Attack[] = [
  exports,
  lists,
  slowReaders,
  slowExports,
  listeners,
  deafListeners,
  revoked,
];
