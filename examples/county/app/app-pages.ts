import { escapeHtml } from "../listing.ts";
import { TAX_YEAR } from "../parcels.ts";
import { IMAGE_TAGS } from "./assets.ts";
import type { Switches } from "./switches.ts";
import { SIGNING_KEY, type PageTokens } from "./tokens.ts";

export interface ShellOptions {
  readonly title: string;
  /** For the script; `view` says what it shows. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly head?: string;
  readonly content?: string;
  readonly script?: string;
}

/** A page without content: its script asks for that. */
export const shell = ({ title, settings, head = "", content = "", script = "app" }: ShellOptions): string =>
  `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title} | Willow County Tax Office</title>${head}
<link rel="stylesheet" href="/assets/app.css"><link rel="icon" href="data:,">
<script type="application/json" id="settings">${JSON.stringify(settings).replaceAll("<", "\\u003c")}</script>
</head>
<body><header><h1>Willow County Tax Assessor&ndash;Collector</h1>${IMAGE_TAGS}</header>
${content}<main id="app" aria-busy="true"></main>
<noscript>This site needs JavaScript.</noscript>
<footer><p>The information on this site is believed to be reliable but is not warranted; the certified roll governs.</p></footer>
<script src="/assets/library.js"></script><script src="/assets/${script}.js"></script>
</body></html>
`;

/** Attribute values with all characters that HTML can encode. */
const attribute = (text: string): string =>
  escapeHtml(text).replaceAll('"', "&quot;").replaceAll("+", "&#43;");

export const searchShell = (tokens: PageTokens, switches: Switches): string =>
  shell({
    title: "Property Search",
    settings: settingsOf("search", switches),
    head: `<meta name="csrf-token" content="${attribute(tokens.csrf)}">`,
    content: `<form id="search" hidden><input type="hidden" name="form" value="${attribute(tokens.form)}">
<label for="parcel">Parcel number</label> <input id="parcel" name="parcel" type="text" maxlength="40" autocomplete="off">
<label for="year">Tax year</label> <select id="year" name="year"><option>${TAX_YEAR}</option><option>${TAX_YEAR - 1}</option></select>
<button id="go" type="submit">Search</button></form>
`,
  });

export const listShell = (switches: Switches): string =>
  shell({ title: "All properties", settings: settingsOf("list", switches) });

/** `frame`: the address of the frame that shows the property; without one the page itself shows it. */
export const propertyShell = (reference: string, switches: Switches, frame?: string): string =>
  shell({
    title: "Property Tax Account",
    settings: { ...settingsOf("property", switches), reference, ...(frame !== undefined && { frame }) },
  });

const settingsOf = (view: string, switches: Switches) => ({
  view,
  switches: [...switches],
  ...(switches.has("signed") && { key: SIGNING_KEY }),
});
