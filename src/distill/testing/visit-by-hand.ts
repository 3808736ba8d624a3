import { decodeHTML } from "entities";
import type { Exchange } from "../../domain/capture.ts";
import { type CallType, callsOf, type Run, type SeenExchange } from "../run.ts";
import { type ScriptSiteOptions, signatureOf, truthOf } from "./script-site.ts";

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends what a page would send, keeps cookies, and reports its exchanges as the browser's collector does. */
export class HandBrowser {
  readonly #site: string;
  readonly #seen: SeenExchange[] = [];
  readonly #cookies = new Map<string, string>();

  constructor(site: string) {
    this.#site = site;
  }

  get calls(): Run["calls"] {
    return callsOf(this.#seen);
  }

  cookie(name: string): string {
    return this.#cookies.get(name) ?? "";
  }

  /** Returns the text of the last answer, after redirects. */
  async send(
    type: CallType,
    path: string,
    { method = "GET", headers = {}, body }: Sent = {},
  ): Promise<string> {
    const url = new URL(path, this.#site);
    const sent = { accept: type === "document" ? "text/html" : "*/*", ...headers };
    const startedAt = Date.now();
    const cookie = [...this.#cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: { ...sent, ...(cookie && { cookie }) },
      ...(body !== undefined && { body }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.#cookies.set(name, value);
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    const exchange: Exchange = {
      method,
      url: url.href,
      startedAt,
      requestHeaders: Object.entries(sent),
      ...(body !== undefined && { requestBody: Buffer.from(body) }),
      status: response.status,
      statusText: "",
      responseHeaders: [...response.headers],
      body: bytes,
    };
    this.#seen.push({ type, exchange });
    const location = response.headers.get("location");
    return location === null
      ? Buffer.from(bytes).toString()
      : await this.send(type, new URL(location, url).href, { headers });
  }
}

/** What a browser would do on the script site. */
export const visitByHand = async (
  site: string,
  parcel: string,
  options: ScriptSiteOptions = {},
): Promise<Run> => {
  const browser = new HandBrowser(site);
  const page = await browser.send("document", "/");
  const [token = "", key = ""] = [/csrf-token" content="([^"]*)/, /form_key" value="([^"]*)/].map((one) =>
    decodeHTML(one.exec(page)![1]!),
  );
  const headers = { "x-csrf-token": token, "x-requested-with": "XMLHttpRequest" };
  await browser.send("fetch", "/ping", { method: "POST" });
  const answer = await browser.send("fetch", "/api/search", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ q: parcel, key, page: 1 }),
  });
  const [hit] = (JSON.parse(answer) as { hits: { ref: string }[] }).hits;
  if (hit !== undefined) {
    const query = new URLSearchParams();
    if (options.isSigned) query.set("sig", signatureOf(hit.ref));
    if (options.hasTime) query.set("_", String(Date.now()));
    const path = options.remembers ? "/api/current" : `/api/parcels/${encodeURIComponent(hit.ref)}`;
    await browser.send("fetch", path + (query.size > 0 ? `?${query.toString()}` : ""), { headers });
    if (options.isSplit) await browser.send("fetch", `${path}/history`, { headers });
  }
  const truth = truthOf(parcel);
  const records = truth && [
    Object.fromEntries(
      Object.entries({ ...truth, ref: undefined }).flatMap(([name, value]) => {
        if (value === undefined) return [];
        const isNone = Array.isArray(value) && value.length === 0;
        const status = isNone ? ("missing" as const) : ("present" as const);
        return [[name, { status, value: isNone ? null : value }]];
      }),
    ),
  ];
  return { input: { parcel }, records, calls: browser.calls };
};
