/** The site if nginx is not installed: a process that answers from memory. Prints its port. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { propertyPage } from "./property-page.ts";
import { DISTINCT_PAGES, pageName, TINY_PAGE } from "./site-pages.ts";

const pages = new Map<string, Buffer>();
for (let n = 0; n < DISTINCT_PAGES; n++) pages.set(pageName(n), Buffer.from(propertyPage(n)));
const tiny = Buffer.from(TINY_PAGE);

const bodyOf = (path: string): Buffer | undefined => {
  if (path.startsWith("/tiny/")) return tiny;
  const number = /^\/parcel\/(\d+)$/.exec(path)?.[1];
  return number === undefined ? undefined : pages.get(pageName(Number(number) % DISTINCT_PAGES));
};

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const body = bodyOf(request.url ?? "");
  response.writeHead(body ? 200 : 404, {
    "content-type": "text/html; charset=utf-8",
    "content-length": body?.length ?? 0,
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  console.log((server.address() as AddressInfo).port);
});
