import type { Dice } from "./dice.ts";

// Few names, so that ids repeat, elements nest in themselves and selectors hit.
const COMMON_TAGS = "div span p b td tr table li ul a".split(" ");
const RARE_TAGS = (
  "th tbody thead tfoot form template br img input script style title textarea svg math mi desc foreignObject foreignobject " +
  "image option optgroup select button h1 h2 dd dt rp rt linearGradient LINEARGRADIENT plaintext iframe noembed noframes xmp " +
  "x-y body head html link hr address lin\u212a a\u0130 DIV Script TITLE"
).split(" ");
const ATTRIBUTES = [
  " id=x",
  " id='y'",
  ' ID="x"',
  ' id="&#120;"',
  " class=a",
  ' class="a b"',
  " class='b\u00a0a'",
  ' class="&#97; b"',
  " CLASS=b",
  ' title="T1"',
  " href='/x?a=1&amp;b=2'",
  " lang=EN",
  " data-x=one",
  " data-x='one two'",
  " data-x",
  " data-x=''",
];
const ODD_ATTRIBUTES = [
  " =b",
  ' a = "x&amp;y"',
  " a='&lt=1'",
  " b=c/",
  " /",
  ' "q"',
  " x=&amp",
  " \u0130=1",
  ' title="&copy&copy;"',
  " data-x='<p>'",
  " a=1 A=2 id=y",
  " id=",
  "\0=\0",
  " x='",
  ' x="',
];
const MARKS = ["<", "</", ">", "/", "=", '"', "'", " ", "\n", "\t", "\f", "\r", "<<", "</ ", "]", "-", "!"];
const ENTITIES = (
  "& &amp; &am &lt &lt;b> &notit; &notit &#x41; &#x &# &#0; &#128; &#xD800; &nbsp &copy= &copy &NotEqualTilde; &fjlig; " +
  "&#99999999; &CounterClockwiseContourIntegral;"
).split(" ");
const DECLARATIONS = "<!--,-->,--!>,<!-->,<!--->,<!-- c -->,<!doctype html>,<!d,<!>,<!-x>,<?xml ?>,<?".split(
  ",",
);
const SECTIONS = ["<![CDATA[", "]]>", "<![CDA", "<![CDATA[x<b>]]>"];
const TAGS =
  "</> </1> <svg/> <a/> <svg><b/> <form> </form </br> </p> </script </title </textarea> <script <scr <t <s".split(
    " ",
  );
const CONTROLS = ["\0", "\u001c", "\u000f", "\u001c\u000fscript>", "\u001c\u000ftitle "];
const LETTERS = ["é", "\u0130", "\u212a", "𝒳", "\ud800", "\udc00", "\u00a0", "\u3000", "\ufeff"];
const SCRAPS = [MARKS, ENTITIES, DECLARATIONS, SECTIONS, TAGS, CONTROLS, LETTERS].flat();

/** A page as no person writes it and every site may send it: nested, cut off, misspelt. */
export function randomPage(dice: Dice): string {
  let page = "";
  for (let pieces = 1 + dice.number(20); pieces > 0; pieces--) {
    const kind = dice.number(100);
    if (kind < 50) page += startTag(dice);
    else if (kind < 70) page += `</${tag(dice)}${dice.chance(94) ? ">" : dice.pick([" ", "x", "/", ""])}`;
    else if (kind < 85) page += dice.pick(["text", " ", "one two ", "x\n y"]);
    else page += dice.pick(SCRAPS);
  }
  return page;
}

const tag = (dice: Dice): string => dice.pick(dice.chance(75) ? COMMON_TAGS : RARE_TAGS);

function startTag(dice: Dice): string {
  let attributes = "";
  while (dice.chance(45)) attributes += dice.pick(dice.chance(85) ? ATTRIBUTES : ODD_ATTRIBUTES);
  return `<${tag(dice)}${attributes}${dice.chance(6) ? "/" : ""}${dice.chance(98) ? ">" : ""}`;
}

/** The shortest page found by leaving out characters that still differs, for the message of a failure. */
export function shortened(page: string, differs: (page: string) => boolean): string {
  let shortest = page;
  for (let at = 0; at < shortest.length;) {
    const shorter = shortest.slice(0, at) + shortest.slice(at + 1);
    if (differs(shorter)) {
      shortest = shorter;
      at = 0;
    } else at++;
  }
  return shortest;
}
