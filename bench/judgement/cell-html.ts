import type { Cell } from "./cell.ts";
import type { Column } from "./column.ts";
import { BLANK_ATTRIBUTE, BLANK_HTML, escapeHtml, type Markup } from "./markup.ts";
import type { Random } from "./random.ts";

/** What stands between the tags of a cell. */
export const cellHtml = (column: Column, cell: Cell, markup: Markup, random: Random): string => {
  if (cell.drawn === "blank") return random.pick(BLANK_HTML);
  if (column.kind === "url" && isLink(column, cell))
    return `<a href="${escapeHtml(cell.text)}" target="_blank">${markup.text(shownOf(cell))}</a>`;
  return markup.dressed(cell.text, random);
};

/** The element that holds a value itself: a link where the column is made of links. */
export const cellElement = (
  column: Column,
  cell: Cell,
  attributes: string,
  markup: Markup,
  random: Random,
): string => {
  if (column.kind === "url" && (isLink(column, cell) || cell.drawn === "blank"))
    return `<a ${attributes} href="${cell.drawn === "blank" ? random.pick(BLANK_ATTRIBUTE) : escapeHtml(cell.text)}">${markup.text(shownOf(cell))}</a>`;
  return `<span ${attributes}>${cellHtml(column, cell, markup, random)}</span>`;
};

/** As the value of an attribute, ready to stand between double quotes. */
export const cellAttribute = (cell: Cell, random: Random): string =>
  cell.drawn === "blank" ? random.pick(BLANK_ATTRIBUTE) : escapeHtml(cell.text);

export const listHtml = ({ noneText }: Column, cell: Cell, markup: Markup, random: Random): string => {
  const list = (items: readonly string[]): string =>
    `<ul class="services">${items.map((item) => `\n  <li>${item}</li>`).join("")}\n</ul>`;
  switch (cell.drawn) {
    case "items":
      return list(cell.items.map((item) => markup.dressed(item, random)));
    case "absent":
      return "";
    case "said none":
      return `<p class="no-services">${markup.text(noneText)}</p>`;
    case "blank":
      return list(Array.from({ length: random.between(1, 2) }, () => random.pick(BLANK_HTML)));
    case "present":
    case "placeholder":
    case "wrong":
      return list([markup.dressed(cell.text, random)]);
    default:
      return cell satisfies never;
  }
};

const isLink = (column: Column, cell: Cell): boolean =>
  column.isLinked === true &&
  (cell.drawn === "present" || cell.drawn === "wrong" || /^https?:\/\/$/.test(cell.text));

const shownOf = (cell: Cell): string =>
  cell.drawn === "present" ? (cell.shown ?? cell.text) : cell.drawn === "wrong" ? "Map" : "";
