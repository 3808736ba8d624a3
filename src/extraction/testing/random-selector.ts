import type { Dice } from "./dice.ts";

const TAGS = "div span p b td tr table li a * * br template title script x-y DIV".split(" ");
const PLAIN = ["#x", "#y", ".a", ".b", "#x.a", ".a.b"];
const ATTRIBUTES = (
  "[id];[id=x];[ID=x];[class~=\"a\"];[class~=A i];[lang=en];[lang=en s];[lang|=en];[data-x];[data-x!=one];[data-x=''];" +
  "[data-x!=''];[data-x^=''];[title^=T];[title$='1'];[title*=t i]"
).split(";");
const PLACES = (
  ":first-child;:nth-child(2);:nth-child(odd);:nth-child(-n + 2);:nth-child(n);:nth-child(3n-1);:first-of-type;" +
  ":nth-of-type(2);:nth-of-type(2n+1);:root"
).split(";");
const CHOICES = (
  ":not(#x);:not(.a):not(b);:not(:first-child);:is(#x, .b);:where(div, [id]);:not(:is(.a, .b));" +
  ":is(span:nth-of-type(1), b);:not(:root)"
).split(";");
const STREAMED = [ATTRIBUTES, PLACES, CHOICES].flat();
const UNSTREAMED =
  ":last-child;:empty;:has(b);:contains(text);:only-child;:nth-last-child(1);:not(p b)".split(";");
const COMBINATORS = [" ", " ", " ", " > ", ">", " + ", "~", "\t"];

function compound(dice: Dice): string {
  const name = dice.chance(50) ? dice.pick(TAGS) : "";
  if (name !== "" && dice.chance(50)) return name;
  let rest = dice.pick(dice.chance(50) ? PLAIN : STREAMED);
  if (dice.chance(15)) rest += dice.pick(STREAMED);
  if (dice.chance(3)) rest += dice.pick(UNSTREAMED);
  return name + rest;
}

function complex(dice: Dice): string {
  let css = compound(dice);
  while (dice.chance(45)) css += dice.pick(COMBINATORS) + compound(dice);
  return css;
}

/** A selector for the small kit of `randomPage`; few cannot be streamed. */
export function randomSelector(dice: Dice): string {
  let css = dice.chance(3)
    ? `${dice.pick(["> ", "+ ", ":scope ", ":scope > "])}${complex(dice)}`
    : complex(dice);
  while (dice.chance(15)) css += `, ${complex(dice)}`;
  return css;
}

/** Relative to a row. */
export function randomRowSelector(dice: Dice): string {
  const start = ["", "", "", "", "> ", "> ", ":scope > ", ":scope ", ":scope.a > ", "+ ", "#x > :scope "];
  let css = dice.pick(start) + complex(dice);
  while (dice.chance(10)) css += `, ${dice.pick(start)}${complex(dice)}`;
  return css;
}
