import { decodeHTML } from "entities";
import type { Exchange } from "../../domain/capture.ts";
import { callsOf, type Run, type SeenExchange } from "../run.ts";
import { type ScriptSiteOptions, signatureOf, truthOf } from "./script-site.ts";

/** What a browser would do on the script site, with its requests as the browser's collector reports them. */
export const visitByHand = async (
  site: string,
  parcel: string,
  options: ScriptSiteOptions = {},
): Promise<Run> => {
  const seen: SeenExchange[] = [];
  let cookie = "";
  const send = async (
    type: SeenExchange["type"],
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<string> => {
    const { method = "GET", body } = init;
    const headers = { accept: type === "document" ? "text/html" : "*/*", ...init.headers };
    const startedAt = Date.now();
    const response = await fetch(site + path, {
      ...init,
      headers: { ...headers, ...(cookie && { cookie }) },
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
    const exchange: Exchange = {
      method,
      url: site + path,
      startedAt,
      requestHeaders: Object.entries(headers),
      ...(body !== undefined && { requestBody: Buffer.from(body) }),
      status: response.status,
      statusText: "",
      responseHeaders: [...response.headers],
      body: bytes,
    };
    seen.push({ type, exchange });
    return Buffer.from(bytes).toString();
  };
  const page = await send("document", "/");
  const [token = "", key = ""] = [/csrf-token" content="([^"]*)/, /form_key" value="([^"]*)/].map((one) =>
    decodeHTML(one.exec(page)![1]!),
  );
  const headers = { "x-csrf-token": token, "x-requested-with": "XMLHttpRequest" };
  await send("fetch", "/ping", { method: "POST" });
  const body = JSON.stringify({ q: parcel, key, page: 1 });
  const answer = await send("fetch", "/api/search", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  const [hit] = (JSON.parse(answer) as { hits: { ref: string }[] }).hits;
  const truth = truthOf(parcel);
  if (hit !== undefined) {
    const query = new URLSearchParams();
    if (options.isSigned) query.set("sig", signatureOf(hit.ref));
    if (options.hasTime) query.set("_", String(Date.now()));
    const path = options.remembers ? "/api/current" : `/api/parcels/${encodeURIComponent(hit.ref)}`;
    await send("fetch", path + (query.size > 0 ? `?${query.toString()}` : ""), { headers });
  }
  const records = truth && [
    Object.fromEntries(
      Object.entries({ ...truth, ref: undefined }).flatMap(([name, value]) => {
        if (value === undefined) return [];
        const isNone = Array.isArray(value) && value.length === 0;
        return [
          [
            name,
            { status: isNone ? ("missing" as const) : ("present" as const), value: isNone ? null : value },
          ],
        ];
      }),
    ),
  ];
  return { input: { parcel }, records, calls: callsOf(seen) };
};
