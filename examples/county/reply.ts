import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

export function reply(
  res: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  res.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "private",
    "x-powered-by": "ASP.NET",
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  res.end(body);
}
