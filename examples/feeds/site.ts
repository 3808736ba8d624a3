import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { closeServer, listenOnAll } from "../county/listen.ts";
import { reply } from "../county/reply.ts";

export interface FeedSite extends AsyncDisposable {
  readonly url: string;
}

/** A town that publishes everything but pages: RSS, Atom, a sitemap, SOAP and a JSON API. Port 0: the system chooses. */
export async function startFeedSite(port = 0): Promise<FeedSite> {
  const { port: own, servers } = await listenOnAll(["127.0.0.1"], port, listenerFor);
  return {
    url: `http://127.0.0.1:${own}`,
    [Symbol.asyncDispose]: async () => void (await Promise.all(servers.map(closeServer))),
  };
}

const listenerFor = (): RequestListener => (req, res) => {
  const url = new URL(req.url ?? "/", `http://${req.headers.host ?? "127.0.0.1"}`);
  const page = /^\/pages\/(\d+)$/.exec(url.pathname)?.[1];
  if (page !== undefined) return reply(res, 200, `<h1>Notice ${page}</h1><p>Read it out at the door.</p>`);
  const route = ROUTES[url.pathname];
  if (route === undefined) return reply(res, 404, "<p>No such page</p>");
  void route(url, res, req);
};

type Route = (url: URL, res: ServerResponse, req: IncomingMessage) => unknown;

const ROUTES: Readonly<Record<string, Route>> = {
  "/news.rss": ({ origin }, res) => send(res, "application/rss+xml", rss(origin)),
  "/notices.atom": ({ origin }, res) => send(res, "application/atom+xml", atom(origin)),
  "/sitemap.xml": ({ origin }, res) => send(res, "application/xml", sitemapIndex(origin)),
  "/sitemap-1.xml": ({ origin }, res) => send(res, "application/xml", sitemap(origin, 1)),
  "/sitemap-2.xml": ({ origin }, res) => send(res, "application/xml", sitemap(origin, 4)),
  "/api/permits": (url, res) => send(res, "application/json", JSON.stringify(permits(url), null, 2)),
  "/soap/assessor": async (_url, res, req) => {
    const parcel = /<parcel>(\d+)<\/parcel>/.exec(await readText(req))?.[1];
    const owner = OWNERS[Number(parcel)];
    if (owner === undefined) send(res, "text/xml", soap(FAULT), 500);
    else send(res, "text/xml", soap(parcelBody(parcel ?? "", owner)));
  },
};

const send = (res: ServerResponse, type: string, body: string, status = 200): void =>
  reply(res, status, body, { "content-type": `${type}; charset=utf-8` });

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NEWS = ["Budget & taxes", "Road works on Main St", "Library <closed> on Monday"];
const OWNERS = ["", "Ann Smith", "José Núñez", "Smith & Sons"];
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** A day of February, as RSS writes it: `Fri, 02 Feb 2024 16:05:00 +0000`. */
const mailDate = (day: number): string =>
  new Date(Date.UTC(2024, 1, day, 16, 5)).toUTCString().replace("GMT", "+0000");

const rss = (origin: string): string => `${DECLARATION}<rss version="2.0"
  xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
  <title>News of Willow</title>
  <atom:link href="${origin}/news.rss" rel="self" type="application/rss+xml"/>
  <link>${origin}/</link>
${NEWS.map(
  (title, at) => `  <item>
    <title>${escaped(title)}</title>
    <link>${origin}/pages/${at + 1}?from=rss&amp;n=${at}</link>
    <description><![CDATA[<p>All about <b>${escaped(title)}</b>.</p>]]></description>
    <dc:creator>Town clerk</dc:creator>
    <pubDate>${mailDate(at + 2)}</pubDate>
    <guid isPermaLink="false">news-${at + 1}</guid>
  </item>`,
).join("\n")}
</channel>
</rss>
`;

const atom = (origin: string): string => `${DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">
  <title>Notices of Willow</title>
  <updated>2024-02-10T12:00:00Z</updated>
${[1, 2]
  .map(
    (number) => `  <entry>
    <id>tag:willow.example,2024:${number}</id>
    <title type="html">Notice &lt;i&gt;${number}&lt;/i&gt;</title>
    <link rel="edit" href="${origin}/edit/${number}"/>
    <link rel="alternate" href="/pages/${number}"/>
    <updated>2024-02-0${number}T08:30:00Z</updated>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hearing<br/>at noon</p></div></content>
  </entry>`,
  )
  .join("\n")}
</feed>
`;

const SITEMAPS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

const sitemapIndex = (origin: string): string =>
  `${DECLARATION}<sitemapindex ${SITEMAPS}>${[1, 2]
    .map((number) => `<sitemap><loc>${origin}/sitemap-${number}.xml</loc></sitemap>`)
    .join("")}</sitemapindex>\n`;

const sitemap = (origin: string, from: number): string =>
  `${DECLARATION}<urlset ${SITEMAPS}>\n${[from, from + 1, from + 2]
    .map((number) => `  <url><loc>${origin}/pages/${number}</loc><lastmod>2024-02-0${number}</lastmod></url>`)
    .join("\n")}\n</urlset>\n`;

const soap = (body: string): string =>
  `${DECLARATION}<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${body}</soap:Body></soap:Envelope>\n`;

const FAULT =
  "<soap:Fault><faultcode>soap:Client</faultcode><faultstring>No such parcel</faultstring></soap:Fault>";

const parcelBody = (parcel: string, owner: string): string =>
  `<m:GetParcelResponse xmlns:m="urn:assessor"><m:Parcel number="${parcel}"><m:Owner>${escaped(owner)}</m:Owner>
  <m:MarketValue currency="USD">${parcel}84,890.00</m:MarketValue><m:AsOf>2024-01-01</m:AsOf></m:Parcel></m:GetParcelResponse>`;

const PERMITS = 10;
const PER_PAGE = 4;

/** Three pages: four permits, four, two. */
function permits({ pathname, searchParams }: URL): unknown {
  const page = Number(searchParams.get("page") ?? 1);
  const numbers = Array.from({ length: PERMITS }, (_, at) => at + 1).slice(
    (page - 1) * PER_PAGE,
    page * PER_PAGE,
  );
  return {
    meta: { total: PERMITS, next: page * PER_PAGE < PERMITS ? `${pathname}?page=${page + 1}` : null },
    data: {
      permits: numbers.map((number) => ({
        id: 4000 + number,
        status: number % 3 === 0 ? "expired" : "issued",
        fee: `${number}25.50`,
        issued: `2024-03-${String(number).padStart(2, "0")}`,
        applicant: { name: number === 7 ? null : `Applicant ${number}` },
        inspections: Array.from({ length: number % 3 }, (_, at) => ({
          on: `2024-04-0${at + 1}`,
          passed: at === 0,
        })),
      })),
    },
  };
}
