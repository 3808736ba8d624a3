import assert from "node:assert/strict";
import { test } from "node:test";
import { buildTree } from "../build-tree.ts";
import { answerByDocument } from "./answer-by-document.ts";
import { Dice } from "../testing/dice.ts";
import { randomPage, shortened } from "../testing/random-page.ts";
import { randomRowSelector, randomSelector } from "../testing/random-selector.ts";
import { Reference } from "../testing/reference.ts";
import type { Match, PageQuery, Taken } from "./page-query.ts";
import { compileStream } from "./stream-matcher.ts";
import type { StreamMatcher, StreamSpec } from "./stream-matcher.ts";

const all = (css: string, take: Taken = "text"): PageQuery => ({ css, take, isMany: true });
const first = (css: string, take: Taken = "text"): PageQuery => ({ css, take, isMany: false });
const texts = (matches: readonly Match[] | undefined): (string | undefined)[] | undefined =>
  matches?.map(({ text }) => text);
const ask = (page: string, ...queries: PageQuery[]): unknown[] =>
  compileStream({ page: queries }).run(page).page.map(texts);

const TAKES: readonly Taken[] = [
  "text",
  "text",
  "raw",
  "html",
  "link",
  { attribute: "data-x" },
  { attribute: "id" },
];
type Spec = StreamSpec & { readonly row: readonly PageQuery[] };

function randomSpec(dice: Dice): Spec {
  const query = (css: string): PageQuery => ({ css, take: dice.pick(TAKES), isMany: dice.chance(50) });
  const page = Array.from({ length: 1 + dice.number(5) }, () => query(randomSelector(dice)));
  if (dice.chance(50)) return { page, row: [] };
  const row = Array.from({ length: 1 + dice.number(3) }, () => query(randomRowSelector(dice)));
  return { page, each: randomSelector(dice), row };
}

const streamedOnly = (queries: readonly PageQuery[], can: readonly boolean[]): (PageQuery | undefined)[] =>
  queries.map((query, at) => (can[at] === true ? query : undefined));

const byDocument = (page: string, spec: Spec, matcher: StreamMatcher): unknown =>
  answerByDocument(
    page,
    streamedOnly(spec.page, matcher.canStream),
    matcher.canStreamEach ? spec.each : undefined,
    streamedOnly(spec.row, matcher.canStreamRow),
  );

/** `SLUICE_RANDOM_PAGES=100000 npm test -- stream-matcher` for more. */
const PAGES = Number(process.env["SLUICE_RANDOM_PAGES"] ?? 10_000);
const PAGES_A_SPEC = 10;

test(`on ${PAGES} random pages, a single pass gives what the document gives`, () => {
  const dice = new Dice();
  let streamed = 0;
  let matches = 0;
  let rowMatches = 0;
  for (let count = 0; count < PAGES; count += PAGES_A_SPEC) {
    const spec = randomSpec(dice);
    const matcher = compileStream(spec);
    streamed += matcher.canStream.filter(Boolean).length / spec.page.length;
    for (let more = 0; more < PAGES_A_SPEC; more++) {
      const page = randomPage(dice);
      const ours = matcher.run(page);
      matches += ours.page.flat().length;
      rowMatches += ours.rows.flatMap(({ answers }) => answers.flat()).length;
      if (JSON.stringify(ours) === JSON.stringify(byDocument(page, spec, matcher))) continue;
      const shortest = shortened(
        page,
        (shorter) =>
          JSON.stringify(matcher.run(shorter)) !== JSON.stringify(byDocument(shorter, spec, matcher)),
      );
      const where = `${JSON.stringify(shortest)} ${JSON.stringify(spec)}, seed ${dice.seed}`;
      assert.deepEqual(matcher.run(shortest), byDocument(shortest, spec, matcher), where);
    }
  }
  assert.ok(
    streamed > (PAGES / PAGES_A_SPEC) * 0.75,
    `only ${streamed} of ${PAGES / PAGES_A_SPEC} were streamed`,
  );
  assert.ok(
    matches > PAGES / 2 && rowMatches > PAGES / 20,
    `only ${matches} matches and ${rowMatches} in rows`,
  );
});

