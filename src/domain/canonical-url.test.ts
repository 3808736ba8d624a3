import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import * as fc from "fast-check";
import { BadUrlError, canonicalUrl } from "./canonical-url.ts";

const folder = new URL("../../../shared/testdata/url/", import.meta.url);
const skip = existsSync(folder) ? false : "no shared testdata/url beside the checkout";
/** The vectors of one file, without the remarks between them. */
const vectors = <V extends object>(name: string): V[] => {
  const entries: (V | string)[] = JSON.parse(readFileSync(new URL(name, folder), "utf8"));
  return entries.filter((entry) => typeof entry !== "string");
};

const badUrl = { name: "BadUrlError", code: "bad-url" };

describe("the WHATWG vectors", { skip }, () => {
  interface Parsed {
    readonly input: string;
    readonly base: string | null;
    readonly failure?: true;
    readonly href: string;
    readonly hostname: string;
    readonly pathname: string;
    readonly search: string;
  }

  test("Node's URL class, which keys rely on, parses each one as expected", () => {
    for (const { input, base, failure, ...expected } of vectors<Parsed>("urltestdata.json")) {
      const url = URL.parse(input, base ?? undefined);
      assert.equal(url === null, failure === true, input);
      if (url === null) continue;
      const { href, hostname, pathname, search } = url;
      assert.deepEqual(
        { href, hostname, pathname, search },
        {
          href: expected.href,
          hostname: expected.hostname,
          pathname: expected.pathname,
          search: expected.search,
        },
        input,
      );
    }
  });

  test("the key of a valid URL is its own key and contains no credentials", () => {
    const valid = vectors<Parsed>("urltestdata.json").filter(({ failure }) => failure === undefined);
    assert.ok(valid.length > 500);
    for (const { href } of valid) {
      const key = canonicalUrl(href);
      assert.equal(canonicalUrl(key), key, href);
      const { username, password } = new URL(key);
      assert.deepEqual([username, password], ["", ""], href);
    }
  });

  test("an invalid URL is refused with a code", () => {
    const invalid = vectors<Parsed>("urltestdata.json").filter((v) => v.failure === true && v.base === null);
    assert.ok(invalid.length > 100);
    for (const { input } of invalid) assert.throws(() => canonicalUrl(input), badUrl, input);
  });

  test("host names come out in ASCII or are refused", () => {
    for (const { input, output } of vectors<{ input: string; output: string | null }>("toascii.json")) {
      const written = `https://${input}/x`;
      if (output === null) assert.throws(() => canonicalUrl(written), badUrl, input);
      else assert.equal(canonicalUrl(written), `https://${output}/x`, input);
    }
  });

  test("a character and its percent-encoding in UTF-8 are one key, in path and query", () => {
    for (const { input, output } of vectors<{ input: string; output: { "utf-8": string } }>(
      "percent-encoding.json",
    )) {
      for (const before of ["https://example.org/a?", "https://example.org/a?q=", "https://example.org/a/"]) {
        assert.equal(canonicalUrl(before + input), canonicalUrl(before + output["utf-8"]), input);
      }
    }
  });
});

describe("the vectors of w3lib", { skip }, () => {
  interface Vector {
    readonly input: string;
    readonly options: Record<string, unknown>;
    readonly expected: string;
  }
  const load = () => vectors<Vector>("w3lib_canonicalize_vectors.json");

  // Every difference in the key itself, with its reason. Vectors with options of w3lib that have no counterpart here
  // (encoding, keep_fragments, …) are checked for idempotence only.
  const differences = new Map([
    ["http://www.example.com/do?c=3&b=5&b=2&a=50", "values of one name keep their order"],
    ["http://user:pass@www.example.com:81/do?now=1", "credentials never reach a key"],
    ["http://user:pass@www.example.com/do?a=1#frag", "credentials never reach a key"],
    [
      "sftp://UsEr:PaSsWoRd@www.EXAMPLE.com/",
      "credentials never reach a key; host of an unknown scheme is opaque",
    ],
    ["http://user@例え.jp/path", "credentials never reach a key"],
    ["http://user:pass@例え.jp:8080/p", "credentials never reach a key"],
    ["http://.éxamplé.com/résumé?q=résumé", "WHATWG turns the host into ASCII, empty label and all"],
  ]);
  const relative = ["a#frag", "a?b=1#frag", "?b=1"];

  test("each key equals that of w3lib, or the difference is listed", () => {
    const different = load()
      .filter(({ input, options }) => Object.keys(options).length === 0 && !relative.includes(input))
      .filter(({ input, expected }) => canonicalUrl(input) !== expected)
      .map(({ input }) => input);
    assert.deepEqual(different, [...differences.keys()]);
  });

  test("keys are their own keys, and spellings of one URL share one", () => {
    const keyOf = new Map<string, string>();
    for (const { input, options, expected } of load().filter((v) => !relative.includes(v.input))) {
      const key = canonicalUrl(input);
      assert.equal(canonicalUrl(key), key);
      if (Object.keys(options).length > 0) continue;
      assert.equal(keyOf.get(expected) ?? key, key, input);
      keyOf.set(expected, key);
    }
    assert.ok(keyOf.size > 30);
  });

  test("relative URLs, which w3lib accepts, are refused", () => {
    for (const input of relative) assert.throws(() => canonicalUrl(input), badUrl);
  });
});

