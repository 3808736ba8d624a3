import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { test } from "node:test";
import { buildTree, scanTree } from "../build-tree.ts";
import { answerByDocument } from "./answer-by-document.ts";
import { addOutline, byName, treeOutline } from "../testing/outline.ts";
import type { Outline } from "../testing/outline.ts";
import type { PageQuery } from "./page-query.ts";
import { compileStream } from "./stream-matcher.ts";

const SUITE = resolve(import.meta.dirname, "../../../../shared/testdata/html5lib/tree-construction");
const skip = existsSync(SUITE) ? false : "no shared testdata beside the checkout";

/** Cases in which our tree is another one, by their text, each with the reason. There are none. */
const DIFFERENT: ReadonlyMap<string, string> = new Map();

interface Case {
  readonly page: string;
  readonly tree: Outline[];
}

/** The cases of whole documents with scripting off. */
function casesIn(file: string): Case[] {
  const sections = `\n${readFileSync(file, "utf8")}`.split("\n#data\n").slice(1);
  return sections
    .filter((section) => !/\n#(?:document-fragment|script-on)\n/.test(section))
    .map((section) => ({
      page: section.slice(0, section.indexOf("\n#errors")),
      tree: outlineOf(section.slice(section.indexOf("\n#document\n") + 11)),
    }));
}

/**
 * The dump of a tree without what no selector can tell: comments, the doctype, namespaces, and the case of attribute names. The
 * content of a template counts as its own.
 */
function outlineOf(dump: string): Outline[] {
  const top: Outline[] = [];
  const open: { depth: number; children: Outline[]; attributes: [string, string][] }[] = [
    { depth: -1, children: top, attributes: [] },
  ];
  for (const indented of `\n${dump.replace(/\n+$/, "")}`.split("\n| ").slice(1)) {
    const line = indented.replace(/^ +/, "");
    const depth = (indented.length - line.length) / 2;
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
    const parent = open.at(-1);
    const text = /^"([^]*)"$/.exec(line);
    const element = /^<(?:svg |math )?([^!?][^ ]*)>$/.exec(line);
    const attribute = /^([^<"][^=]*)="([^]*)"$/.exec(line);
    if (parent === undefined) assert.fail(dump);
    else if (text) addOutline(parent.children, text[1] ?? "");
    else if (line.startsWith("<!")) continue;
    else if (element) {
      const children: Outline[] = [];
      const attributes: [string, string][] = [];
      parent.children.push([element[1] ?? "", attributes, children]);
      open.push({ depth, children, attributes });
    } else if (attribute) {
      parent.attributes.push([(attribute[1] ?? "").replace(" ", ":").toLowerCase(), attribute[2] ?? ""]);
      parent.attributes.sort(byName);
    } else if (line === "content")
      open.push({ depth, children: parent.children, attributes: parent.attributes });
  }
  return top;
}

const query = (css: string, take: PageQuery["take"]): PageQuery => ({ css, take, isMany: true });
const queries = [query("*", "raw"), query("*", { attribute: "id" }), query("body *:nth-child(2)", "text")];
const stream = compileStream({ page: queries });

test(
  "every document of the html5lib suite is read as the standard says, also by the streaming scan",
  { skip },
  (t) => {
    let count = 0;
    let scanned = 0;
    for (const file of globSync("*.dat", { cwd: SUITE }).sort()) {
      for (const { page, tree } of casesIn(join(SUITE, file))) {
        count++;
        const where = `${basename(file)}: ${JSON.stringify(page)}`;
        if (scanTree(page) !== undefined) scanned++;
        if (DIFFERENT.has(page)) assert.notDeepEqual(treeOutline(buildTree(page)), tree, where);
        else assert.deepEqual(treeOutline(buildTree(page)), tree, where);
        assert.deepEqual(stream.run(page), answerByDocument(page, queries, undefined, []), where);
      }
    }
    t.diagnostic(`${count} documents, ${scanned} of them in one pass`);
    assert.ok(count >= 1260, `only ${count} cases`);
  },
);
