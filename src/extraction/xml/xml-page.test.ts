import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { extract } from "../../pipeline/extract.ts";
import { FailureError } from "../../domain/failure.ts";
import type { Field } from "../define-field.ts";
import { compileExtraction } from "../extract-spec.ts";
import type { ReadablePage } from "../extract-spec.ts";
import { field } from "../field.ts";
import { parsePage } from "../parse-page.ts";
import { by } from "../place.ts";
import { compileSelector } from "../selector.ts";

const page = (text: string, mediaType = "application/xml"): ReadablePage => ({
  name: "p",
  url: "https://news.example/feeds/all.xml",
  status: 200,
  mediaType,
  text,
});

const read = (text: string, it: Field<unknown>, mediaType?: string): unknown => {
  const found = compileExtraction({ fields: { it } }).read([page(text, mediaType)])[0]?.fields["it"];
  return found?.raw === null ? "missing" : (found?.problem ?? (found?.isEmpty ? "empty" : found?.value));
};

const RSS = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
  <title>Town news</title>
  <atom:link href="https://news.example/feeds/all.xml" rel="self"/>
  <link>https://news.example/</link>
  <item>
    <title>Budget &amp; taxes &#8212; 2024</title>
    <link>https://news.example/budget?a=1&amp;b=2</link>
    <description><![CDATA[<p>The council <b>voted</b> 5 < 6 &amp; more.</p>]]></description>
    <dc:creator>Ann Smith</dc:creator>
    <pubDate>2024-02-09</pubDate>
    <guid isPermaLink="false">n-17</guid>
    <enclosure url="/a.mp3" length="1200" type="audio/mpeg"/>
    <price>$1,234.50</price>
  </item>
  <item><title>Roads</title><link/><pubDate>2024-02-10</pubDate></item>
</channel>
</rss>`;

test("the same fields read RSS: link, CDATA, entities, prefixes, attributes and names in their own case", () => {
  const extraction = compileExtraction({
    each: "item",
    fields: {
      title: field.text("title"),
      link: field.url("link"),
      description: field.html("description").optional(),
      creator: field.text("dc|creator").optional(),
      on: field.date("pubDate"),
      guid: field.text("guid").optional(),
      isPermaLink: field.attr("guid", "isPermaLink").optional(),
      bytes: field.number(by.attr("enclosure[type='audio/mpeg']", "length")).optional(),
      sound: field.url("enclosure").optional(),
      price: field.money("price").optional(),
    },
  });
  const [first, second] = extraction.read([page(RSS)]).map(({ fields }) => fields);
  const values = Object.fromEntries(Object.entries(first ?? {}).map(([name, { value }]) => [name, value]));
  assert.deepEqual(values, {
    title: "Budget & taxes — 2024",
    link: "https://news.example/budget?a=1&b=2",
    description: "<p>The council <b>voted</b> 5 < 6 &amp; more.</p>",
    creator: "Ann Smith",
    on: "2024-02-09",
    guid: "n-17",
    isPermaLink: "false",
    bytes: 1200,
    sound: "https://news.example/a.mp3",
    price: 1234.5,
  });
  assert.equal(first?.["title"]?.at, RSS.indexOf("<title>Budget"));
  assert.equal(second?.["link"]?.isEmpty, true);
  assert.equal(second?.["creator"]?.raw, null);
});

test("an element without a prefix is not one with a prefix, and `*|` is any", () => {
  assert.equal(read(RSS, field.url("channel > link")), "https://news.example/");
  for (const css of ["atom|link", String.raw`atom\:link`, "channel > atom|link[rel=self]", ":is(atom|link)"])
    assert.equal(read(RSS, field.url(css)), "https://news.example/feeds/all.xml", css);
  const soap = (prefix: string): string =>
    `<${prefix}:Envelope xmlns:${prefix}="http://schemas.xmlsoap.org/soap/envelope/"><${prefix}:Body><Owner>Ann</Owner></${prefix}:Body></${prefix}:Envelope>`;
  for (const prefix of ["soap", "SOAP-ENV", "s"])
    assert.equal(read(soap(prefix), field.text("*|Body > Owner"), "text/xml"), "Ann", prefix);
  assert.equal(read("<a><b x:k='1'/></a>", field.attr("b[x|k]", "x:k")), "1");
  assert.equal(read("<Body><Owner>Ann</Owner></Body>", field.text("*|Body > Owner")), "Ann");
  assert.equal(read("<p><dc:title>T</dc:title>", field.text("dc|title"), "text/html"), "T");
});

test("names are case-sensitive, and self-closing tags have no content", () => {
  assert.equal(read("<a><B>1</B><b>2</b></a>", field.text("b")), "2");
  assert.equal(read("<a><Item/><item>x</item></a>", field.text("Item + item")), "x");
  assert.equal(read("<a><br/><link/>text<meta/></a>", field.text("a")), "text");
  assert.equal(read("<a><template><b>in</b></template><script>x < y</script></a>", field.text("b")), "in");
});

test("relative links are resolved against the root's xml:base, else the page", () => {
  assert.equal(
    read("<feed xml:base='/a/'><link href='b'/></feed>", field.url("link")),
    "https://news.example/a/b",
  );
  assert.equal(read("<feed><link href='b'/></feed>", field.url("link")), "https://news.example/feeds/b");
});

test("texts of child elements are separated if an element has no text of its own", () => {
  assert.equal(read("<a><b>1</b><c>2</c></a>", field.text("a")), "1 2");
  assert.equal(read("<a>wa<b>te</b>r</a>", field.text("a")), "water");
  const xhtml =
    '<e><div xmlns="http://www.w3.org/1999/xhtml"><p>a<br/>b</p><style>x</style><i>c</i><i>d</i></div></e>';
  assert.equal(read(xhtml, field.text("e")), "a b cd");
});

test("comments, instructions and a DOCTYPE are skipped, and no entity is expanded or fetched", () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE a [ <!ENTITY l "lol"> <!ENTITY m "&l;&l;&l;]>"> <!-- ' ]> -->
    <!ENTITY x SYSTEM "file:///etc/passwd"> ]><?style a?><a><b>&m; &x; &lt;i&gt; &nbsp;&eacute; &#x41;&#0; a & b</b><!-- c --></a>`;
  assert.equal(read(bomb, field.text("b")), "&m; &x; <i> é A\uFFFD a & b");
});

