// The county page's fields by other means, one thread. Argument: { way: "htmlparser2" | "cheerio" }.
import { load } from "cheerio";
import { compile, selectOne } from "css-select";
import { textContent } from "domutils";
import { parseDocument } from "htmlparser2";
import { FIELDS } from "../site/fields.ts";
import { timePages } from "../site/timed-pages.ts";

const { way } = JSON.parse(process.argv[2]);
const selectors = Object.values(FIELDS);
const compiled = selectors.map((css) => compile(css));

const ways = {
  htmlparser2(text) {
    const document = parseDocument(text);
    return compiled.map((selector) => textContent(selectOne(selector, document)).trim());
  },
  cheerio(text) {
    const $ = load(text);
    return selectors.map((css) => $(css).first().text().trim());
  },
};

console.log(JSON.stringify(timePages(ways[way])));
