// The limit of this machine in one thread: undici, Sluice's own single-pass matcher, one gzip member a page, appended to a file.
// Nothing is durable, retried, paced or judged. Argument: { origin, pages, concurrency, folder }.
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Pool } from "undici";
import { compileStream } from "../../src/extraction/scan/stream-matcher.ts";
import { FIELDS } from "../site/fields.ts";
import { start, stop } from "./usage.mjs";

const { origin, pages, concurrency, folder } = JSON.parse(process.argv[2]);
const names = Object.keys(FIELDS);
const matcher = compileStream({
  page: Object.values(FIELDS).map((css) => ({ css, take: "text", isMany: false })),
});
const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
const archive = openSync(join(folder, "pages.warc.gz"), "w");
const records = openSync(join(folder, "records.jsonl"), "w");

const get = (path) =>
  new Promise((resolve, reject) => {
    const pieces = [];
    pool.dispatch(
      { origin, path, method: "GET" },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_controller, bytes) => void pieces.push(bytes),
        onResponseEnd: () => resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });

let members = [];
let memberBytes = 0;
let lines = [];
const flush = () => {
  writeSync(archive, Buffer.concat(members));
  writeSync(records, lines.join(""));
  members = [];
  lines = [];
  memberBytes = 0;
};

let done = 0;
const take = (path, body) => {
  const answers = matcher.run(body.toString("utf8")).page;
  const record = { url: path, at: Date.now() };
  for (const [at, name] of names.entries()) record[name] = answers[at]?.[0]?.text ?? "";
  if (Object.values(record).every((value) => value !== "")) done++;
  lines.push(`${JSON.stringify(record)}\n`);
  const head = `WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: ${origin}${path}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const member = gzipSync(Buffer.concat([Buffer.from(head), body]), { level: 6 });
  members.push(member);
  memberBytes += member.length;
  if (lines.length >= 200 || memberBytes > 1 << 20) flush();
};

let next = 0;
const from = start();
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (next < pages) {
      const path = `/parcel/${String(next++).padStart(7, "0")}`;
      take(path, await get(path));
    }
  }),
);
flush();
const usage = stop(from, done);
if (done !== pages) throw new Error(`${done} of ${pages} pages came through whole`);
console.log(JSON.stringify(usage));
process.exit(0);
