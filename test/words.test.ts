import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const ROOT = resolve(import.meta.dirname, "..");

/** Words that earlier versions used in names, and the word of the field that replaced each. */
const PRIVATE_WORDS: Readonly<Record<string, string>> = {
  "[Hh]ouse": "storage or context",
  "[Dd]esk": "route context, slot scheduler",
  "[Bb]ell": "wake signal",
  "[Ss]helf": "catalog or index",
  "[Cc]ard": "info",
  "[Dd]oor": "cache",
  "[Dd]ut(?:y|ies)": "maintenance task",
  "[Ss]teer(?:ed|ing|s)?": "control",
  "[Ww]orkshop": "devtools",
  "[Rr]eadyScraper": "compiled scraper",
  "[Gg]round": "test kit",
  "[Ww]orld": "test kit",
  inHand: "inFlight",
  "[Ss]trangers?": "unauthenticated",
  "[Ff]urniture": "boilerplate",
};

/** Names of stored tables and columns stay as they are. Example pages have words of their own. */
const EXEMPT =
  /^(docs\/glossary\.md|docs\/debugging\.md|CHANGELOG\.md|test\/words\.test\.ts|test\/ledgers\/|bench\/peers\/|examples\/|templates\/|.*\/fixtures\/)/;
/** Words of a protocol that is not ours. */
const FOREIGN = /\bworldName\b/g;
const STORED = /\b(client_cards|worker_cards|old_worker_cards|card|duties|duty)\b/g;

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.(ts|js|cjs|md)$/.test(file) && !EXEMPT.test(file) && existsSync(join(ROOT, file)));

/** Identifiers and comments, without the text of strings. */
const codeOf = (file: string, text: string): string => {
  if (!/\.(ts|js|cjs)$/.test(file)) return text;
  const bare = text
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""')
    .replace(FOREIGN, "");
  return file.startsWith("src/backends/") || file.startsWith("src/ledger/") ? bare.replace(STORED, "") : bare;
};

test("names use the words of the field, not private ones", () => {
  const found: string[] = [];
  for (const file of files) {
    const text = codeOf(file, readFileSync(join(ROOT, file), "utf8"));
    for (const [word, better] of Object.entries(PRIVATE_WORDS)) {
      // A whole word, or a part of a camel-case name.
      const part = new RegExp(`(?<![A-Za-z])(?:[a-z]+)?${word}(?![a-z])`, "g");
      for (const [name] of text.matchAll(part))
        if (new RegExp(`^${word}$|[a-z]${word.replace(/^\[(.).\]/, "$1")}$`).test(name))
          found.push(`${file}: ${name} → ${better}`);
    }
  }
  assert.deepEqual([...new Set(found)], []);
});