test(`on ${PAGES} random pages, a single pass gives what css-select finds in the tree of parse5`, () => {
  const dice = new Dice();
  let matches = 0;
  for (let count = 0; count < PAGES; count += PAGES_A_SPEC) {
    const css = randomSelector(dice);
    const rowCss = randomRowSelector(dice);
    const spec = {
      page: [all(css), first(css), all(css, { attribute: "title" })],
      each: css,
      row: [all(rowCss)],
    };
    const matcher = compileStream(spec);
    if (matcher.canStream[0] !== true) continue;
    for (let more = 0; more < PAGES_A_SPEC; more++) {
      const page = randomPage(dice);
      const { page: answers, rows } = matcher.run(page);
      const where = `${css} on ${JSON.stringify(page)}, seed ${dice.seed}`;
      const reference = new Reference(page);
      const { elements } = buildTree(page);
      const found = reference.find(css);
      const match = (at: number, text: string | undefined): Match => ({
        text,
        at: elements[at]?.at ?? -1,
        tag: elements[at]?.tag ?? "",
      });
      matches += found.length;
      const expected = found.map((at) => match(at, reference.text(at)));
      assert.deepEqual(answers[0], expected, where);
      assert.deepEqual(answers[1], expected.slice(0, 1), where);
      assert.deepEqual(
        answers[2],
        found.map((at) => match(at, reference.attribute(at, "title"))),
        where,
      );
      assert.deepEqual(
        rows.map(({ at }) => at),
        expected.map(({ at }) => at),
        where,
      );
      if (matcher.canStreamRow[0] !== true) continue;
      for (const [index, row] of found.entries()) {
        // css-select treats an outermost element as no scope at all; in parse5's tree a template has no children.
        if (reference.isOutermost(row) || reference.tag(row) === "template") continue;
        const inRow = reference.find(rowCss, row).map((at) => match(at, reference.text(at)));
        assert.deepEqual(rows[index]?.answers[0], inRow, `${rowCss} in ${where}`);
      }
    }
  }
  assert.ok(matches > PAGES / 4, `only ${matches} matches`);
});

test("a query that cannot be answered at a start tag needs the document, only for itself", () => {
  const streamed = [
    "a",
    "*",
    "#x.y[z]",
    "a > b + c ~ d e",
    "a, b",
    ":root",
    ":not(.a, .b)",
    "tr:nth-child(2n+1)",
    "> a",
  ];
  const others = [
    ":has(a)",
    ":contains(a)",
    ":last-child",
    ":empty",
    ":only-child",
    ":not(a b)",
    ":nth-child(1 of .a)",
  ];
  assert.deepEqual(
    compileStream({ page: streamed.map((css) => all(css)) }).canStream,
    streamed.map(() => true),
  );
  assert.deepEqual(
    compileStream({ page: others.map((css) => all(css)) }).canStream,
    others.map(() => false),
  );
  const mixed = compileStream({ page: [all("b"), all("b:last-child"), all("i")] });
  assert.deepEqual(mixed.run("<b>1</b><b>2</b><i>3</i>").page.map(texts), [["1", "2"], undefined, ["3"]]);
});

test("a selector that looks beside or above a row needs the document", () => {
  const streamed = ["td", "> td", ":scope > td", ":scope.a td", "td:not(.a)"];
  const others = ["+ tr", "~ tr td", "#x > :scope td", ":scope:not(.a) td", "td, + tr", ":scope"];
  const { canStreamRow } = compileStream({
    page: [],
    each: "tr",
    row: [...streamed, ...others].map((css) => all(css)),
  });
  assert.deepEqual(canStreamRow, [...streamed.map(() => true), ...others.map(() => false)]);
});

