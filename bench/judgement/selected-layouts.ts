import { by } from "../../src/index.ts";
import { cellAttribute, cellElement, cellHtml, listHtml } from "./cell-html.ts";
import type { Cell } from "./cell.ts";
import type { Column } from "./column.ts";
import { byLabel, capital, kebab, type LayoutKit, type LayoutKind, LIST_SELECTOR } from "./layout.ts";
import { BLANK_JSON, escapeHtml } from "./markup.ts";
import type { Random } from "./random.ts";

/** The facts of one record: each cell that is there, through `one`. */
const eachCell = (
  { columns }: LayoutKit,
  cells: readonly Cell[],
  one: (column: Column, cell: Cell) => string,
): string =>
  columns
    .map((column, index) => {
      const cell = cells[index]!;
      return column.kind === "list" || cell.drawn === "absent" ? "" : `\n${one(column, cell)}`;
    })
    .join("");

const listOf = ({ columns, markup }: LayoutKit, cells: readonly Cell[], random: Random): string => {
  const index = columns.findIndex(({ kind }) => kind === "list");
  return listHtml(columns[index]!, cells[index]!, markup, random);
};

const idOf = ({ name }: Column): string => `ctl00_cphBody_ucFacts_lbl${capital(name)}`;

const generatedIds: LayoutKind = {
  name: "generated ids",
  writing: "linked",
  recordsAPage: 1,
  build: (kit) => {
    const isByEnd = kit.random.chance(0.4);
    return {
      where: (column) => {
        if (column.kind === "list") return LIST_SELECTOR;
        return isByEnd ? `[id$='_lbl${capital(column.name)}']` : `#${idOf(column)}`;
      },
      body: ([cells], random) =>
        `<table class="outer"><tr><td><table id="ctl00_cphBody_tbl">${eachCell(
          kit,
          cells!,
          (column, cell) =>
            `<tr><td class="c1">${escapeHtml(column.label)}:</td><td class="c2">${cellElement(column, cell, `id="${idOf(column)}" class="txt"`, kit.markup, random)}</td></tr>`,
        )}</table></td></tr></table>${listOf(kit, cells!, random)}`,
    };
  },
};

/** The site changed its pages some day: the author gives the new place, then the old one. */
const twoAges: LayoutKind = {
  name: "two ages",
  writing: "shown",
  recordsAPage: 1,
  build: (kit) => ({
    where: (column) => {
      const label = byLabel(kit)(column);
      return column.kind === "list" || typeof label === "string"
        ? LIST_SELECTOR
        : [`#${idOf(column)}`, label as ReturnType<typeof by.label>];
    },
    body: ([cells], random) => {
      const isOld = random.chance(0.4);
      const rows = eachCell(kit, cells!, (column, cell) => {
        const value = cellHtml(column, cell, kit.markup, random);
        return isOld
          ? `<tr><td><b>${escapeHtml(column.label)}:</b></td><td>${value}</td></tr>`
          : `<div class="f"><span>${escapeHtml(column.label)}</span><span id="${idOf(column)}">${value}</span></div>`;
      });
      return `${isOld ? `<table>${rows}</table>` : rows}${listOf(kit, cells!, random)}`;
    },
  }),
};

const cards: LayoutKind = {
  name: "cards",
  writing: "linked",
  recordsAPage: 4,
  build: (kit) => ({
    each: "article.card",
    where: (column) => (column.kind === "list" ? LIST_SELECTOR : `.${kebab(column.name)}`),
    body: (rows, random) =>
      rows
        .map(
          (cells) =>
            `<article class="card">${eachCell(kit, cells, (column, cell) => `<div class="line">${cellElement(column, cell, `class="${kebab(column.name)} f"`, kit.markup, random)}</div>`)}${listOf(kit, cells, random)}</article>`,
        )
        .join("\n"),
  }),
};

const attributes: LayoutKind = {
  name: "attributes",
  writing: "written",
  recordsAPage: 1,
  build: (kit) => ({
    where: (column) => {
      const css = kebab(column.name);
      switch (column.kind) {
        case "list":
          return LIST_SELECTOR;
        case "date":
          return by.attr(`time.${css}`, "datetime");
        case "url":
          return `a.${css}`;
        case "email":
          return by.attr(`a.${css}`, "href");
        case "money":
          return by.meta(`product:${css}`);
        case "text":
          return by.attr(`input[name='${css}']`, "value");
        case "number":
        case "percent":
        case "phone":
          return by.attr(`.${css}`, `data-${css}`);
        default:
          return column.kind satisfies never;
      }
    },
    body: ([cells], random) =>
      `${eachCell(kit, cells!, (column, cell) => {
        const css = kebab(column.name);
        const value = cellAttribute(cell, random);
        switch (column.kind) {
          case "date":
            return `<time class="${css}" datetime="${value}">then</time>`;
          case "url":
          case "email":
            return `<a class="${css}" href="${value}"><i class="icon"></i></a>`;
          case "money":
            return `<meta property="product:${css}" content="${value}">`;
          case "text":
            return `<input type="hidden" name="${css}" value="${value}">`;
          case "number":
          case "percent":
          case "phone":
            return `<span class="${css}" data-${css}="${value}">&#9733;</span>`;
          case "list":
            return "";
          default:
            return column.kind satisfies never;
        }
      })}${listOf(kit, cells!, random)}`,
  }),
};

const jsonLd: LayoutKind = {
  name: "json-ld",
  writing: "written",
  recordsAPage: 1,
  build: (kit) => {
    const type = kit.random.pick(["Product", "LocalBusiness", "House"]);
    const isInGraph = kit.random.chance(0.3);
    const asNumbers = kit.random.chance(0.5);
    const isNested = ({ kind }: Column): boolean => kind === "money" || kind === "phone";
    return {
      where: (column) => by.jsonLd(type, isNested(column) ? `details.${column.name}` : column.name),
      body: ([cells], random) => {
        const thing: Record<string, unknown> = { "@context": "https://schema.org", "@type": type };
        const details: Record<string, unknown> = { "@type": "Offer" };
        for (const [index, column] of kit.columns.entries()) {
          const cell = cells![index]!;
          if (cell.drawn === "absent" || cell.drawn === "said none") continue;
          (isNested(column) ? details : thing)[column.name] = jsonValue(cell, asNumbers, random);
        }
        thing["details"] = details;
        const data = isInGraph ? { "@graph": [{ "@type": "WebSite", name: "Site" }, thing] } : thing;
        // As every careful site does: no tag may end inside the data.
        const text = JSON.stringify(data).replaceAll("<", String.raw`\u003c`);
        const isSaidNone = cells!.some(({ drawn }) => drawn === "said none");
        return `<script type="application/ld+json">${text}</script>${isSaidNone ? listOf(kit, cells!, random) : ""}`;
      },
    };
  },
};

const jsonValue = (cell: Cell, asNumbers: boolean, random: Random): unknown => {
  if (cell.drawn === "blank") return random.pick(BLANK_JSON);
  if (cell.drawn === "items") return cell.items;
  if (cell.drawn === "present" && asNumbers && typeof cell.value === "number") return cell.value;
  return cell.text;
};

export const SELECTED_LAYOUTS: readonly LayoutKind[] = [generatedIds, twoAges, cards, attributes, jsonLd];
