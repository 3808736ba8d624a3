import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import type { ServerResponse } from "node:http";
import { answer, failureOf, openTestSession, openTestSite } from "./testing/test-site.ts";

const PDF = Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(700_000, "abc")]);
const AS_PDF = { "content-type": "application/pdf" };

test("a file is streamed to the archive, and its details are kept", async () => {
  await using site = await openTestSite((request, response) => {
    if (request.url === "/bill") answer(response, "", { location: "/bill.pdf" }, 302);
    else answer(response, PDF, AS_PDF);
  });
  await using session = openTestSession(site.url);
  const file = await session.keep.file("bill", "/bill");
  const expected = {
    url: `${site.url}/bill.pdf`,
    mediaType: "application/pdf",
    size: PDF.length,
    digest: `sha256:${hash("sha256", PDF)}`,
  };
  assert.deepEqual(file, expected);
  assert.deepEqual(session.kept.files, [{ name: "bill", ...expected }]);
  assert.deepEqual(session.files.get(`${site.url}/bill.pdf`), PDF);
  assert.deepEqual(
    session.archived.map(({ status }) => status),
    [302],
  );
  assert.equal(session.gated.length, 2);
  assert.equal(session.bytes, PDF.length);
  assert.equal(site.seen[1]?.headers["accept-encoding"], "identity");
});

test("cookies of the item are sent with the file's request", async () => {
  await using site = await openTestSite((request, response) =>
    answer(response, request.headers.cookie ?? "", {
      "content-type": "application/pdf",
      "set-cookie": "s=1",
    }),
  );
  await using session = openTestSession(site.url);
  await session.http.get("/");
  await session.keep.file("f", "/f");
  assert.equal(session.files.get(`${site.url}/f`)?.toString(), "s=1");
});

const PAGES: readonly [what: string, kind: string, status: number, body: string][] = [
  ["a block page", "blocked", 200, "<title>Access Denied</title><h1>Access Denied</h1>"],
  ["a captcha page", "captcha", 200, '<h1>Are you a robot?</h1><div class="g-recaptcha"></div>'],
  ["some other page", "bad-content", 200, "<p>Your session has expired</p>"],
  ["a missing file", "navigation", 404, "<p>not found</p>"],
  ["a throttle", "rate-limited", 429, ""],
];

for (const [what, kind, status, body] of PAGES) {
  test(`${what} instead of a file is ${kind}, and archived as a page`, async () => {
    await using site = await openTestSite((_, response) => answer(response, body, {}, status));
    await using session = openTestSession(site.url);
    assert.equal((await failureOf(() => session.keep.file("bill", "/bill.pdf"))).kind, kind);
    assert.equal(session.archived.length, 1);
    assert.equal(session.files.size, 0);
    assert.deepEqual(session.kept.files, []);
  });
}

test("an unrequested partial response is neither a file nor a page", async () => {
  await using site = await openTestSite(({ url }, response) =>
    answer(response, "half", url === "/page" ? { "content-type": "text/html" } : AS_PDF, 206),
  );
  await using session = openTestSession(site.url);
  assert.equal((await failureOf(() => session.keep.file("bill", "/bill.pdf"))).kind, "bad-content");
  assert.equal((await failureOf(() => session.http.get("/page"))).kind, "bad-content");
  assert.deepEqual(session.kept.files, []);
  const asked = await session.keep.file("bill", "/bill.pdf", { headers: { Range: "bytes=0-3" } });
  assert.equal(asked.size, 4);
  assert.equal((await session.http.get("/page", { accept: [206] })).status, 206);
});

test("HTML is kept as a file if the scraper accepts it", async () => {
  await using site = await openTestSite((_, response) => answer(response, "<p>a notice</p>"));
  await using session = openTestSession(site.url);
  const file = await session.keep.file("notice", "/notice", { headers: { Accept: "text/html" } });
  assert.equal(file.size, 15);
});

test("a file over the cap is too large, announced or not", async () => {
  await using site = await openTestSite((request, response) => {
    const length = request.url === "/announced" ? { "content-length": String(PDF.length) } : {};
    response.writeHead(200, { ...AS_PDF, ...length });
    response.end(PDF);
  });
  await using session = openTestSession(site.url, { limits: { fileBytes: PDF.length - 1 } });
  for (const path of ["/announced", "/unannounced"]) {
    assert.equal((await failureOf(() => session.keep.file("f", path))).kind, "too-large", path);
  }
  assert.equal(session.files.size, 0);
});

test("a truncated file is a connection failure, whatever the archive reports", async () => {
  await using site = await openTestSite((_, response) => {
    response.writeHead(200, { ...AS_PDF, "content-length": "1000" });
    response.write("half", () => response.destroy());
  });
  await using session = openTestSession(site.url, {
    tools: {
      archiveFile: async (_head, body) => {
        try {
          return { size: (await Array.fromAsync(body)).length, digest: "" };
        } catch (error) {
          throw new Error("upload failed", { cause: error });
        }
      },
    },
  });
  assert.equal((await failureOf(() => session.keep.file("f", "/f"))).kind, "connection");
});

test("an archive that fails is not blamed on the site, and the download ends", async () => {
  const closed = Promise.withResolvers<unknown>();
  await using site = await openTestSite((_, response) => {
    closed.resolve(once(response, "close"));
    response.writeHead(200, AS_PDF);
    response.write("endless");
  });
  const full = new Error("no space");
  await using session = openTestSession(site.url, { tools: { archiveFile: () => Promise.reject(full) } });
  await assert.rejects(session.keep.file("f", "/f"), full);
  await closed.promise;
});

test("a slow archive slows the download instead of filling memory, and causes no timeout", async () => {
  const size = 64 * 1024 * 1024;
  let written = 0;
  const pour = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, AS_PDF);
    for (; written < size; written += 65_536)
      if (!response.write(Buffer.alloc(65_536))) await once(response, "drain");
    response.end();
  };
  await using site = await openTestSite((_, response) => void pour(response));
  let aheadBytes = 0;
  await using session = openTestSession(site.url, {
    limits: { fileBytes: size, requestMs: 60_000 },
    tools: {
      archiveFile: async (_head, body) => {
        let read = 0;
        for await (const chunk of body) {
          read += chunk.length;
          // Some turns of the loop for the site to run ahead as far as it can.
          if (read < 4_000_000) for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
          if (read < 4_000_000) aheadBytes = Math.max(aheadBytes, written - read);
        }
        return { size: read, digest: "" };
      },
    },
  });
  assert.equal((await session.keep.file("f", "/f")).size, size);
  assert.ok(aheadBytes < size / 2, `the site was ${aheadBytes} bytes ahead`);
});
