import assert from "node:assert/strict";
import { test } from "node:test";
import { viewable } from "./viewable-page.ts";

const response = (type: string, body: string, url = 'https://a.test/x?a=1&b="2"') => ({
  url,
  status: 200,
  headers: [["Content-Type", type]] as const,
  body: Buffer.from(body),
});

test("a page is shown without scripts, with links to its original site", () => {
  const text =
    "<!-- v1 -->\n<!DOCTYPE html>\n<html><head><META HTTP-EQUIV='Refresh' CONTENT='0'></head></html>";
  const { content, extension } = viewable("page", response("text/html; charset=utf-8", text));
  assert.equal(extension, "html");
  assert.match(
    String(content),
    /^<!-- v1 -->\n<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="script-src 'none'/,
  );
  assert.ok(
    String(content).includes('<base href="https://a.test/x?a=1&amp;b=&quot;2&quot;" target="_blank">'),
  );
  assert.match(String(content), /data-http-equiv='Refresh'/);
  const bare = viewable("page", response("text/html", "<p>x", "data:text/html,x"));
  assert.ok(String(bare.content).endsWith("<p>x") && !String(bare.content).includes("<base"));
});

test("content that a browser would run regardless is shown as text", () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  for (const type of ["image/svg+xml", "application/xhtml+xml", "text/xml", ""])
    assert.deepEqual(viewable("f", response(type, svg), "svg"), { extension: "txt", content: svg });
  assert.equal(viewable("f", response("application/octet-stream", svg), "html").extension, "txt");
  assert.equal(viewable("f", response("application/json", "{}")).extension, "json");
  const pdf = viewable("f", response("application/pdf", "%PDF"), "pdf");
  assert.deepEqual([pdf.extension, Buffer.from(pdf.content).toString()], ["pdf", "%PDF"]);
});
