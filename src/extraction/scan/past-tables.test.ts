import assert from "node:assert/strict";
import { test } from "node:test";
import { buildTree } from "../build-tree.ts";
import { Dice } from "../testing/dice.ts";
import { shortened } from "../testing/random-page.ts";
import { HtmlScanner } from "./html-scanner.ts";
import type { ScanSink } from "./tree-state.ts";

interface Reading {
  /** The elements up to the first one with the id `x`, each as its tag, place and depth; undefined where the page needs repair. */
  readonly elements: string[] | undefined;
  /** Whether the rest was left unread. */
  readonly isCut: boolean;
}

/** An element without a tag of its own has no certain place. */
const described = (page: string, tag: string, at: number, depth: number): string =>
  `${tag} ${page.startsWith(`<${tag}`, at) ? at : "implied"} ${depth}`;

/** Reads a page as a query does that has all its answers with the start tag of `#x`. */
function readToX(page: string): Reading {
  const elements: string[] = [];
  let depth = 0;
  let isCut = true;
  const sink: ScanSink = {
    opens(kind, at) {
      if (scanner.isDone) isCut = false;
      else {
        elements.push(described(page, kind.name, at, ++depth));
        const { attributes } = scanner;
        scanner.isDone =
          attributes.idPlace >= attributes.first && attributes.valueAt(attributes.idPlace) === "x";
      }
      scanner.attributes.forget();
    },
    closes() {
      depth--;
    },
    text: () => undefined,
  };
  const scanner = new HtmlScanner(page, sink);
  scanner.run();
  return { elements: scanner.reason === undefined ? elements : undefined, isCut: isCut && scanner.isDone };
}

const treeOf = (page: string): string[] => {
  const depths = new Map<unknown, number>();
  return buildTree(page).elements.map((element) => {
    const depth = (depths.get(element.parent) ?? 0) + 1;
    depths.set(element, depth);
    return described(page, element.tag, element.at, depth);
  });
};

/** Whether what was found before the cut is not how the tree begins. */
const isWrong = (page: string): boolean => {
  const { elements } = readToX(page);
  return elements !== undefined && elements.join() !== treeOf(page).slice(0, elements.length).join();
};

const PARTS = "table tr td th tbody thead tfoot caption col colgroup".split(" ");
const CONTENT = (
  "b i a nobr p div li ul h1 h2 form input br img button select option object svg math desc template script style textarea title " +
  "xmp iframe plaintext frameset body html span x-y"
).split(" ");
const SCRAPS = (
  "text|&#32;|&nbsp;|<|</|< |</1>|<!--<td>-->|<!-->|<!d>|<?x>|<![CDATA[x]]>|<p title='<td>'>|<a b=\"x>y\">|<td ='x>|<b c=d='e>|" +
  "<input type=hidden>|<script><td></script>|<textarea></table></textarea>|</td |<td/>|\0"
).split("|");

function randomTables(dice: Dice): string {
  const before = ["<b>", "<div>", "<b><div>", "<b><p>", "<a>", "<form>", "<object>", "<center>"];
  let page = `<body>${dice.chance(50) ? dice.pick(before) : ""}`;
  const add = (pieces: number): void => {
    for (let count = 0; count < pieces; count++) {
      const kind = dice.number(100);
      const name = dice.pick(dice.chance(70) ? PARTS : CONTENT);
      if (kind < 40) page += `<${name}>`;
      else if (kind < 75) page += `</${name}>`;
      else if (kind < 92) page += dice.pick(["\n ", " ", ""]);
      else page += dice.pick(SCRAPS);
    }
  };
  page += dice.pick([
    "<table>",
    "<table><tr><td>",
    "<table><tbody><tr>\n<td>a</td> <td>",
    "<table><caption>",
  ]);
  add(dice.number(4));
  page += dice.pick(["<td id=x>", "<tr id=x>", "<b id=x>", "<div id=x>x</div>", "<table id=x>", "<p id=x>"]);
  add(1 + dice.number(16));
  return page;
}

/** `SLUICE_RANDOM_PAGES=100000 npm test -- past-tables` for more. */
const PAGES = Number(process.env["SLUICE_RANDOM_PAGES"] ?? 10_000);

test(`on ${PAGES} random pages with tables, the rest after the last answer is skipped only if it moves nothing`, () => {
  const dice = new Dice();
  let cut = 0;
  for (let count = 0; count < PAGES; count++) {
    const page = randomTables(dice);
    if (readToX(page).isCut) cut++;
    if (!isWrong(page)) continue;
    const shortest = shortened(page, isWrong);
    const { elements } = readToX(shortest);
    assert.deepEqual(
      elements,
      treeOf(shortest).slice(0, elements?.length),
      `${JSON.stringify(shortest)}, seed ${dice.seed}`,
    );
  }
  assert.ok(cut > PAGES / 10, `only ${cut} of ${PAGES} pages were left unread`);
});

test("cells, comments and scripts after the last answer are skipped; what may be moved is read", () => {
  const start = "<body><table><tr><td><table><tr><td id=x>1";
  const isCut = (rest: string): boolean => readToX(start + rest).isCut;
  for (const rest of [
    "</td><td><b>2</b><p>3</td></tr></table></td></tr></table><p>4",
    "<td>2<tr><th>3<tbody><tr><td>4</table><td>5<img alt='>'></table><p>6",
    "</table><!-- <p> --><script><p></script></table><p>4",
    "<table><caption>2<col><tr><td>3</table><td>4</table>",
    "</td></tr> <tr> <td>2",
  ])
    assert.ok(isCut(rest), rest);
  for (const rest of [
    "</td>2<td><p>",
    "</td><p>2",
    "</td></p><td><p>",
    "<svg></td></svg><p>",
    "</table><body><p>",
  ])
    assert.ok(!isCut(rest), rest);
  assert.equal(readToX(`${start}</td>2`).elements, undefined);
});
