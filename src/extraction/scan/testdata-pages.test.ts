import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { test } from "node:test";
import { buildTree, scanTree } from "../build-tree.ts";
import type { TreeElement } from "../html-tree.ts";
import { answerByDocument } from "./answer-by-document.ts";
import { Dice } from "../testing/dice.ts";
import { treeOutline } from "../testing/outline.ts";
import { Reference } from "../testing/reference.ts";
import { HtmlScanner } from "./html-scanner.ts";
import type { PageQuery, Taken } from "./page-query.ts";
import { compileStream } from "./stream-matcher.ts";
import type { ScanSink } from "./tree-state.ts";

const TESTDATA = resolve(import.meta.dirname, "../../../../shared/testdata");
const skip = existsSync(TESTDATA) ? false : "no shared testdata beside the checkout";
const FOLDERS = "{pages,blockpages,recordings}";

const EVERYWHERE: readonly [css: string, take: Taken][] = [
  ["title", "text"],
  ["html", { attribute: "lang" }],
  ["meta[property^='og:']", { attribute: "content" }],
  ["script[type='application/ld+json']", "raw"],
  ["a[href]", "link"],
  ["h1, h2, h3", "text"],
  ["li:first-child", "html"],
  ["div > p + p", "text"],
  ["p ~ ul li:nth-of-type(2n+1)", "text"],
  ["body *:not(div):not(span)", { attribute: "class" }],
];

/** Selectors as a person might write them for elements that the page does have. */
function derived(elements: readonly TreeElement[], dice: Dice): string[] {
  const simple = (element: TreeElement): string => {
    const { tag } = element;
    const id = element.attribute("id");
    const name = element.attribute("class")?.split(/\s+/)[0];
    if (id !== undefined && isPlain(id)) return dice.pick([`#${id}`, `${tag}#${id}`, `[id="${id}"]`]);
    if (name !== undefined && isPlain(name))
      return dice.pick([`.${name}`, `${tag}.${name}`, `[class*=${name}]`]);
    return isPlain(tag) ? tag : "*";
  };
  return Array.from({ length: 40 }, () => {
    const element = dice.pick(elements);
    const { parent } = element;
    const own =
      simple(element) + dice.pick(["", "", "", ":first-child", ":nth-child(2)", ":nth-of-type(odd)"]);
    return parent?.parent == null ? own : simple(parent) + dice.pick([" ", " > "]) + own;
  });
}

const isPlain = (name: string): boolean => /^[a-z][\w-]*$/i.test(name);

for (const file of skip ? [] : globSync(`${FOLDERS}/**/*.html`, { cwd: TESTDATA }).sort()) {
  test(`${file}: a single pass, the document and css-select agree`, () => {
    const page = readFileSync(join(TESTDATA, file), "utf8");
    const dice = new Dice();
    const tree = buildTree(page);
    const { elements } = tree;
    const reference = new Reference(page);
    assert.deepEqual(treeOutline(tree), reference.outline());
    const queries: PageQuery[] = [
      ...EVERYWHERE.map(([css, take]) => ({ css, take, isMany: true })),
      ...derived(elements, dice).map((css): PageQuery => ({
        css,
        take: dice.pick(["text", "raw", "html"]),
        isMany: dice.chance(80),
      })),
    ];
    const row: PageQuery[] = ["a", "> *", "b, span"].map((css) => ({ css, take: "text", isMany: true }));
    const each = dice.pick(["li", "tr", "div div", "p"]);
    const where = `seed ${dice.seed}`;

    const matcher = compileStream({ page: queries, each, row });
    assert.ok([...matcher.canStream, matcher.canStreamEach, ...matcher.canStreamRow].every(Boolean));
    const answers = matcher.run(page);
    assert.deepEqual(answers, answerByDocument(page, queries, each, row), where);
    for (const [index, { css, isMany }] of queries.entries()) {
      const found = reference.find(css).map((at) => elements[at]?.at);
      const places: number[] | undefined = answers.page[index]?.map(({ at }) => at);
      assert.deepEqual(places, isMany ? found : found.slice(0, 1), `${css}, ${where}`);
    }
    assert.ok(answers.page.flat().length > 0);
  });
}

const EXAMPLES = resolve(import.meta.dirname, "../../..");

test("few real pages need repair", { skip }, (t) => {
  const reasons = new Map<string, string[]>();
  const pages = [
    ...globSync(`{pages,blockpages,recordings,quotes-toscrape}/**/*.html`, { cwd: TESTDATA }).map((file) =>
      join(TESTDATA, file),
    ),
    ...globSync(`{examples,src}/**/*.html`, { cwd: EXAMPLES }).map((file) => join(EXAMPLES, file)),
  ];
  for (const file of pages) {
    const page = readFileSync(file, "utf8");
    if (scanTree(page) !== undefined) continue;
    const reason = repairReason(page);
    reasons.set(reason, [...(reasons.get(reason) ?? []), relative(TESTDATA, file)]);
  }
  const repaired = [...reasons.values()].flat().length;
  t.diagnostic(`${repaired} of ${pages.length} pages leave the single pass`);
  for (const [reason, files] of reasons) t.diagnostic(`${reason}: ${files.join(", ")}`);
  assert.ok(pages.length >= 30 && repaired <= pages.length / 10, `${repaired} of ${pages.length}`);
});

function repairReason(page: string): string {
  const nothing: ScanSink = { opens: () => undefined, closes: () => undefined, text: () => undefined };
  const scanner = new HtmlScanner(page, nothing);
  scanner.run();
  return scanner.reason ?? "a second pass";
}

test("there are test pages", { skip }, () => {
  assert.ok(globSync(`${FOLDERS}/**/*.html`, { cwd: TESTDATA }).length >= 20);
});
