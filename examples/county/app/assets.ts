import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { reply } from "../reply.ts";

interface Asset {
  readonly body: string;
  readonly type: string;
  readonly etag: string;
}

const IMAGES = ["seal", "banner", "map", "court", "river", "flag"] as const;

/** `<img>` elements of every page of the scripted variant. */
export const IMAGE_TAGS = IMAGES.map(
  (name) => `<img src="/assets/${name}.svg" width="64" height="64" alt="" />`,
).join("");

const LIBRARY_FUNCTIONS = 1000;

/** About 170 KB of script, most of it never called: what a page's framework costs to load, parse and cache. */
function librarySource(): string {
  const functions = Array.from(
    { length: LIBRARY_FUNCTIONS },
    (_, n) => `
  library.column${n} = function (row, options) {
    var width = (options && options.width) || ${40 + (n % 80)};
    return { name: "column-${n}", text: String(row[${n % 10}]).slice(0, width) };
  };`,
  );
  return `(function (page) {
  "use strict";
  var library = {};
  library.element = function (tag, attributes, children) {
    var made = document.createElement(tag);
    for (var name in attributes) made.setAttribute(name, attributes[name]);
    (children || []).forEach(function (child) { made.append(child); });
    return made;
  };${functions.join("")}
  page.library = library;
})(self);
`;
}

const svg = (n: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${Array.from(
    { length: 24 },
    (_, i) =>
      `<circle cx="${(i * 17 + n * 5) % 64}" cy="${(i * 29) % 64}" r="${4 + ((i + n) % 7)}" fill="#27${48 + i}5f"/>`,
  ).join("")}</svg>`;

const fileBeside = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8");

function loadAssets(): ReadonlyMap<string, Asset> {
  const script = "text/javascript; charset=utf-8";
  const sources: (readonly [string, string, string])[] = [
    ["library.js", librarySource(), script],
    ["app.js", fileBeside("app.js"), script],
    ["request-kinds.js", fileBeside("request-kinds.js"), script],
    ["app.css", fileBeside("app.css"), "text/css; charset=utf-8"],
    ...IMAGES.map((name, n) => [`${name}.svg`, svg(n), "image/svg+xml"] as const),
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
