import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openTestSession, openTestSite, type SiteRequest } from "../collectors/http/testing/test-site.ts";
import type { Page } from "../ports/collector.ts";
import { loadScraper } from "../scrapers/load-scraper.ts";
import type { ChainStep } from "./chain.ts";
import { explainSteps } from "./explain-chain.ts";
import { findSteps, unexplainedText } from "./find-chain.ts";
import { runChain } from "./run-chain.ts";
import type { Run } from "./run.ts";
import { HandBrowser } from "./testing/visit-by-hand.ts";
import { writeChain } from "./write-chain.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-chains-"));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, "source.scraper.ts"),
  `import { defineScraper } from "sluice-jobs";
import { z } from "zod";
export default defineScraper({ name: "source", input: z.object({ id: z.string() }), collect: async () => {} });
`,
);

/** A token that only this answer has. */
let drawn = 0;
const draw = (): string => createHash("sha256").update(`token ${drawn++}`).digest("hex").slice(0, 24);

interface Site {
  /** Answers one request; the last one of a visit answers with `{ id }`, if everything in the request is right. */
  readonly answer: (request: SiteRequest & { readonly path: URL }, reply: Reply) => void;
  readonly visit: (browser: HandBrowser, id: string) => Promise<void>;
}

interface Reply {
  readonly html: (text: string, headers?: Record<string, string | string[]>) => void;
  readonly json: (value: unknown, headers?: Record<string, string>) => void;
  readonly redirect: (to: string) => void;
}

const replyTo = (response: ServerResponse): Reply => ({
  html: (text, headers) =>
    void response.writeHead(200, { "content-type": "text/html", ...headers }).end(text),
  json: (value, headers) =>
    void response
      .writeHead(200, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(value)),
  redirect: (location) => void response.writeHead(302, { location }).end(),
});

let count = 0;

/** Two visits by hand, compared. */
const compared = async (site: { readonly url: string }, visit: Site["visit"]) => {
  const runs: Run[] = [];
  for (const id of ["0100000017", "0200300042"]) {
    const browser = new HandBrowser(site.url);
    await visit(browser, id);
    runs.push({ input: { id }, records: [], calls: browser.calls });
  }
  const found = findSteps(runs, new Map([["page", runs[0]!.calls.length - 1]]), "values");
  assert.ok(found);
  return found;
};

const openSite = (answer: Site["answer"]) =>
  openTestSite((request, response) =>
    answer({ ...request, path: new URL(request.url, "http://site") }, replyTo(response)),
  );

/** A third input by the chain that was found, and by the scraper that was written. Both must get its record. */
const distilled = async ({ answer, visit }: Site): Promise<string[]> => {
  await using site = await openSite(answer);
  const found = await compared(site, visit);
  assert.deepEqual(found.unexplained, []);
  const input = { id: "0999000733" };
  assert.equal((await byChain(site.url, found.steps, input)).at("id"), input.id);
  assert.equal((await byScraper(site.url, found.steps, input)).at("id"), input.id);
  return explainSteps(found.steps);
};

/** What nothing explains. */
const unexplained = async ({ answer, visit }: Site): Promise<string[]> => {
  await using site = await openSite(answer);
  const found = await compared(site, visit);
  return found.unexplained.map((one) => unexplainedText(found, one));
};

const byChain = async (site: string, steps: readonly ChainStep[], input: Run["input"]): Promise<Page> => {
  await using session = openTestSession(site);
  return (await runChain(steps, { input, http: session.http })).at(-1)!;
};

const byScraper = async (site: string, steps: readonly ChainStep[], input: Run["input"]): Promise<Page> => {
  const file = join(folder, `written-${++count}.scraper.ts`);
  const chain = { steps, fields: { by: "extract" }, dropped: [] } as const;
  writeFileSync(
    file,
    writeChain({
      chain,
      name: "written",
      source: "./source.scraper.ts",
      takenOver: ["input"],
      site,
      sample: input,
      about: [],
    }),
  );
  const { scraper } = await loadScraper(file);
  await using session = openTestSession(site);
  let kept: Page | undefined;
  const keep = { ...session.keep, page: (_: string, page: Page) => void (kept = page) };
  await scraper.collect({ input, http: session.http, keep } as unknown as Parameters<
    typeof scraper.collect
  >[0]);
  assert.ok(kept);
  return kept;
};

const pathOf = (lines: readonly string[], part: string): string | undefined =>
  lines.find((line) => line.includes(part))?.trim();

