import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseRobots } from "./robots.ts";

/** What it is about, the file (lines separated by `|`), the URL's path, whether it may be fetched, and by whom if not by Sluice. */
type Vector = readonly [what: string, file: string, path: string, allowed: boolean, agent?: string];

const all = (...rules: readonly string[]): string => ["user-agent: *", ...rules].join("|");

const ENCODING: readonly Vector[] = [
  ["an escaped tilde in the URL", all("disallow: /~joe/"), "/%7Ejoe/index.html", false],
  ["an escaped tilde in the rule", all("disallow: /%7Ejoe/"), "/~joe/index.html", false],
  ["an escaped tilde in small letters", all("disallow: /%7ejoe/"), "/~joe/", false],
  ["an escaped tilde in both", all("disallow: /%7ejoe/"), "/%7Ejoe/", false],
  ["an allowed path whose URL is escaped", all("disallow: /", "allow: /~joe/"), "/%7Ejoe/a", true],
  ["escaped letters in the rule", all("disallow: /foo/bar/%62%61%7A"), "/foo/bar/baz", false],
  ["escaped letters in the URL", all("disallow: /foo/bar/baz"), "/foo/bar/%62%61%7A", false],
  ["escaped letters in both", all("disallow: /foo/bar/%62%61%7A"), "/foo/bar/%62%61%7A", false],
  ["only some letters escaped", all("disallow: /foo/b%61r"), "/f%6Fo/bar", false],
  ["an escaped hyphen, dot and underscore", all("disallow: /a-b.c_d"), "/a%2Db%2Ec%5Fd", false],
  ["an escaped slash is not a slash", all("disallow: /a/b"), "/a%2Fb", true],
  ["an escaped slash is an escaped slash", all("disallow: /a%2fb"), "/a%2Fb", false],
  ["a slash is not an escaped slash", all("disallow: /a%2Fb"), "/a/b", true],
  ["an escaped question mark is part of the path", all("disallow: /a?b"), "/a%3Fb", true],
  ["an escaped ampersand separates nothing", all("disallow: /a?b&c"), "/a?b%26c", true],
  ["an escaped plus is no space", all("disallow: /a?q=b%2Bc"), "/a?q=b+c", true],
  ["a colon in a path", all("disallow: /wiki/Special:"), "/wiki/Special%3ASearch", false],
  ["an escaped colon in a rule", all("disallow: /wiki/Special%3A"), "/wiki/Special:Search", false],
  ["an escaped at sign", all("disallow: /@user"), "/%40user", false],
  ["brackets in a query", all("disallow: /s?f[0]="), "/s?f%5B0%5D=x", false],
  ["escaped brackets in a rule", all("disallow: /s?f%5B"), "/s?f[0]=x", false],
  [
    "a URL in a query, as the RFC's table has it",
    all("disallow: /foo/bar?baz=https://foo.bar"),
    "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
    false,
  ],
  [
    "the same the other way round",
    all("disallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar"),
    "/foo/bar?baz=https://foo.bar",
    false,
  ],
  ["raw braces in a rule", all("disallow: /{id}/edit"), "/%7Bid%7D/edit", false],
  ["raw braces in rule and URL", all("disallow: /{id}/"), "/{id}/edit", false],
  ["escaped braces in a rule", all("disallow: /%7bid%7d/"), "/{id}/edit", false],
  ["raw braces that are allowed", all("disallow: /", "allow: /{open}/"), "/%7Bopen%7D/1", true],
  ["a raw double quote", all('disallow: /a"b'), "/a%22b", false],
  ["a raw caret in a rule", all("disallow: /a^b"), "/a%5Eb", false],
  ["a raw caret in the URL", all("disallow: /a%5Eb"), "/a^b", false],
  ["a raw control character, backslash and backtick", all("disallow: /a\u0001b\\c`"), "/a%01b%5Cc%60", false],
  ["raw angle brackets", all("disallow: /<b>"), "/%3Cb%3E", false],
  ["a space within a rule", all("disallow: /my files/"), "/my%20files/1", false],
  ["a percent sign that begins no escape", all("disallow: /100%"), "/100%25-cotton", false],
  ["a percent sign in the URL that begins no escape", all("disallow: /100%25"), "/100%-cotton", false],
  ["letters beyond ASCII", all("disallow: /Straße"), "/Stra%C3%9Fe/1", false],
  ["small letters in an escape", all("disallow: /Stra%c3%9fe"), "/Stra%C3%9Fe/1", false],
  ["a character of four octets", all("disallow: /😀"), "/%F0%9F%98%80", false],
  ["another letter beyond ASCII", all("disallow: /Straße"), "/Stra%C3%9Ce", true],
  ["the case of letters that are not escapes", all("disallow: /Foo"), "/foo", true],
];

