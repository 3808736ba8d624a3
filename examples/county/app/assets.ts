import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { reply } from "../reply.ts";

interface Asset {
  readonly body: string | Buffer;
  readonly type: string;
  readonly etag: string;
}

const IMAGES = ["seal", "banner", "map", "court", "river", "flag"] as const;

/** `<img>` elements of every page of the scripted variant. */
export const IMAGE_TAGS = IMAGES.map(
  (name) => `<img src="/assets/${name}.png" width="64" height="64" alt="" />`,
).join("");

const LIBRARY_MODULES = 120;

/** About 170 KB of script in the form of a bundle, most of it never called: what a page's framework costs to load, to parse and to cache. */
function librarySource(): string {
  const lines = (n: number): string =>
    Array.from(
      { length: 16 },
      (_, line) =>
        `    if (options.width > ${n + line}) cells.push(pad(row[${(n * 7 + line) % 10}], options.width - ${line}));`,
    ).join("\n");
  const modules = Array.from(
    { length: LIBRARY_MODULES },
    (_, n) => `
  function (pad) {
    return function (row, options) {
    var cells = [];
${lines(n)}
    return { name: "column-${n}", cells: cells };
    };
  }`,
  );
  return `(function (modules, page) {
  "use strict";
  var loaded = {};
  page.library = {
    element: function (tag, attributes, children) {
      var made = document.createElement(tag);
      for (var name in attributes) made.setAttribute(name, attributes[name]);
      (children || []).forEach(function (child) { made.append(child); });
      return made;
    },
    column: function (n) { return loaded[n] || (loaded[n] = modules[n](String)); },
  };
})([${modules.join(",")}
], self);
`;
}

const SIDE = 64;

/** A picture of its own colours, by ISO 15948: signature, header, pixels, end. */
function png(n: number): Buffer {
  const rows = Array.from({ length: SIDE }, (_, y) =>
    Buffer.from([
      0,
      ...Array.from({ length: SIDE }, (__, x) => [x * 3, y * 3, (n * 40 + x * y) % 256]).flat(),
    ]),
  );
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.from([0, 0, 0, SIDE, 0, 0, 0, SIDE, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const fileBeside = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8");

function loadAssets(): ReadonlyMap<string, Asset> {
  const script = "text/javascript; charset=utf-8";
  const sources: (readonly [string, string | Buffer, string])[] = [
    ["library.js", librarySource(), script],
    ["app.js", fileBeside("app.js"), script],
    ["request-kinds.js", fileBeside("request-kinds.js"), script],
    ["app.css", fileBeside("app.css"), "text/css; charset=utf-8"],
    ...IMAGES.map((name, n) => [`${name}.png`, png(n), "image/png"] as const),
  ];
  return new Map(
    sources.map(([name, body, type]) => [
      `/assets/${name}`,
      { body, type, etag: `"${hash("sha1", body).slice(0, 16)}"` },
    ]),
  );
}

let assets: ReadonlyMap<string, Asset> | undefined;

/** Answers with a file that may be cached for an hour and validated afterwards; false if there is none. */
export function replyWithAsset(path: string, req: IncomingMessage, res: ServerResponse): boolean {
  const asset = (assets ??= loadAssets()).get(path);
  if (asset === undefined) return false;
  const headers = { "cache-control": "public, max-age=3600", etag: asset.etag };
  if (req.headers["if-none-match"] === asset.etag) {
    res.writeHead(304, headers);
    res.end();
  } else {
    reply(res, 200, asset.body, { ...headers, "content-type": asset.type });
  }
  return true;
}
