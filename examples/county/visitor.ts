import { selectAll, selectOne } from "css-select";
import { type Document, type Element, isTag, type ParentNode } from "domhandler";
import { innerText } from "domutils";
import { parseDocument } from "htmlparser2";
import { fetch } from "undici";
import { type FieldName, REQUIRED_FIELDS } from "./listing.ts";

/**
 * A plain visitor of the site, for its tests: knows nothing of how the site is made, only how its pages are read. Shaped
 * like a line of the truth file, so that the two can be compared.
 */
export interface Visited {
  readonly state: "done" | "absent" | "failed";
  readonly kind?: string;
  readonly quality?: "complete" | "partial";
  readonly fields?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

export interface Patience {
  readonly requestMs: number;
  /** So many times as long for each further try; as long when left out. */
  readonly growsBy?: number;
  readonly bytes: number;
  readonly tries: number;
}

export async function visit(site: string, parcel: string, patience: Patience): Promise<Visited> {
  const hits = await searchFor(site, parcel);
  if (selectOne(".no-results", hits.page)) return { state: "absent" };
  const href = attributeOf("a.detail", hits.page, "href");
  const address = new URL(href, hits.url).href;
  let outcome: Visited = { state: "failed", kind: "not tried" };
  for (let i = 0; i < patience.tries; i++) {
    const { requestMs, growsBy = 1 } = patience;
    outcome = await readDetail(address, { ...patience, requestMs: requestMs * growsBy ** i });
    if (!PASSING.has(outcome.kind ?? "")) break;
  }
  return outcome;
}

/** Fills in the search form as a browser would, following redirects. */
export async function searchFor(site: string, parcel: string): Promise<{ url: string; page: Document }> {
  const first = await fetch(`${site}/search`);
  const cookie = (first.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const body = formValues(await first.text());
  body.set("parcel", parcel);
  const posted = await fetch(`${site}/search.aspx`, {
    method: "POST",
    body,
    headers: { cookie },
    redirect: "manual",
  });
  const location = posted.headers.get("location");
  const hits = location === null ? posted : await fetch(new URL(location, site), { headers: { cookie } });
  return { url: hits.url || `${site}/search.aspx`, page: parseDocument(await hits.text()) };
}

/** What the search form would send when its Search button is pressed. */
export function formValues(html: string): URLSearchParams {
  const values = new URLSearchParams();
  for (const control of elementsOf("#search input, #search select", parseDocument(html))) {
    const { name = "", value = "", type, id, checked } = control.attribs;
    if (control.name === "select") {
      values.set(name, attributeOf("option[selected]", control, "value"));
    } else if (type === "radio" ? checked !== undefined : type !== "submit" || id === "btnSearch") {
      values.set(name, value);
    }
  }
  return values;
}

const PASSING = new Set(["timeout", "connection", "rate-limited", "maintenance", "server-error"]);

async function readDetail(address: string, patience: Patience): Promise<Visited> {
  let text = "";
  let status: number;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(patience.requestMs) });
    status = response.status;
    const decoder = new TextDecoder();
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > patience.bytes) return { state: "failed", kind: "too-large" };
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === "TimeoutError";
    return { state: "failed", kind: isTimeout ? "timeout" : "connection" };
  }
  if (status === 200) return readPage(parseDocument(text));
  return { state: "failed", kind: kindOfStatus(status) };
}

export const kindOfStatus = (status: number): string =>
  ({ 403: "blocked", 429: "rate-limited", 500: "server-error", 503: "maintenance" })[status] ??
  String(status);

/** What a careful reader makes of a detail page. */
export function readPage(page: Document): Visited {
  if (selectOne("form .g-recaptcha", page)) return { state: "failed", kind: "captcha" };
  const fields: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  for (const [name, { selector, read }] of Object.entries(PLACES)) {
    const texts = elementsOf(selector, page).map((element) => innerText(element).replace(/\s+/g, " ").trim());
    const value = ["", "--", "N/A"].includes(texts[0] ?? "") ? null : read(texts);
    fields[name] =
      texts.length === 0
        ? "missing"
        : value === null
          ? "empty"
          : value === undefined
            ? "malformed"
            : "present";
    if (fields[name] === "present") values[name] = value;
  }
  const missing = REQUIRED_FIELDS.filter((name) => fields[name] === "missing");
  if (missing.length === REQUIRED_FIELDS.length) return { state: "failed", kind: "structure-changed" };
  const isPartial = missing.length > 0 || REQUIRED_FIELDS.some((name) => fields[name] === "malformed");
  return { state: "done", quality: isPartial ? "partial" : "complete", fields, values };
}

const elementsOf = (selector: string, within: ParentNode): Element[] =>
  selectAll(selector, within).filter((node) => isTag(node));

const attributeOf = (selector: string, within: ParentNode, name: string): string =>
  elementsOf(selector, within)[0]?.attribs[name] ?? "";

type Reading = (texts: readonly string[]) => unknown;

const asText: Reading = ([text]) => text;
const asNumber: Reading = ([text = ""]) =>
  /^\$?\d{1,3}(,?\d{3})*(\.\d+)?%?$/.test(text) ? Number(text.replaceAll(/[$,%]/g, "")) : undefined;
const asDate: Reading = ([text = ""]) =>
  /^(\d\d)\/(\d\d)\/(\d{4})$/
    .exec(text)
    ?.slice(1)
    .join("-")
    .replace(/^(.{5})-(.{4})$/, "$2-$1");

const PLACES: Record<FieldName, { readonly selector: string; readonly read: Reading }> = {
  parcel: { selector: "#lblParcel", read: asText },
  owner: { selector: "#account .owner", read: asText },
  situs: { selector: "#account .situs", read: asText },
  legalClass: { selector: "#account .legal-class", read: asText },
  marketValue: { selector: "#market", read: asNumber },
  assessedValue: { selector: "#assessed", read: asNumber },
  taxRate: { selector: "#taxes .rate", read: asNumber },
  taxDue: { selector: "#taxdue", read: asNumber },
  taxYear: { selector: "#taxyear", read: asNumber },
  dueDate: { selector: "#taxes .due-date", read: asDate },
  exemptions: { selector: "li.exemption", read: (texts) => texts },
};