test("a bad selector is refused by name, in any position", () => {
  for (const css of ["td[", "a::before", ":no-such-thing"]) {
    const refused = { code: "bad-selector", selector: css };
    assert.throws(() => compileStream({ page: [all(css)] }), refused);
    assert.throws(() => compileStream({ page: [], each: css }), refused);
    assert.throws(() => compileStream({ page: [], each: "a", row: [all(css)] }), refused);
  }
});

test("every way to read a match gives the same as the document", () => {
  const page = `<div id=a data-x="  1&nbsp; 2 "> T<br>&lt;1<script>s&lt;</script><ul><li>one<li>two</ul></div><br id=b>`;
  assert.deepEqual(
    ask(
      page,
      ...(["text", "raw", "html", { attribute: "data-x" }, "link"] as const).map((take) => first("#a", take)),
    ),
    [
      ["T <1 one two"],
      [" T\n<1s&lt;onetwo"],
      [" T<br>&lt;1<script>s&lt;</script><ul><li>one<li>two</ul>"],
      ["1 2"],
      [undefined],
    ],
  );
  assert.deepEqual(ask(page, first("#b", "raw"), first("li", "html"), first("script")), [
    ["\n"],
    ["one"],
    ["s&lt;"],
  ]);
  assert.deepEqual(ask("<a href=' /x '><img src=y></a><form action=z>", all("body *", "link")), [
    ["/x", "y", "z"],
  ]);
});

test("a match is identified by its tag and its position", () => {
  const { page } = compileStream({ page: [all("td")] }).run("<table>\n <TD id=x>1<td>2");
  assert.deepEqual(page, [
    [
      { text: "1", at: 9, tag: "td" },
      { text: "2", at: 19, tag: "td" },
    ],
  ]);
});

test("nested rows have their own answers, and templates are not part of a page", () => {
  const page = "<ul><li>1<b>x</b><ul><li>2<b>y</b></ul></ul><template><li><b>z</b></template>";
  const { rows } = compileStream({ page: [], each: "li", row: [all("b"), first("> b"), all("li b")] }).run(
    page,
  );
  assert.deepEqual(
    rows.map(({ answers }) => answers.map(texts)),
    [
      [["x", "y"], ["x"], ["y"]],
      [["y"], ["y"], []],
    ],
  );
});

test("a row that is a template has its own content", () => {
  const page = "<template><b>1</b><template><b>2</b></template></template>";
  const { rows } = compileStream({ page: [], each: "template", row: [all("b")] }).run(page);
  assert.deepEqual(
    rows.map(({ answers }) => answers.map(texts)),
    [[["1"]]],
  );
});

test("more selectors than bits in one word, and a selector that is too long for one", () => {
  const queries = Array.from({ length: 100 }, (_, at) => first(`div > #n${at} b`));
  const page = `<div>${queries.map((_, at) => `<p id=n${at}><b>${at}</b></p>`).join("")}</div>`;
  assert.deepEqual(
    ask(page, ...queries),
    queries.map((_, at) => [String(at)]),
  );
  assert.deepEqual(compileStream({ page: [all("a ".repeat(32)), all("a ".repeat(33))] }).canStream, [
    true,
    false,
  ]);
});

test("rows and matches of any nesting depth are answered", () => {
  const depth = 300;
  const page = `${"<div>".repeat(depth)}x${"</div>".repeat(depth)}`;
  const { rows, page: answers } = compileStream({
    page: [all("div")],
    each: "div",
    row: [first("div"), all("> div")],
  }).run(page);
  assert.equal(rows.length, depth);
  assert.deepEqual(rows.at(-2)?.answers.map(texts), [["x"], ["x"]]);
  assert.deepEqual(rows.at(-1)?.answers.map(texts), [[], []]);
  assert.equal(answers[0]?.length, depth);
});

test("one matcher can be used for many pages", () => {
  const matcher = compileStream({ page: [first("b"), all("i + i")] });
  for (const name of ["x", "y"]) {
    assert.deepEqual(matcher.run(`<b>${name}</b><b>no</b><i></i><i>${name}</i>`).page.map(texts), [
      [name],
      [name],
    ]);
  }
});