const WILDCARDS: readonly Vector[] = [
  ["a star in the middle", all("disallow: /a*z"), "/a/b/c/z/1", false],
  ["a star for nothing", all("disallow: /a*z"), "/az", false],
  ["a star at the end changes nothing", all("disallow: /fish*"), "/fishheads/yummy.html", false],
  ["several stars", all("disallow: /*/private/*/x"), "/1/private/2/3/x", false],
  ["several stars, out of order", all("disallow: /*/a/*/b"), "/x/b/x/a/", true],
  ["stars side by side", all("disallow: /a***z"), "/abcz", false],
  ["a star before the slash", all("disallow: */print"), "/page/print", false],
  ["a star across the query", all("disallow: /*.php?"), "/x.php?y=1", false],
  ["a star and a parameter", all("disallow: /*?*sort="), "/list?page=2&sort=up", false],
  ["a star and no parameter", all("disallow: /*?*sort="), "/list/sort=up", true],
  ["the end of the path", all("disallow: /*.pdf$"), "/a/b.pdf", false],
  ["not the end of the path", all("disallow: /*.pdf$"), "/a/b.pdf?download", true],
  ["the end needs the last occurrence", all("disallow: /*.pdf$"), "/a.pdf/b.pdf", false],
  ["the end of the root", all("disallow: /$"), "/", false],
  ["the root's end is not elsewhere", all("disallow: /$"), "/a", true],
  ["a star before the end", all("disallow: /a*$"), "/abc?d", false],
  ["a dollar sign in the middle is itself", all("disallow: /a$b"), "/a$bc", false],
  ["a dollar sign in the middle, escaped in the URL", all("disallow: /a$b"), "/a%24bc", false],
  ["an escaped dollar sign is no end", all("disallow: /price%24"), "/price$list", false],
  ["an escaped dollar sign is no end of anything", all("disallow: /price%24"), "/price", true],
  ["an escaped star is itself", all("disallow: /a%2A.html"), "/a*.html", false],
  ["an escaped star stands for nothing else", all("disallow: /a%2A.html"), "/ab.html", true],
  ["a star in the URL", all("disallow: /a*.html"), "/a*.html", false],
  ["the longest rule decides", all("disallow: /shop", "allow: /shop/open"), "/shop/open/1", true],
  [
    "the longest rule decides, whatever the order",
    all("allow: /shop/open", "disallow: /shop/open/1"),
    "/shop/open/1",
    false,
  ],
  ["allow wins a tie", all("disallow: /page", "allow: /page"), "/page", true],
  ["allow wins a tie of two spellings", all("disallow: /%7Ejoe", "allow: /~joe"), "/~joe", true],
  ["stars count as octets", all("allow: /page", "disallow: /*.html"), "/page.html", false],
  ["an empty disallow forbids nothing", all("disallow:"), "/x", true],
  ["an empty allow allows nothing", all("allow:", "disallow: /x"), "/x", false],
  ["a rule is for a prefix, not for a folder", all("disallow: /fish"), "/fishing", false],
  ["a rule of a folder is not for its name", all("disallow: /fish/"), "/fish", true],
  ["a query without a path", all("disallow: /?q"), "?q=1", false],
  ["a rule without its slash matches nothing", all("disallow: private"), "/private", true],
];

const OWN = "user-agent: sluice|disallow: /own|";

