import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { openTestSite, type SiteRequest } from "../../collectors/http/testing/test-site.ts";

export interface ScriptSiteOptions {
  /** The last call carries a hash that the page's script computes. */
  readonly isSigned?: boolean;
  /** Calls are answered only with the cookie that the page sets. */
  readonly needsCookie?: boolean;
  /** Calls are answered only with the header that scripts send. */
  readonly needsHeader?: boolean;
  /** The record is at a fixed address: the site remembers what was searched for. */
  readonly remembers?: boolean;
  /** Calls carry the time, which the site ignores. */
  readonly hasTime?: boolean;
  /** The record comes as HTML, as the page shows it. */
  readonly isHtml?: boolean;
  /** The history of payments is another call. */
  readonly isSplit?: boolean;
}

export interface ParcelRecord {
  readonly parcel: string;
  readonly ref: string;
  readonly owner: string;
  readonly value: number;
  readonly due: string;
  readonly exemptions: readonly string[];
  readonly history: readonly { readonly year: number; readonly paid: number }[];
}

/** Every tenth parcel does not exist. */
export const truthOf = (parcel: string): ParcelRecord | undefined => {
  const number = Number(parcel);
  if (number % 10 === 9) return undefined;
  return {
    parcel,
    ref: `R/${number * 7} ${"ABC"[number % 3]}`,
    owner: `Owner & Sons ${number}`,
    value: 100_000 + number * 13.5,
    due: `2026-${String((number % 12) + 1).padStart(2, "0")}-15`,
    exemptions: number % 2 === 0 ? ["homestead", `over ${number % 90}`] : [],
    history: [2024, 2025].map((year) => ({ year, paid: year + number })),
  };
};

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const escaped = (text: string): string => text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

interface Visit {
  readonly token: string;
  readonly key: string;
  found?: string;
}

/** A site whose pages are made by a script: a token in a meta element, a hidden field, a search by JSON, and a reference that must be escaped. */
export const openScriptSite = async (options: ScriptSiteOptions = {}) => {
  const visits = new Map<string, Visit>();
  let count = 0;
  const handle = (request: SiteRequest, response: ServerResponse): void => {
    const url = new URL(request.url, "http://site");
    const session = /session=(\w+)/.exec(request.headers.cookie ?? "")?.[1];
    const json = (value: unknown, status = 200): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (url.pathname === "/") {
      const id = `v${hashOf(`visit ${count++}`).slice(0, 16)}`;
      const visit = { token: `${id}+/"<t>`, key: hashOf(id).slice(0, 20) };
      visits.set(id, visit);
      response.writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "set-cookie": `session=${id}; Path=/; HttpOnly`,
      });
      response.end(pageOf(visit, options));
      return;
    }
    if (url.pathname === "/ping") return void response.writeHead(204).end();
    const token = request.headers["x-csrf-token"];
    const visit = options.needsCookie
      ? visits.get(session ?? "")
      : [...visits.values()].findLast((one) => one.token === token);
    const isScript = request.headers["x-requested-with"] === "XMLHttpRequest";
    if (options.needsHeader && !isScript) return json({ error: "not a script" }, 403);
    if (url.pathname === "/api/search") {
      const { q, key } = JSON.parse(request.body || "{}") as { q?: string; key?: string };
      if (visit === undefined || visit.token !== token || visit.key !== key)
        return json({ error: "token" }, 403);
      const truth = truthOf(q ?? "");
      if (truth) visit.found = truth.parcel;
      else delete visit.found;
      return json({ total: truth ? 1 : 0, hits: truth ? [{ label: truth.owner, ref: truth.ref }] : [] });
    }
    const own = options.needsCookie || options.remembers ? visits.get(session ?? "") : undefined;
    if ((options.needsCookie || options.remembers) && own === undefined)
      return json({ error: "session" }, 403);
    const ref = options.remembers ? undefined : decodeURIComponent(url.pathname.split("/")[3] ?? "");
    const parcel = options.remembers
      ? own?.found
      : String(Number(/^R\/(\d+)/.exec(ref ?? "")?.[1] ?? "9") / 7);
    const truth = truthOf(parcel ?? "9");
    const isWrong =
      options.isSigned === true && url.searchParams.get("sig") !== signatureOf(truth?.ref ?? "");
    if (truth === undefined || isWrong) return json({ error: "no such parcel" }, isWrong ? 403 : 404);
    if (options.isHtml) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(fragmentOf(truth));
      return;
    }
    const { history, ref: _ref, ...parcelJson } = truth;
    if (url.pathname.endsWith("/history")) return json({ payments: history });
    const shown = options.isSplit ? parcelJson : { ...parcelJson, history };
    return json({ parcel: shown, links: [{ rel: "self", href: request.url }] });
  };
  return await openTestSite(handle);
};

