import { escapeHtml, type Line, noticeOf } from "./notice.ts";
import { type Region, REGIONS } from "./regions.ts";
import type { Town } from "./towns.ts";

export const indexPage = (): string =>
  framed(
    "Les maires par r&eacute;gion",
    `<ul class="regions">${REGIONS.map(
      ({ name, slug }) => `<li><a href="/region/${slug}">${escapeHtml(name)}</a></li>`,
    ).join("\n")}</ul>`,
  );

/** One page of a region's listing, with links to the other pages. */
export function listingPage(region: Region, rows: readonly Town[], page: number, pages: number): string {
  const address = `/region/${region.slug}`;
  const links = Array.from({ length: pages }, (_, at) => at + 1).map((n) =>
    n === page
      ? `<li><b>${n}</b></li>`
      : `<li><a href="${address}${n === 1 ? "" : `?page=${n}`}">${n}</a></li>`,
  );
  return framed(
    `Les maires de la r&eacute;gion ${escapeHtml(region.name)}`,
    `<table class="communes"><thead><tr><th>Commune</th><th>Maire</th><th>R&eacute;gion</th></tr></thead><tbody>
${rows.map(listingRow).join("\n")}
</tbody></table>
<ol class="pages">${links.join("")}</ol>`,
  );
}

const listingRow = (town: Town): string =>
  `<tr><td class="commune"><a href="${town.path}">${escapeHtml(town.name)} (${town.code})</a></td>` +
  `<td class="maire">${escapeHtml(town.mayor)}</td><td class="region">${escapeHtml(town.region.name)}</td></tr>`;

export function townPage(town: Town): string {
  const { mayor, address, phone, email, website } = noticeOf(town);
  const content = `<nav class="fil"><a href="/">Accueil</a> &gt; <a href="/region/${town.region.slug}">${escapeHtml(town.region.name)}</a></nav>
<h1>Maire de ${escapeHtml(town.name)}</h1>
<table class="fiche"><tbody>
${line("Maire", mayor)}${line("Adresse de la mairie", address)}${line("T&eacute;l&eacute;phone", phone)}${line("E-mail", email)}${line("Site internet", website)}
</tbody></table>
<p class="note">Les maires sont &eacute;lus pour six ans par le conseil municipal.</p>`;
  return framed(`Maire de ${escapeHtml(town.name)} (${town.code})`, content);
}

const line = (label: string, shown: Line): string =>
  shown.status === "missing" ? "" : `<tr><th scope="row">${label} :</th><td>${shown.shown}</td></tr>\n`;

/** Everything a visitor may want to know, and nothing where it was. */
export const portalPage = (town: Town): string =>
  `<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><title>Portail citoyen</title></head>
<body><div id="app"><h2>Bienvenue &agrave; ${escapeHtml(town.name)}</h2><p>Vos d&eacute;marches en ligne.</p></div></body></html>`;

export const cutPage = (town: Town): string =>
  `<!DOCTYPE html><html lang="fr"><head><title>Maire de ${town.code}`;

export const messagePage = (text: string): string => framed(text, `<p>${text}</p>`);

const framed = (title: string, content: string): string => `<!DOCTYPE html>
<html lang="fr"><head><meta charset="utf-8"><title>${title} | Vos maires</title>
<link rel="stylesheet" href="/site.css"></head>
<body><header><a href="/">Vos maires</a> <form action="/recherche"><input name="q"><button>Chercher</button></form></header>
<main>${content}</main>
<footer><a href="/mentions">Mentions l&eacute;gales</a> <a href="/contact">Contact</a></footer></body></html>
`;
