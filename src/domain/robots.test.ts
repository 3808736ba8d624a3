import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { parseRobots } from "./robots.ts";

const vectors = new URL("../../../shared/testdata/robots/google_rep_vectors.json", import.meta.url);

interface Vector {
  readonly test: string;
  readonly robots_txt: string;
  readonly user_agent: string;
  readonly url: string;
  readonly allowed: boolean;
}

// No differences: all 142 hold as they stand. The two `ID_Encoding` cases with a raw `ツ` URL hold too, because a URL
// is compared as it goes over the wire; their percent-encoded twins, which is what a caller sends, are in the set.
test(
  "every published vector of Google's parser holds",
  { skip: existsSync(vectors) ? false : "no shared testdata/robots beside the checkout" },
  () => {
    const { cases }: { cases: Vector[] } = JSON.parse(readFileSync(vectors, "utf8"));
    assert.equal(cases.length, 142);
    const wrong = cases.filter((c) => parseRobots(c.robots_txt).allows(c.user_agent, c.url) !== c.allowed);
    assert.deepEqual(wrong, []);
  },
);

const allows = (lines: string[], url: string, agent = "Sluice") =>
  parseRobots(lines.join("\n")).allows(agent, url);

describe("groups", () => {
  test("a full User-Agent header finds the group of its product token", () => {
    const robots = parseRobots("User-agent: sluice\nDisallow: /x\n\nUser-agent: *\nDisallow: /y");
    assert.equal(robots.allows("Sluice/1.0 (+https://example.org/bot)", "https://a.example/x"), false);
    assert.equal(robots.allows("Sluice/1.0 (+https://example.org/bot)", "https://a.example/y"), true);
  });

  test("an agent whose name has digits finds its own group", () => {
    const robots = parseRobots("User-agent: bot2\nDisallow: /");
    assert.equal(robots.allows("bot2", "https://a.example/"), false);
  });

  test("names of the object prototype are neither fields nor agents", () => {
    const robots = parseRobots("constructor: x\n__proto__: y\nuser-agent: *\ndisallow: /z");
    assert.equal(robots.allows("constructor", "https://a.example/z"), false);
    assert.equal(robots.allows("toString", "https://a.example/"), true);
  });

  test("misspelt field names count", () => {
    assert.equal(allows(["useragent: *", "dissalow: /x"], "https://a.example/x"), false);
  });

  test("lines may end with a carriage return alone and begin with a byte order mark", () => {
    assert.equal(
      parseRobots("\uFEFFUser-agent: *\rDisallow: /x\r").allows("a", "https://a.example/x"),
      false,
    );
  });
});