const SECRET = "from-the-script";
export const signatureOf = (ref: string): string =>
  hashOf(`${ref}${SECRET}${Math.floor(Date.now() / 60_000_000)}`);

const fragmentOf = ({ parcel, owner, value, due, exemptions, history }: ParcelRecord): string =>
  `<b id=parcel>${parcel}</b><b id=owner>${escaped(owner)}</b><b id=value>$${value.toLocaleString("en-US")}</b><b id=due>${usDate(due)}</b><ul>${exemptions.map((one) => `<li>${one}`).join("")}</ul><table id=history><tr><th>Year<th>Paid${history.map(({ year, paid }) => `<tr><td>${year}<td>$${paid.toLocaleString("en-US")}`).join("")}</table>`;

const usDate = (iso: string): string => `${iso.slice(5, 7)}/${iso.slice(8)}/${iso.slice(0, 4)}`;

/** The page and its script. What the script does is what `visitByHand` does. */
const pageOf = ({ token, key }: Visit, options: ScriptSiteOptions): string => `<!doctype html>
<meta name="csrf-token" content="${escaped(token)}">
<form id="search"><input name="q"><input type="hidden" name="form_key" value="${key}"><button>Search</button></form>
<div id="app"></div>
<script>
const options = ${JSON.stringify(options)};
const $ = (css) => document.querySelector(css);
const text = (value) => String(value).replace(/[&<>]/g, (mark) => "&#" + mark.charCodeAt(0) + ";");
const hex = async (value) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(value)))].map((one) => one.toString(16).padStart(2, "0")).join("");
const money = (value) => "$" + value.toLocaleString("en-US");
const headers = { "x-csrf-token": $("meta[name=csrf-token]").content, "x-requested-with": "XMLHttpRequest" };
fetch("/ping", { method: "POST" });
$("#search").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = JSON.stringify({ q: $("[name=q]").value, key: $("[name=form_key]").value, page: 1 });
  const found = await (await fetch("/api/search", { method: "POST", headers: { ...headers, "content-type": "application/json" }, body })).json();
  if (found.total === 0) { $("#app").innerHTML = "<p class=none>No such parcel</p>"; return; }
  const { ref } = found.hits[0];
  const query = new URLSearchParams();
  if (options.isSigned) query.set("sig", await hex(ref + ${JSON.stringify(SECRET)} + Math.floor(Date.now() / 60000000)));
  if (options.hasTime) query.set("_", Date.now());
  const path = options.remembers ? "/api/current" : "/api/parcels/" + encodeURIComponent(ref);
  const answer = await fetch(path + (query.size ? "?" + query : ""), { headers });
  if (options.isHtml) { $("#app").innerHTML = await answer.text(); return; }
  const { parcel } = await answer.json();
  if (options.isSplit) parcel.history = (await (await fetch(path + "/history", { headers })).json()).payments;
  const [year, month, day] = parcel.due.split("-");
  $("#app").innerHTML = "<b id=parcel>" + parcel.parcel + "</b><b id=owner>" + text(parcel.owner) + "</b><b id=value>" + money(parcel.value) +
    "</b><b id=due>" + [month, day, year].join("/") + "</b><ul>" + parcel.exemptions.map((one) => "<li>" + text(one)).join("") +
    "</ul><table id=history><tr><th>Year<th>Paid" + parcel.history.map((one) => "<tr><td>" + one.year + "<td>" + money(one.paid)).join("") + "</table>";
});
</script>`;