const GROUPS: readonly Vector[] = [
  ["a delay for everyone", "user-agent: *|crawl-delay: 10||user-agent: badbot|disallow: /", "/", true],
  [
    "a delay for everyone, and no empty line",
    "user-agent: *|crawl-delay: 10|user-agent: badbot|disallow: /",
    "/",
    true,
  ],
  [
    "who is forbidden stays so",
    "user-agent: *|crawl-delay: 10||user-agent: badbot|disallow: /",
    "/",
    false,
    "badbot",
  ],
  [
    "a sitemap for everyone",
    "user-agent: *|sitemap: https://a.example/s.xml||user-agent: badbot|disallow: /",
    "/",
    true,
  ],
  [
    "the next group has its rules",
    "user-agent: *|sitemap: https://a.example/s.xml||user-agent: badbot|disallow: /",
    "/",
    false,
    "badbot",
  ],
  [
    "another directive for everyone",
    "user-agent: *|host: a.example||user-agent: badbot|disallow: /",
    "/",
    true,
  ],
  [
    "an empty group for everyone between two",
    "user-agent: a|disallow: /a||user-agent: *|crawl-delay: 1||user-agent: b|disallow: /",
    "/",
    true,
  ],
  [
    "a group for everyone that comes again",
    "user-agent: *|sitemap: https://a.example/s.xml|user-agent: *|disallow: /x",
    "/x",
    false,
  ],
  [
    "a sitemap between agent and rules",
    "user-agent: *|sitemap: https://a.example/s.xml|disallow: /x",
    "/x",
    false,
  ],
  ["a delay between agent and rules", "user-agent: *|crawl-delay: 3|disallow: /x", "/x", false],
  [
    "a sitemap between two rules",
    all("disallow: /x", "sitemap: https://a.example/s.xml", "disallow: /y"),
    "/y",
    false,
  ],
  [
    "a sitemap after another agent's name",
    "user-agent: sluice|sitemap: https://a.example/s.xml|user-agent: *|disallow: /x",
    "/x",
    false,
  ],
  [
    "agents in a row share their rules",
    "user-agent: a|user-agent: sluice|user-agent: b|disallow: /x",
    "/x",
    false,
  ],
  [
    "an empty line between agents ends nothing",
    "user-agent: sluice||user-agent: b|disallow: /x",
    "/x",
    false,
  ],
  [
    "a comment between agents ends nothing",
    "user-agent: sluice|# the others|user-agent: b|disallow: /x",
    "/x",
    false,
  ],
  ["an own group hides that of everyone", `${OWN}|${all("disallow: /all")}`, "/all", true],
  [
    "an own group without rules does so too",
    `user-agent: sluice|disallow:||${all("disallow: /")}`,
    "/all",
    true,
  ],
  [
    "two own groups are one",
    `${OWN}|${all("disallow: /")}||user-agent: sluice|disallow: /more`,
    "/more",
    false,
  ],
  [
    "two own groups are one, the first too",
    `${OWN}|${all("disallow: /")}||user-agent: sluice|disallow: /more`,
    "/own",
    false,
  ],
  [
    "two groups for everyone are one",
    `${all("disallow: /a")}||user-agent: b|disallow: /||${all("disallow: /c")}`,
    "/c",
    false,
  ],
  ["an agent's name in capitals", "User-Agent: SLUICE|Disallow: /x", "/x", false],
  ["an agent's name with a version", "user-agent: Sluice/2.1|disallow: /x", "/x", false],
  ["an agent's name with words after it", "user-agent: Sluice the crawler|disallow: /x", "/x", false],
  ["a longer name is another agent", "user-agent: sluicebot|disallow: /x", "/x", true],
  ["a shorter name is another agent", "user-agent: slui|disallow: /x", "/x", true],
  [
    "a header's value finds its product",
    "user-agent: sluice|disallow: /x",
    "/x",
    false,
    "Sluice/1.0 (+https://a.example)",
  ],
  ["rules before any agent are nobody's", "disallow: /x|user-agent: *|disallow: /y", "/x", true],
  ["no group at all", "user-agent: other|disallow: /", "/x", true],
  ["a comment after a rule", all("disallow: /x # not this"), "/x", false],
  ["a comment that hides a rule", all("# disallow: /x"), "/x", true],
  ["a number sign in a rule is a comment", all("disallow: /x#y"), "/xz", false],
  ["white space around everything", "  User-agent :  *  |\tDisallow\t:\t/x\t", "/x", false],
  ["names in any case", "USER-AGENT: *|DISALLOW: /x", "/x", false],
  ["a missing colon", "user-agent *|disallow /x", "/x", false],
  ["an empty file", "", "/x", true],
  ["a page instead of a file", "<!doctype html>|<html><body>Not: here</body></html>", "/x", true],
];

const check = ([what, file, path, allowed, agent = "Sluice"]: Vector, lineEnd: string): void => {
  const robots = parseRobots(file.split("|").join(lineEnd));
  assert.equal(robots.allows(agent, `https://a.example${path}`), allowed, what);
};

for (const [name, vectors] of Object.entries({ ENCODING, WILDCARDS, GROUPS }))
  describe(name.toLowerCase(), () => {
    for (const vector of vectors) test(vector[0], () => check(vector, "\n"));
  });

test("lines may end in any way, and a byte order mark may come first", () => {
  for (const vector of [...ENCODING, ...WILDCARDS, ...GROUPS]) {
    for (const lineEnd of ["\r\n", "\r"]) check(vector, lineEnd);
    const [what, file, ...rest] = vector;
    check([what, `\uFEFF${file}`, ...rest], "\n");
  }
});