test("hidden fields of a form, and those of a partial answer", async () => {
  const states = new Set<string>();
  const issue = (): string => {
    const state = `/wE${draw()}==`;
    states.add(state);
    return state;
  };
  const lines = await distilled({
    answer({ method, path, body }, { html, json }) {
      const form = new URLSearchParams(body);
      const isKnown = states.delete(form.get("__VIEWSTATE") ?? "");
      if (method === "GET")
        return html(`<form><input type=hidden name=__VIEWSTATE value="${issue()}"><input name=id></form>`);
      if (!isKnown) return json({ error: "state" });
      if (path.pathname === "/find")
        return html(`1|#||4|10|updatePanel|p|<b>1</b>|99|hiddenField|__VIEWSTATE|${issue()}|`);
      json({ id: form.get("id") });
    },
    async visit(browser, id) {
      const post = (path: string, state: string): Promise<string> =>
        browser.send("xhr", path, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams({ __VIEWSTATE: state, id, go: "Search" }).toString(),
        });
      const page = await browser.send("document", "/");
      const delta = await post("/find", /VIEWSTATE value="([^"]+)/.exec(page)![1]!);
      await post("/show", /VIEWSTATE\|([^|]+)/.exec(delta)![1]!);
    },
  });
  assert.equal(
    pathOf(lines.slice(3, 6), "__VIEWSTATE"),
    'form field `__VIEWSTATE`: input[name="__VIEWSTATE"] @value of `start`',
  );
});

test("the input within a longer text, in groups, and encoded", async () => {
  const lines = await distilled({
    answer({ path }, { json }) {
      const id = /^APN = '(\d{3})-(\d{4})-(\d{3})' and year = 2026$/.exec(
        path.searchParams.get("$filter") ?? "",
      );
      const isSame =
        Buffer.from(path.searchParams.get("k") ?? "", "base64").toString() === id?.slice(1).join("");
      json({ id: isSame && id?.slice(1).join("") });
    },
    async visit(browser, id) {
      const grouped = id.replace(/(\d{3})(\d{4})(\d{3})/, "$1-$2-$3");
      const query = new URLSearchParams({
        $filter: `APN = '${grouped}' and year = 2026`,
        k: Buffer.from(id).toString("base64"),
      });
      await browser.send("fetch", `/data?${query.toString()}`);
    },
  });
  assert.equal(pathOf(lines, "query `k`"), "query `k`: the input's `id`, in base64");
});

test("a link that is followed unchanged", async () => {
  const refs = new Map<string, string>();
  const lines = await distilled({
    answer({ path }, { html, json }) {
      const id = path.searchParams.get("id");
      if (path.pathname === "/list" && id !== null) {
        const ref = draw();
        refs.set(ref, id);
        return html(`<p class=x>Found <a class="detail" href="show/${ref}?v=2&amp;x=${draw()}">it</a>`);
      }
      json({ id: refs.get(path.pathname.split("/")[2] ?? "") });
    },
    async visit(browser, id) {
      const page = await browser.send("document", `/list?id=${id}`);
      await browser.send("fetch", `/${/href="([^"]+)/.exec(page)![1]!.replaceAll("&amp;", "&")}`);
    },
  });
  assert.equal(pathOf(lines, "address:"), "address: .detail @href of `list`");
});

test("a variable of a script, with its escapes, and a token that the site sets as a cookie and expects as a header", async () => {
  const tokens = new Set<string>();
  const lines = await distilled({
    answer({ path, headers }, { html, json }) {
      if (path.pathname === "/") {
        const [token, xsrf] = [`${draw()}/x`, draw()];
        tokens.add(`${token} ${xsrf}`);
        return html(`<script>var config = {"apiToken":"${token.replace("/", "\\/")}", n: 1};</script>`, {
          "set-cookie": [`XSRF-TOKEN=${encodeURIComponent(`${xsrf}==`)}; Path=/`],
        });
      }
      const sent = `${path.searchParams.get("t")} ${String(headers["x-xsrf-token"]).replace("==", "")}`;
      json({ id: tokens.has(sent) && path.searchParams.get("id") });
    },
    async visit(browser, id) {
      const page = await browser.send("document", "/");
      const token = /apiToken":"([^"]+)/.exec(page)![1]!.replace("\\/", "/");
      await browser.send("fetch", `/data?id=${id}&t=${encodeURIComponent(token)}`, {
        headers: { "x-xsrf-token": decodeURIComponent(browser.cookie("XSRF-TOKEN")) },
      });
    },
  });
  assert.equal(
    pathOf(lines, "x-xsrf-token"),
    "header `x-xsrf-token`: cookie XSRF-TOKEN of `start`, percent-decoded",
  );
});

test("a parameter of the address that a request is redirected to, and a number in JSON", async () => {
  const keys = new Map<string, string>();
  const lines = await distilled({
    answer({ path, body }, { html, json, redirect }) {
      if (path.pathname === "/find") {
        const key = draw();
        keys.set(key, path.searchParams.get("id") ?? "");
        return redirect(`/result?key=${key}`);
      }
      if (path.pathname === "/result") return html("<p>here</p>");
      const { variables } = JSON.parse(body) as { variables: { key: string; n: number } };
      json({ id: variables.n === Number(keys.get(variables.key)) && keys.get(variables.key) });
    },
    async visit(browser, id) {
      await browser.send("document", `/find?id=${id}`);
      const { finalUrl } = browser.calls.at(-1)!;
      const variables = { key: new URL(finalUrl).searchParams.get("key"), n: Number(id) };
      await browser.send("fetch", "/graphql", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "query($key: ID) { it }", variables }),
      });
    },
  });
  assert.equal(pathOf(lines, "variables.key"), "JSON value `variables.key`: `key` of its address of `find`");
  assert.equal(
    pathOf(lines, "variables.n"),
    "JSON value `variables.n`: the input's `id`, without leading zeros",
  );
});

