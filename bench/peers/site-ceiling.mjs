// How many pages a second the site gives to a client that throws them away. Argument: { origin, pages, concurrency }.
import { Pool } from "undici";
import { start, stop } from "./usage.mjs";

const { origin, pages, concurrency } = JSON.parse(process.argv[2]);
const pool = new Pool(origin, { connections: concurrency, pipelining: 1 });
const get = (path) =>
  new Promise((resolve, reject) => {
    pool.dispatch(
      { origin, path, method: "GET" },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });

let next = 0;
const from = start();
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (next < pages) await get(`/parcel/${String(next++).padStart(7, "0")}`);
  }),
);
console.log(JSON.stringify(stop(from, pages)));
process.exit(0);
