import assert from "node:assert/strict";
import { it } from "node:test";
import type { Exchange } from "../domain/capture.ts";
import { requestHead, responseHead } from "./warc-record.ts";

type Headers = Exchange["responseHeaders"];

const exchange = (change: Partial<Exchange> = {}): Exchange => ({
  method: "GET",
  url: "https://tax.example.gov/a?b=1",
  startedAt: 0,
  requestHeaders: [["Host", "tax.example.gov"]],
  status: 200,
  statusText: "OK",
  responseHeaders: [],
  body: new Uint8Array(),
  ...change,
});

const responseLines = (
  responseHeaders: Headers,
  bodyLength: number,
  change: Partial<Exchange> = {},
): string[] =>
  Buffer.from(responseHead(exchange({ responseHeaders, ...change }), bodyLength))
    .toString("latin1")
    .split("\r\n");
const requestLines = (change: Partial<Exchange>): string[] =>
  Buffer.from(requestHead(exchange(change)))
    .toString("latin1")
    .split("\r\n");

it("does not change a head that matches its stored body", () => {
  const headers: Headers = [
    ["Content-Type", "text/html"],
    ["Set-Cookie", "a"],
    ["Set-Cookie", "b"],
    ["Content-Length", "5"],
  ];
  const lines = [
    "HTTP/1.1 200 OK",
    "Content-Type: text/html",
    "Set-Cookie: a",
    "Set-Cookie: b",
    "Content-Length: 5",
    "",
    "",
  ];
  assert.deepEqual(responseLines(headers, 5), lines);
});

it("renames the transfer coding that the stored body no longer has, and keeps the content coding", () => {
  const lines = responseLines(
    [
      ["Transfer-Encoding", "chunked"],
      ["Content-Encoding", "gzip"],
    ],
    7,
  );
  const expected = [
    "X-Archive-Orig-Transfer-Encoding: chunked",
    "Content-Encoding: gzip",
    "content-length: 7",
  ];
  assert.deepEqual(lines.slice(1, -2), expected);
});

it("corrects a wrong or doubled length and keeps the claim under another name", () => {
  assert.deepEqual(responseLines([["Content-Length", "9"]], 7).slice(1, -2), [
    "X-Archive-Orig-Content-Length: 9",
    "content-length: 7",
  ]);
  assert.equal(
    responseLines(
      [
        ["Content-Length", "7"],
        ["content-length", "8"],
      ],
      7,
    ).at(-3),
    "content-length: 7",
  );
});

it("does not touch the length of an answer that has no body by definition", () => {
  const headers: Headers = [["Content-Length", "9"]];
  assert.deepEqual(responseLines(headers, 0, { method: "HEAD" }).slice(1, -2), ["Content-Length: 9"]);
  assert.deepEqual(responseLines(headers, 0, { status: 304 }).slice(1, -2), ["Content-Length: 9"]);
  assert.deepEqual(responseLines([], 0, { status: 204 }).slice(1, -2), []);
});

it("writes header bytes as they came, and never lets a value start a line", () => {
  const lines = responseLines(
    [
      ["X-Name", "caf\xe9"],
      ["X-Bad", "a\r\nSet-Cookie: b"],
    ],
    0,
  );
  assert.deepEqual(lines.slice(1, 3), ["X-Name: caf\xe9", "X-Bad: a Set-Cookie: b"]);
});

it("writes the request as sent: path, host and the length of its body", () => {
  assert.deepEqual(requestLines({}), ["GET /a?b=1 HTTP/1.1", "Host: tax.example.gov", "", ""]);
  assert.deepEqual(requestLines({ requestHeaders: [] }), [
    "GET /a?b=1 HTTP/1.1",
    "host: tax.example.gov",
    "",
    "",
  ]);
  const posted = requestLines({
    method: "POST",
    requestBody: Buffer.from("q=1"),
    requestHeaders: [["host", "h"]],
  });
  assert.deepEqual(posted, ["POST /a?b=1 HTTP/1.1", "host: h", "content-length: 3", "", ""]);
});
