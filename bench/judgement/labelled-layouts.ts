import type { Cell } from "./cell.ts";
import { cellAttribute, cellHtml, listHtml } from "./cell-html.ts";
import type { Column } from "./column.ts";
import { byLabel, kebab, type LayoutKit, type LayoutKind } from "./layout.ts";
import { escapeHtml } from "./markup.ts";
import type { Random } from "./random.ts";

/** One label and what belongs to it. */
interface Pair {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** The same value for a form's control. */
  readonly attribute: string;
}

type Arrange = (pairs: readonly Pair[], random: Random) => string;

/** Sites without ids or classes worth a selector: their authors go by the labels. */
const labelled = (
  name: string,
  writing: "shown" | "linked",
  arrange: (random: Random) => Arrange,
): LayoutKind => ({
  name,
  writing,
  recordsAPage: 1,
  build: (kit) => {
    const arranged = arrange(kit.random);
    const label = labelWriter(kit.random, name === "bold list");
    const isShuffled = kit.random.chance(0.4);
    const list = kit.columns.findIndex(({ kind }) => kind === "list");
    return {
      where: byLabel(kit),
      body: ([cells], random) => {
        const pairs = pairsOf(kit, cells!, label, random);
        return `${arranged(isShuffled ? random.shuffled(pairs) : pairs, random)}
${listHtml(kit.columns[list]!, cells![list]!, kit.markup, random)}`;
      },
    };
  },
});

const pairsOf = (
  { columns, markup }: LayoutKit,
  cells: readonly Cell[],
  label: (text: string) => string,
  random: Random,
): Pair[] => {
  const pairs: Pair[] = [];
  for (const [index, column] of columns.entries()) {
    if (column.kind === "list") continue;
    const cell = cells[index]!;
    const other = random.chance(0.08) ? otherPair(column, label, random) : undefined;
    if (other !== undefined) pairs.push(other);
    if (cell.drawn === "absent") continue;
    pairs.push({
      id: kebab(column.name),
      label: label(column.label),
      value: cellHtml(column, cell, markup, random),
      attribute: cellAttribute(cell, random),
    });
  }
  return pairs;
};

/** A label that begins like the column's own, and is another. None where its value has a word like the label before it: "Tel: …". */
const otherPair = (column: Column, label: (text: string) => string, random: Random): Pair | undefined => {
  const value = column.write(random).text;
  if ((column.kind === "phone" || column.kind === "email") && /^\p{L}[^@]*[:.] /u.test(value))
    return undefined;
  return {
    id: `${kebab(column.name)}-prior`,
    label: label(`${column.label} ${column.priorYear}`),
    value: escapeHtml(value),
    attribute: escapeHtml(value),
  };
};

/** How a site writes its labels: with or without a colon, in bold, with spaces that do not break. */
const labelWriter = (random: Random, needsColon: boolean): ((text: string) => string) => {
  const colon = needsColon
    ? random.pick([":", "&nbsp;:", " :"])
    : random.pick([":", ":", "", "", " :", "&nbsp;:"]);
  const space = random.pick([" ", " ", "&nbsp;", "\n          "]);
  const dress = random.pick<(html: string) => string>([
    (html) => html,
    (html) => html,
    (html) => `<b>${html}</b>`,
    (html) => `<span class="caption">${html}</span>`,
    (html) => `\n      ${html}\n    `,
    (html) => `<font color="navy"><b>${html}</b></font>`,
  ]);
  const isColonOutside = random.chance(0.3);
  return (text) => {
    const words = escapeHtml(text).replaceAll(" ", space);
    return isColonOutside ? `${dress(words)}${colon}` : dress(`${words}${colon}`);
  };
};

const inLines = (pairs: readonly Pair[], line: (pair: Pair) => string): string =>
  pairs.map((pair) => `\n${line(pair)}`).join("");

const chunked = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

export const LABELLED_LAYOUTS: readonly LayoutKind[] = [
  labelled("th table", "linked", (random) => {
    const cell = random.pick(["td", 'td class="value" align="left"']);
    return (pairs) =>
      `<table class="details"><tbody>${inLines(pairs, ({ label, value }) => `<tr><th scope="row">${label}</th><${cell}>${value}</td></tr>`)}</tbody></table>`;
  }),
  labelled(
    "nested td table",
    "shown",
    () => (pairs) =>
      `<table width="100%"><tr><td valign="top"><table class="frame">${chunked(pairs, 5)
        .map(
          (part, i) =>
            `<tr><td><h3>Section ${i + 1}</h3><table border="0" cellpadding="3">${inLines(part, ({ label, value }) => `<tr class="row"><td class="label" width="200" nowrap>${label}</td><td class="value">${value}</td></tr>`)}</table></td></tr>`,
        )
        .join("")}</table></td></tr></table>`,
  ),
  labelled("span pairs", "shown", (random) => {
    const tag = random.pick(["div", "p"]);
    return (pairs) =>
      inLines(
        pairs,
        ({ label, value }) =>
          `<${tag} class="item"><span class="lbl">${label}</span> <span class="val">${value}</span></${tag}>`,
      );
  }),
  labelled("definition list", "linked", (random) => {
    const isWrapped = random.chance(0.3);
    return (pairs) =>
      `<dl>${inLines(pairs, ({ label, value }) => (isWrapped ? `<div><dt>${label}</dt><dd>${value}</dd></div>` : `<dt>${label}</dt><dd>${value}</dd>`))}</dl>`;
  }),
  labelled("two pairs a row", "shown", (random) => {
    const head = random.pick(["th", 'td class="label"', "td"]);
    const close = head.slice(0, 2);
    return (pairs) =>
      `<table>${chunked(pairs, 2)
        .map(
          (row) =>
            `\n<tr>${row.map(({ label, value }) => `<${head}>${label}</${close}><td>${value}</td>`).join("")}${row.length === 1 ? "<td></td><td></td>" : ""}</tr>`,
        )
        .join("")}</table>`;
  }),
  labelled(
    "div grid",
    "linked",
    () => (pairs) =>
      inLines(
        pairs,
        ({ label, value }) =>
          `<div class="row"><div class="col-sm-4">${label}</div>\n<div class="col-sm-8">${value}</div></div>`,
      ),
  ),
  labelled(
    "label above",
    "shown",
    () => (pairs) =>
      `<div class="facts">${inLines(pairs, ({ label, value }) => `<div class="fact"><h4>${label}</h4><div>${value}</div></div>`)}</div>`,
  ),
  labelled(
    "bold list",
    "shown",
    () => (pairs) =>
      `<ul class="facts">${inLines(pairs, ({ label, value }) => `<li><strong>${label}</strong> ${value}</li>`)}</ul>`,
  ),
  labelled(
    "form",
    "shown",
    () => (pairs) =>
      inLines(
        pairs,
        ({ id, label, attribute }) =>
          `<div class="form-group"><label for="txt-${id}">${label}</label> <input type="text" readonly id="txt-${id}" value="${attribute}"></div>`,
      ),
  ),
  labelled(
    "header row",
    "shown",
    () => (pairs) =>
      chunked(pairs, 5)
        .map(
          (part) =>
            `<table class="grid"><thead><tr>${part.map(({ label }) => `<th>${label}</th>`).join("")}</tr></thead><tbody><tr>${part.map(({ value }) => `<td>${value}</td>`).join("")}</tr></tbody></table>`,
        )
        .join("\n"),
  ),
];