describe("matching", () => {
  test("percent-escapes are the same in either case of their hex digits", () => {
    assert.equal(allows(["user-agent: *", "disallow: /%c3%a9"], "https://a.example/%C3%A9"), false);
    assert.equal(allows(["user-agent: *", "disallow: /%C3%A9"], "https://a.example/%c3%a9"), false);
  });

  test("a raw bar in a rule matches a raw or an escaped bar in the URL", () => {
    for (const path of ["/a|b", "/a%7cb", "/a%7Cb"])
      assert.equal(allows(["user-agent: *", "disallow: /a|b"], `https://a.example${path}`), false, path);
  });

  test("a query without a path is below the root", () => {
    assert.equal(allows(["user-agent: *", "disallow: /?q="], "https://a.example?q=1#top"), false);
  });

  test("only a dollar sign at the end is special", () => {
    assert.equal(allows(["user-agent: *", "disallow: /a$b"], "https://a.example/a$bc"), false);
    assert.equal(allows(["user-agent: *", "disallow: /*b$"], "https://a.example/abab"), false);
    assert.equal(allows(["user-agent: *", "disallow: /*b$"], "https://a.example/abac"), true);
    assert.equal(allows(["user-agent: *", "disallow: /ab*b$"], "https://a.example/ab"), true);
  });

  test("a pattern of many stars is matched without trying every combination", () => {
    const robots = parseRobots(`user-agent: *\ndisallow: /${"*a".repeat(4000)}*b$`);
    assert.equal(robots.allows("x", `https://a.example/${"a".repeat(50_000)}`), true);
    assert.equal(robots.allows("x", `https://a.example/${"a".repeat(50_000)}b`), false);
  });

  test("long pieces of a pattern are found without comparing them at every place", () => {
    const piece = `${"a".repeat(4000)}b${"a".repeat(4000)}`;
    const robots = parseRobots(`user-agent: *\n${`disallow: /*${piece}*c\n`.repeat(60)}`);
    assert.equal(robots.allows("x", `https://a.example/${"a".repeat(60_000)}`), true);
    assert.equal(robots.allows("x", `https://a.example/${"a".repeat(60_000)}${piece}zc`), false);
  });

  test("any pattern of stars and letters agrees with the same regular expression", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "/", "*"), maxLength: 6 });
    fc.assert(
      fc.property(letters, pattern, fc.boolean(), (path, written, anchored) => {
        const source = `^/${written.replaceAll("*", ".*")}${anchored ? "$" : ""}`;
        const expected = !new RegExp(source).test(`/${path}`);
        const lines = ["user-agent: *", `disallow: /${written}${anchored ? "$" : ""}`];
        assert.equal(allows(lines, `https://a.example/${path}`), expected);
      }),
      { numRuns: 2000 },
    );
  });
});

const filler = (length: number) => `#${"x".repeat(length - 2)}\n`;

describe("bounds", () => {
  test("only the first 500 KiB are read", () => {
    const rule = "user-agent: *\ndisallow: /\n";
    assert.equal(
      parseRobots(filler(500 * 1024 - rule.length) + rule).allows("a", "https://a.example/"),
      false,
    );
    assert.equal(parseRobots(filler(500 * 1024) + rule).allows("a", "https://a.example/"), true);
  });

  test("a line that is cut off by the limit is not read in part", () => {
    const text = `user-agent: *\ndisallow: /y\n${filler(500 * 1024 - 40)}disallow: /private/reports\n`;
    assert.equal(parseRobots(text).allows("a", "https://a.example/public"), true);
    assert.equal(parseRobots(text).allows("a", "https://a.example/y"), false);
  });

  test("a too long line counts up to the limit", () => {
    const path = `/${"x".repeat(20_000)}`;
    assert.equal(allows(["user-agent: *", `disallow: ${path}`], `https://a.example${path}`), false);
    assert.equal(allows(["user-agent: *", `disallow: ${path}`], "https://a.example/xx"), true);
  });

  test("many agents before many rules share them", () => {
    const agents = Array.from({ length: 12_000 }, (_, i) => `user-agent: a${i.toString(36)}`);
    const rules = Array.from({ length: 12_000 }, (_, i) => `disallow: /${i.toString(36)}`);
    const robots = parseRobots([...agents, ...rules].join("\n"));
    assert.equal(robots.allows("a98z", "https://a.example/98z"), false);
    assert.equal(robots.allows("b", "https://a.example/98z"), true);
  });

  test("no text makes it throw", () => {
    const unit = fc.constantFrom(
      "user-agent",
      "disallow",
      "crawl-delay",
      ":",
      " ",
      "\n",
      "*",
      "$",
      "%",
      "\uD800",
      "é",
    );
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 60 }),
        fc.constantFrom("", "/", "https://a.example/*?%"),
        (text, url) => {
          const robots = parseRobots(text);
          assert.equal(typeof robots.allows("Sluice", url), "boolean");
          robots.crawlDelayMs("Sluice");
        },
      ),
    );
  });
});

describe("crawl delay", () => {
  test("it is that of the agent's group, else that of `*`, in milliseconds", () => {
    const robots = parseRobots("user-agent: sluice\ncrawl-delay: 2.5\n\nuser-agent: *\ncrawl-delay: 10");
    assert.equal(robots.crawlDelayMs("Sluice/1.0"), 2500);
    assert.equal(robots.crawlDelayMs("other"), 10_000);
  });

  test("an agent with a group of its own does not inherit everyone's", () => {
    const robots = parseRobots("user-agent: sluice\ndisallow: /x\n\nuser-agent: *\ncrawl-delay: 10");
    assert.equal(robots.crawlDelayMs("sluice"), undefined);
  });

  test("a group with only a delay is a group: it has neither the delay nor the rules of the next one", () => {
    const robots = parseRobots("user-agent: a\ncrawl-delay: 1\nuser-agent: b\ncrawl-delay: 2\ndisallow: /x");
    assert.deepEqual([robots.crawlDelayMs("a"), robots.crawlDelayMs("b")], [1000, 2000]);
    assert.equal(robots.allows("a", "https://a.example/x"), true);
    assert.equal(robots.allows("b", "https://a.example/x"), false);
  });

  test("a delay that is not a number is ignored", () => {
    assert.equal(parseRobots("user-agent: *\ncrawl-delay: soon").crawlDelayMs("a"), undefined);
    assert.equal(parseRobots("user-agent: *\ncrawl-delay: -1").crawlDelayMs("a"), undefined);
  });
});