const same = (...spellings: string[]) =>
  assert.equal(new Set(spellings.map((spelling) => canonicalUrl(spelling))).size, 1);
const distinct = (...urls: string[]) =>
  assert.equal(new Set(urls.map((url) => canonicalUrl(url))).size, urls.length);

const parametersByName = (href: string) =>
  [...new URL(href).searchParams].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

const escaped = (text: string) =>
  text.replace(/[a-zA-Z0-9~_-]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);

describe("keys", () => {
  test("spellings of one URL have the same key", () => {
    same("HTTP://Example.ORG:80/a/../b", "http://example.org/b", "http://u:p@example.org/b?#top");
    same("https://example.org/~a-b", "https://example.org/%7Ea%2db", "https://example.org/%7ea%2Db");
    same("https://example.org/a|b", "https://example.org/a%7cb");
    same("https://example.org/100%", "https://example.org/100%25");
    same("https://example.org/?q=a+b&c", "https://example.org/?c=&q=a%20b", "https://example.org/?&c&q=a b");
  });

  test("URLs that a site may answer differently have different keys", () => {
    distinct(
      "https://example.org/a",
      "https://example.org/a/",
      "http://example.org/a",
      "https://example.org/A",
    );
    distinct("https://example.org/a/b", "https://example.org/a%2Fb", "https://example.org/a//b");
    distinct("https://example.org/a+b", "https://example.org/a%20b", "https://example.org/a%2Bb");
    distinct("https://example.org/?a=1&b=2", "https://example.org/?a=1%26b=2");
    distinct("https://example.org/?a=1&a=2", "https://example.org/?a=2&a=1");
    distinct(
      "https://example.org/#/a",
      "https://example.org/#/b",
      "https://example.org/#!c",
      "https://example.org/",
    );
    distinct("https://example.org/?q=%E9", "https://example.org/?q=%C3%A9");
  });

  test("a stray percent sign does not form a new escape with decoded characters", () => {
    distinct("https://example.org/%%411", "https://example.org/%A1");
  });

  test("tracking parameters are left out only where asked for", () => {
    const url = "https://example.org/?utm_source=x&id=1&gclid=y&utmost=z";
    assert.equal(canonicalUrl(url), "https://example.org/?gclid=y&id=1&utm_source=x&utmost=z");
    assert.equal(canonicalUrl(url, { dropTracking: true }), "https://example.org/?id=1&utmost=z");
  });

  test("the error does not repeat its input", () => {
    assert.throws(
      () => canonicalUrl("http://u:secret@[/"),
      (error) => error instanceof BadUrlError && !inspect(error).includes("secret"),
    );
  });

  const rest = fc.string({
    unit: fc.constantFrom(
      "a",
      "B",
      "%",
      "2",
      "f",
      "E",
      "/",
      ".",
      "?",
      "&",
      "=",
      "+",
      " ",
      "|",
      "é",
      "#",
      "!",
      "\\",
      ";",
    ),
    maxLength: 24,
  });

  test("every key is its own key", () => {
    fc.assert(
      fc.property(rest, fc.boolean(), (text, dropTracking) => {
        const key = canonicalUrl(`https://example.org/${text}`, { dropTracking });
        assert.equal(canonicalUrl(key, { dropTracking }), key);
      }),
      { numRuns: 5000 },
    );
  });

  test("the key has the same parameters as the URL, as a form reader sees them", () => {
    fc.assert(
      fc.property(rest, (text) => {
        const href = `https://example.org/?${text}`;
        assert.deepEqual(parametersByName(canonicalUrl(href)), parametersByName(href));
      }),
      { numRuns: 5000 },
    );
  });

  test("escaping any unreserved character, in path or query, does not change the key", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "Z", "0", "~", "_", "-"), maxLength: 8 });
    fc.assert(
      fc.property(word, word, word, (path, name, value) => {
        assert.equal(
          canonicalUrl(`https://example.org/x${escaped(path)}?y${escaped(name)}=${escaped(value)}`),
          canonicalUrl(`https://example.org/x${path}?y${name}=${value}`),
        );
      }),
    );
  });
});
