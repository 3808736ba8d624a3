import type { Random } from "./random.ts";

/** What one site does to the texts of its cells. */
export interface Markup {
  readonly text: (text: string) => string;
  readonly dressed: (text: string, random: Random) => string;
}

export const siteMarkup = (random: Random): Markup => {
  const asEntities = random.chance(0.2);
  const dress = random.pick(DRESSES);
  const text = (plain: string): string => {
    const escaped = escapeHtml(plain).replaceAll("\n", "<br>");
    return asEntities
      ? escaped.replace(/\P{ASCII}/gu, (char) => `&#${char.codePointAt(0)};`)
      : escaped.replaceAll("\u00a0", "&nbsp;");
  };
  return { text, dressed: (plain, drawn) => (drawn.chance(0.8) ? dress : drawn.pick(DRESSES))(text(plain)) };
};

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const DRESSES: readonly ((html: string) => string)[] = [
  (html) => html,
  (html) => html,
  (html) => `\n\t\t\t${html}\n\t\t`,
  (html) => `<span>${html}</span>`,
  (html) => `<b>${html}</b>`,
  (html) => `<font size="2" face="Arial">${html}</font>`,
  (html) => `<span class="v"><span class="t"> ${html} </span></span>`,
  (html) => `&nbsp;${html}&nbsp;`,
  (html) => `<!-- db -->${html}<!-- /db -->`,
  (html) => `${html}<br>`,
  (html) => `<em>${html.slice(0, html.search(/[&<]|$/))}</em>${html.slice(html.search(/[&<]|$/))}`,
  (html) => `${html}\u200b`,
];

/** A cell that a browser shows as nothing. */
export const BLANK_HTML: readonly string[] = [
  "",
  " ",
  "\n\t\t",
  "&nbsp;",
  "&nbsp;&nbsp;&nbsp;",
  "&#160;",
  "\u00a0",
  "<br>",
  "<br/>",
  "<br><br>",
  "&nbsp;<br>",
  "<span></span>",
  "<span>&nbsp;</span>",
  "<b> <i></i> </b>",
  '<span class="v"><span class="t"></span></span>',
  '<font size="2"> </font>',
  "&#8203;",
  "\u200b",
  "\ufeff",
  "&zwnj;",
  "&#x2060;",
  "&shy;",
  "&ensp;",
  "&#8239;",
  "<!-- no data -->",
  "<!-- <b>old</b> -->",
  '<img src="/images/spacer.gif" width="1" height="1" alt="">',
  '<span style="color:#999">\n</span>',
];

export const BLANK_ATTRIBUTE: readonly string[] = ["", "", " ", "  ", "&nbsp;", "&#8203;", "\n"];

export const BLANK_JSON: readonly (string | null)[] = ["", "", null, null, " ", "\u00a0"];