test("a page is XML by its type, its declaration, or the root of a feed", () => {
  const link = field.url("link");
  const feed = "<rss><channel><link>https://a.example/</link></channel></rss>";
  for (const type of ["application/rss+xml", "text/xml", "application/xml", "text/html", "text/plain", ""])
    assert.equal(read(feed, link, type), "https://a.example/", type);
  assert.equal(
    read('<?xml version="1.0"?><list><link>https://a.example/</link></list>', link, ""),
    "https://a.example/",
  );
  const xhtml =
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x"><html><head></head><body><br><p>x</body></html>';
  assert.equal(read(xhtml, field.text("p"), "text/html"), "x");
  assert.equal(read('<?xml version="1.0"?><div><p>x<br></div>', field.text("p"), "text/html"), "x");
  assert.equal(
    read('<?xml version="1.0"?><!-- c --><Items><P>x</P></Items>', field.text("P"), "text/html"),
    "x",
  );
});

test("truncated or wrongly nested XML is bad content, with its position", () => {
  for (const [text, problem] of [
    ["<rss><item><title>A</title>", /<item> is not closed/],
    ["<rss>\n<item><title>A</item></rss>", /line 2, column 15: <\/item> does not close <title>/],
    ["<rss><a x='1></rss>", /value of x/],
    ["<rss><!-- ", /comment/],
    ["<rss><![CDATA[ x", /CDATA/],
    ["Service unavailable", /no element/],
    ["", /no element/],
    ["<a/><b/>", /second root/],
    ["<a></a></b>", /closes nothing/],
    ["<!DOCTYPE a [ <a/>", /DOCTYPE/],
    ["<a><b <c/></b></a>", /does not end/],
    ["<a>".repeat(1001), /nested deeper/],
  ] as const)
    assert.throws(
      () => read(text, field.text("x")),
      (error: unknown) =>
        error instanceof FailureError &&
        error.failure.kind === "bad-content" &&
        problem.test(error.failure.detail),
      text.slice(0, 40),
    );
});

test("an item with truncated XML fails as bad content, not as a scraper error", () => {
  const found = extract(compileExtraction({ each: "item", fields: { it: field.text("title") } }), [
    page("<rss><item><title>A</title></item><item><tit"),
  ]);
  assert.ok("failure" in found);
  assert.equal(found.failure.kind, "bad-content");
});

test("errors that concern only characters are accepted", () => {
  assert.equal(
    read("<a t=1 u='x' u='y' v><b>Tom & Jerry < &copy;</b></a>", field.text("b")),
    "Tom & Jerry < ©",
  );
  assert.equal(read("junk<a><b>x</b></a>junk", field.text("b")), "x");
});

const name = fc.constantFrom("a", "B", "dc:c", "item");
const { tree } = fc.letrec<{ tree: string; node: string }>((tie) => ({
  node: fc.oneof(
    fc.string().map((text) => text.replace(/[<>&]/g, "")),
    fc
      .string()
      .filter((text) => !text.includes("]]>"))
      .map((text) => `<![CDATA[${text}]]>`),
    tie("tree"),
  ),
  tree: fc
    .tuple(name, fc.array(tie("node"), { maxLength: 4 }))
    .map(([tag, inside]) => `<${tag} k="1">${inside.join("")}</${tag}>`),
}));

test("every element has the position of its tag, and no text makes it throw anything else", () => {
  fc.assert(
    fc.property(tree, (text) => {
      const document = parsePage(page(text));
      for (const element of document.all(compileSelector("*")))
        assert.ok(text.startsWith(`<${element.tag} k="1">`, document.offsetOf(element)));
      assert.equal(document.all(compileSelector("*")).length, document.all(compileSelector("[k]")).length);
    }),
  );
  const signs = fc.constantFrom(
    "<",
    ">",
    "/",
    "!",
    "[",
    "]",
    "-",
    "?",
    "'",
    '"',
    "=",
    "&",
    "a",
    " ",
    "<![CDATA[",
    "<!DOCTYPE",
  );
  fc.assert(
    fc.property(fc.string({ unit: signs }), (text) => {
      try {
        parsePage(page(text)).all(compileSelector("*"));
      } catch (error) {
        assert.ok(error instanceof FailureError);
      }
    }),
  );
});
