import assert from "node:assert/strict";
import { test } from "node:test";
import { classifyResponse } from "./detect-block.ts";
import { BOT_MANAGER_PAGES, type BlockPage } from "./testing/bot-manager-pages.ts";
import { FIREWALL_PAGES } from "./testing/firewall-pages.ts";

const kindOf = ({ status, headers = [], mediaType = "text/html", html }: BlockPage): string => {
  const header = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1];
  const head = { status, statusText: "", headers, header };
  return classifyResponse({ head, mediaType, body: Buffer.from(html) }, false, 0)?.kind ?? "page";
};

const LONG = "Terms, privacy, cookies, imprint and a long story about the weather. ".repeat(80);
/** What a reader does not see, in a thousand words. */
const HIDDEN = [
  `<div style="display: none">${LONG}</div>`,
  `<section hidden>${LONG}</section>`,
  `<div aria-hidden="true"><div>${LONG}</div></div>`,
  `<template>${LONG}</template>`,
  `<noscript>${LONG}</noscript>`,
  `<div style='visibility:hidden'>${LONG}</div>`,
  `<style>.later, #tip { display: none }</style><p class="a later">${LONG}</p><div id="tip">${LONG}</div>`,
  `<dialog>${"<p>One</p>".repeat(300)}</dialog>`,
].join("");

const into = (html: string, more: string): string =>
  /<body[^>]*>/i.test(html)
    ? html.replace(/<body[^>]*>/i, (tag) => tag + more)
    : html.replace(/<html[^>]*>/i, (tag) => tag + more);

for (const [what, shape] of Object.entries({ ...BOT_MANAGER_PAGES, ...FIREWALL_PAGES })) {
  test(`${what}: ${shape.status} is ${shape.kind}`, () => {
    assert.equal(kindOf(shape), shape.kind);
    if (shape.mediaType) return;
    const script = `<script>var filler = "${"x".repeat(200 * 1024)}";</script>`;
    assert.equal(kindOf({ ...shape, html: into(shape.html, script) }), shape.kind, "behind 200 kB of script");
    assert.equal(kindOf({ ...shape, html: into(shape.html, HIDDEN) }), shape.kind, "with hidden text");
    if (shape.kind === "rate-limited") return;
    const known = kindOf({ ...shape, status: 200 });
    if (shape.html !== "" || shape.status < 300) assert.equal(known, shape.kind, "with 200");
    assert.equal(kindOf({ ...shape, status: 429 }), shape.kind, "with 429");
  });
}