test("with several hits, the one that has the input", async () => {
  const refs = new Map<string, string>();
  const lines = await distilled({
    answer({ path }, { json }) {
      const id = path.searchParams.get("id");
      if (id === null) return json({ id: refs.get(path.searchParams.get("ref") ?? "") });
      const near = [
        String(Number(id) - 1).padStart(10, "0"),
        id,
        `${id.slice(0, 9)}${id.endsWith("9") ? 8 : 9}`,
      ];
      const hits = near.map((parcel) => {
        const ref = draw();
        refs.set(ref, parcel);
        return { ref, parcel };
      });
      json({ hits: Number(id) % 2 === 0 ? hits : hits.toReversed().slice(1) });
    },
    async visit(browser, id) {
      const { hits } = JSON.parse(await browser.send("fetch", `/find?id=${id}`)) as {
        hits: { ref: string; parcel: string }[];
      };
      await browser.send("fetch", `/show?ref=${hits.find(({ parcel }) => parcel === id)!.ref}`);
    },
  });
  assert.equal(
    pathOf(lines, "query `ref`"),
    "query `ref`: JSON ref of the entry of hits whose parcel is the input's `id` of `find`",
  );
});

test("a token in a response header, in a body of text", async () => {
  const tokens = new Set<string>();
  await distilled({
    answer({ path, body }, { json }) {
      if (path.pathname === "/token") {
        const token = draw();
        tokens.add(token);
        return json({}, { "x-token": token });
      }
      const [, token = "", id] = /<t>(.*)<\/t><id>(.*)<\/id>/.exec(body) ?? [];
      json({ id: tokens.has(token) && id });
    },
    async visit(browser, id) {
      await browser.send("fetch", "/token");
      const token = browser.calls[0]!.responseHeaders.find(([name]) => name === "x-token")![1];
      await browser.send("fetch", "/soap", {
        method: "POST",
        headers: { "content-type": "text/xml" },
        body: `<e><t>${token}</t><id>${id}</id></e>`,
      });
    },
  });
});

test("a short value that appears somewhere by chance is not taken as the source", async () => {
  const lines = await unexplained({
    answer: ({ path }, { html }) => html(`<p>Page <b>${path.searchParams.get("id")?.slice(-2)}</b> of 99`),
    async visit(browser, id) {
      await browser.send("document", `/?id=${id}`);
      await browser.send("fetch", `/data?n=${id.slice(-2)}`);
    },
  });
  assert.deepEqual(lines, [
    "request 2 GET /data: query `n` changes between runs and comes from no earlier response",
  ]);
});

test("field names that change with each page are reported", async () => {
  const lines = await unexplained({
    answer: (_, { html }) => html("<p>fields by script"),
    async visit(browser, id) {
      await browser.send("document", "/");
      await browser.send("fetch", `/data?id=${id}&f${draw().slice(0, 6)}=1`);
    },
  });
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, /query `f\w{6}` is sent in only some of the runs/);
});

test("text of a site cannot become code", async () => {
  const evil = "*/ throw 1 /* `${process.exit(3)}` ' \" \\ \u2028";
  const tokens = new Set<string>();
  await distilled({
    answer({ path, body }, { json }) {
      if (path.pathname === "/token") {
        const token = draw();
        tokens.add(token);
        return json({ [evil]: { [`${evil}\n`]: [{ case: token }] } });
      }
      const sent = JSON.parse(Buffer.from(body, "latin1").toString()) as Record<string, string>;
      const isRight =
        path.searchParams.get(evil) === evil && sent[evil] === evil && tokens.has(sent["t"] ?? "");
      json({ id: isRight && sent["id"] });
    },
    async visit(browser, id) {
      const answer = JSON.parse(await browser.send("fetch", "/token")) as Record<
        string,
        Record<string, { case: string }[]>
      >;
      const token = answer[evil]![`${evil}\n`]![0]!.case;
      await browser.send("fetch", `/data?${new URLSearchParams({ [evil]: evil }).toString()}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id, t: token, [evil]: evil }),
      });
    },
  });
});
