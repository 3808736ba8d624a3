import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { suite, test, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { directSession } from "../../src/collectors/browser/below-the-api.ts";
import type { StoredBody } from "../../src/domain/capture.ts";
import { StopError } from "../../src/domain/failure.ts";
import { browserOrSkip } from "../browser.ts";
import { asJson, endOf, startBrowserKit, startSite } from "./browser-kit.ts";

const SCRIPT = `fetch("/api").then((r) => r.json()).then(({ owner }) => {
  document.querySelector("#app").innerHTML = '<b id="owner">' + owner + "</b>";
  const card = document.querySelector("x-card");
  card.attachShadow({ mode: "open" }).innerHTML = '<i id="deep">in a shadow</i>';
})`;
const RENDERED = `<!doctype html><title>t</title><div id="app"></div><x-card></x-card><img src="/a.png"><script src="/lib.js"></script><script>${SCRIPT}</script>`;
const cached = (_: unknown, res: import("node:http").ServerResponse): void =>
  void res
    .writeHead(200, { "content-type": "text/javascript", "cache-control": "max-age=3600" })
    .end("window.lib = 1;");

const withKit = async (
  t: TestContext,
  run: (kit: Awaited<ReturnType<typeof startBrowserKit>>) => Promise<void>,
  settings = {},
): Promise<void> => {
  if (!(await browserOrSkip(t))) return;
  await using kit = await startBrowserKit(settings);
  await run(kit);
};

void suite("browser collector", () => {
  void test("renders, reads, keeps the final DOM and archives every response once", (t) =>
    withKit(t, async ({ run }) => {
      await using site = await startSite({
        "/p": RENDERED,
        "/lib.js": cached,
        "/api": asJson({ owner: "Ann" }),
      });
      const result = await run(site.url, async (page) => {
        await page.goto("/p");
        assert.equal(await page.ready(["#none", "#owner"]), "#owner");
        assert.equal(await page.text("#owner"), "Ann");
        assert.equal(await page.text("#deep"), "in a shadow");
        assert.equal(await page.attr("script", "src"), "/lib.js");
        assert.equal(await page.has("#none"), false);
        await page.keep("detail");
      });
      assert.equal(endOf(result), "pages");
      const [page] = result.session.kept.pages;
      assert.equal(page?.url, `${site.url}/p`);
      assert.match(page?.text ?? "", /<b id="owner">Ann<\/b>.*in a shadow/s);
      const paths = result.archived.map(({ url }) => url.replace(site.url, ""));
      assert.deepEqual(paths.toSorted(), ["/api", "/lib.js", "/p", "urn:dom:/p"]);
      assert.deepEqual(result.slots, ["/p", "/api"], "scripts use no slot");
      assert.ok(!site.asked.includes("/a.png"), "pictures are not loaded unless asked for");
      assert.ok(result.session.bytes > RENDERED.length, "bytes are those of the connections");
    }));

  void test("a warm tab keeps the cache and nothing of the item before", (t) =>
    withKit(
      t,
      async ({ run }) => {
        await using site = await startSite({
          "/set": `<script src="/lib.js"></script><p id="done"></p><script>
          document.cookie = "a=1"; localStorage.a = 1; sessionStorage.a = 1; window.name = "left";
          indexedDB.open("left"); </script>`,
          "/look": `<script src="/lib.js"></script><p id="left"></p><script>
          indexedDB.databases().then((all) => { document.querySelector("#left").textContent =
            [document.cookie, localStorage.a, sessionStorage.a, window.name, all.length].join(); });</script>`,
          "/lib.js": cached,
        });
        for (const isolation of ["job", "item"] as const) {
          let left: string | undefined;
          const options = { browser: { isolation }, sharedBy: isolation };
          site.asked.length = 0;
          await run(site.url, (page) => page.goto("/set"), options);
          const result = await run(
            site.url,
            async (page) => {
              await page.goto("/look");
              await page.ready("#left:not(:empty)");
              left = await page.text("#left");
            },
            options,
          );
          assert.equal(endOf(result), "pages");
          assert.equal(left, ",,,,0");
          const fetched = site.asked.filter((path) => path === "/lib.js").length;
          assert.equal(fetched, isolation === "job" ? 1 : 2);
        }
      },
      { tabs: 1 },
    ));

  void test("a script that is stored already is not read again, and a changed one is", (t) =>
    withKit(t, async ({ run }) => {
      let etag = '"1"';
      await using site = await startSite({
        "/p": `<p id="done"></p><script src="/lib.js"></script>`,
        "/lib.js": (_, res) => {
          const body = `document.querySelector("#done").textContent = '${etag}'`;
          res.writeHead(200, { "content-type": "text/javascript", etag, "content-length": body.length });
          res.end(body);
        },
      });
      const bodies = new Map<string, StoredBody>();
      const lengths: [number, number | undefined][] = [];
      for (const tag of ['"1"', '"1"', '"2"', '"1"']) {
        etag = tag;
        let shown: string | undefined;
        const { archived } = await run(
          site.url,
          async (page) => {
            await page.goto("/p");
            shown = await page.text("#done");
          },
          { browser: { isolation: "item" }, bodies },
        );
        assert.equal(shown, tag);
        const [script, ...others] = archived.filter(({ url }) => url.endsWith("/lib.js"));
        assert.ok(script && others.length === 0);
        lengths.push([script.body.length, script.same?.length]);
      }
      const { length } = `document.querySelector("#done").textContent = '"1"'`;
      assert.deepEqual(lengths, [
        [length, undefined],
        [0, length],
        [length, undefined],
        [0, length],
      ]);
    }));

  void test("what a page still does when its item has ended reaches no other item", (t) =>
    withKit(
      t,
      async ({ run }) => {
        const BUSY: Readonly<Record<string, string>> = {
          timers: `setInterval(mark, 1); const draw = () => { mark(); requestAnimationFrame(draw); }; draw();`,
          listeners: `for (const name of ["pagehide", "unload", "beforeunload", "visibilitychange"]) addEventListener(name, mark);`,
          frame: `document.body.append(document.createElement("iframe")); frames[0].setInterval(mark, 1);`,
          requests: `for (const n of [1, 2, 3]) (async () => { for (;;) await fetch("/api?" + n).then(mark, mark); })();`,
          worker: `new Worker(URL.createObjectURL(new Blob(["setInterval(() => postMessage(1), 1)"]))).onmessage = mark;`,
        };
        await using site = await startSite({
          ...Object.fromEntries(
            Object.entries(BUSY).map(([name, script]) => [
              `/${name}`,
              `<body><script>const mark = () => { localStorage.a = sessionStorage.a = 1; document.cookie = "a=1"; window.name = "left"; };
              ${script} </script><p id="done"></p>`,
            ]),
          ),
          "/api": (_, res) => void res.writeHead(200, { "content-type": "application/json" }).end("{}"),
          "/look": `<p id="left"></p><script>setTimeout(() => { left.textContent =
            [document.cookie, localStorage.a, sessionStorage.a, window.name].join(); }, 50);</script>`,
        });
        for (const name of Object.keys(BUSY)) {
          const options = { sharedBy: name };
          await run(site.url, (page) => page.goto(`/${name}`), options);
          let left: string | undefined;
          const result = await run(
            site.url,
            async (page) => {
              assert.equal(page.url(), "about:blank");
              await page.goto("/look");
              await page.ready("#left:not(:empty)");
              left = await page.text("#left");
            },
            options,
          );
          assert.equal(endOf(result), "pages", name);
          assert.equal(left, ",,,", name);
          assert.deepEqual(result.slots, ["/look"], `${name}: requests of the item before are not its own`);
        }
      },
      { tabs: 1 },
    ));

  void test("the browser gets every switch that the library would give it", (t) =>
    withKit(t, async ({ run }) => {
      await using site = await startSite({ "/": "<p>A page</p>" });
      await run(site.url, (page) => page.goto("/"));
      const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8")
        .trim()
        .split(" ");
      const own = children
        .map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"))
        .find((line) => line.some((part) => part.includes(`sluice-browser-${process.pid}-`)))!;
      const repeated = Map.groupBy(own, (part) => part.split("=", 1)[0]!);
      for (const [name, given] of repeated) {
        const [first = [], last = []] = [given[0], given.at(-1)].map((part) =>
          part!.slice(name.length + 1).split(","),
        );
        assert.deepEqual(
          first.filter((value) => !last.includes(value)),
          [],
          `${name}: only the last one counts`,
        );
      }
      assert.ok(repeated.get("--disable-features")!.length > 1, own.join(" "));
    }));

  void test("a page with cookies is private, whoever has set them", (t) =>
    withKit(t, async ({ run }) => {
      const page =
        (cookie?: string): Parameters<typeof startSite>[0][string] =>
        (_, res) =>
          void res
            .writeHead(200, { "content-type": "text/html", ...(cookie && { "set-cookie": cookie }) })
            .end("<p>A page</p>");
      await using site = await startSite({
        "/none": page(),
        "/hidden": page("a=1; HttpOnly"),
        "/script": "<script>document.cookie = 'a=1'</script>",
      });
      for (const [path, isPrivate] of [
        ["/none", false],
        ["/hidden", true],
        ["/script", true],
      ] as const) {
        const { session } = await run(site.url, async (tab) => {
          await tab.goto(path);
          await tab.keep("page");
        });
        assert.equal(session.hasSecrets, isPrivate, path);
      }
    }));

  void test("statuses, blocks and broken connections have the kinds that HTTP has", (t) =>
    withKit(t, async ({ run }) => {
      const shell = (path: string) =>
        `<p id="app"></p><script>fetch("${path}").then((r) => { if (r.ok) app.className = "ok" })</script>`;
      await using site = await startSite({
        "/gone": (_, res) => void res.writeHead(404, { "content-type": "text/html" }).end("<p id=x>gone</p>"),
        "/down": (_, res) => void res.writeHead(500).end("oops"),
        "/slow-down": (_, res) => void res.writeHead(429, { "retry-after": "7" }).end("later"),
        "/cut": (req) => void req.socket.resetAndDestroy(),
        "/hang": () => undefined,
        "/shell-429": shell("/slow-down"),
        "/shell-500": shell("/down"),
        "/shell-cut": shell("/cut"),
        "/shell-hang": shell("/hang"),
      });
      const open = (path: string) =>
        run(site.url, (page) => page.goto(path), { limits: { requestMs: 2500 } });
      assert.equal(endOf(await open("/gone")), "navigation");
      assert.equal(endOf(await open("/down")), "server-error");
      assert.equal(endOf(await open("/cut")), "connection");
      assert.equal(endOf(await open("/hang")), "timeout");
      const limited = await open("/slow-down");
      assert.equal(limited.ended === "failure" && limited.failure.retryAfterMs, 7000);
      assert.equal(endOf(await run(site.url, (page) => page.goto("/gone", { accept: [404] }))), "pages");
      const shown = (path: string) =>
        run(
          site.url,
          async (page) => {
            await page.goto(path);
            await page.ready("#app.ok");
          },
          { limits: { requestMs: 4000 } },
        );
      assert.equal(endOf(await shown("/shell-429")), "rate-limited");
      assert.equal(endOf(await shown("/shell-500")), "server-error");
      assert.equal(endOf(await shown("/shell-cut")), "connection");
      assert.equal(endOf(await shown("/shell-hang")), "timeout");
    }));

  void test("files are kept as what they are, and are no page", (t) =>
    withKit(t, async ({ run }) => {
      const pdf = Buffer.from("%PDF-1.4\n".padEnd(5000, "x"));
      await using site = await startSite({
        "/": `<a id="pdf" href="/bill.pdf">bill</a><a id="csv" href="/all.csv">all</a>`,
        "/bill.pdf": (_, res) => void res.writeHead(200, { "content-type": "application/pdf" }).end(pdf),
        "/all.csv": (_, res) =>
          void res
            .writeHead(200, {
              "content-type": "text/csv",
              "content-disposition": "attachment; filename=all.csv",
            })
            .end("a,b\n1,2\n"),
        "/endless": (_, res) => {
          res.writeHead(200, { "content-type": "application/octet-stream" });
          const timer = setInterval(() => res.write(Buffer.alloc(64 * 1024)), 5);
          res.on("close", () => clearInterval(timer));
        },
      });
      const result = await run(site.url, async (page) => {
        await page.goto("/");
        const bill = await page.download("bill", { click: "#pdf" });
        assert.equal(bill.mediaType, "application/pdf");
        assert.equal(bill.size, pdf.length);
        assert.equal((await page.download("all", { url: "/all.csv" })).size, 8);
        const printed = await page.pdf("printed");
        assert.ok(printed.size > 500);
        assert.equal(await page.has("#pdf"), true, "the page is still there");
      });
      assert.equal(endOf(result), "pages");
      assert.deepEqual(
        result.session.kept.files.map(({ name }) => name),
        ["bill", "all", "printed"],
      );
      assert.equal(endOf(await run(site.url, (page) => page.goto("/bill.pdf"))), "bad-content");
      const endless = await run(
        site.url,
        async (page) => void (await page.download("x", { url: "/endless" })),
        { limits: { fileBytes: 500_000 } },
      );
      assert.equal(endOf(endless), "too-large");
      assert.equal(endOf(await run(site.url, (page) => page.goto("/endless"))), "bad-content");
    }));

  void test("hostile pages cost their item a typed failure, and the next item nothing", (t) =>
    withKit(
      t,
      async ({ run }) => {
        await using site = await startSite({
          "/ok": `<p id="ok">fine</p>`,
          "/loop": `<p id="ok">x</p><script>setTimeout(() => { for (;;); }, 50)</script>`,
          "/alerts": `<p>x</p><script>for (;;) alert("again")</script>`,
          "/leave": `<p id="ok">x</p><script>onbeforeunload = (e) => { e.preventDefault(); e.returnValue = "stay" }</script>`,
          "/popups": `<p id="ok">x</p><script>for (let i = 0; i < 100; i++) open("/ok?" + i)</script>`,
          "/huge": (_, res) => {
            res.writeHead(200, { "content-type": "text/html" });
            const timer = setInterval(() => res.write("<p>more</p>".repeat(20_000)), 1);
            res.on("close", () => clearInterval(timer));
          },
          "/bomb": (_, res) =>
            void res
              .writeHead(200, { "content-type": "text/html", "content-encoding": "gzip" })
              .end(gzipSync(Buffer.alloc(64 * 1024 * 1024, 32))),
          "/big-dom": `<p id="ok">x</p><script>const big = document.createElement("script"); big.type = "text/plain"; big.text = "y".repeat(6_000_000); document.body.append(big)</script>`,
        });
        const limits = { requestMs: 3000, bodyBytes: 2_000_000, decodedBytes: 5_000_000, hops: 20 };
        /** Long enough for a busy machine where a page ends by itself. */
        const visit = (path: string, requestMs = 60_000) =>
          run(
            site.url,
            async (page) => {
              await page.goto(path);
              await page.ready("#ok");
              // Lets scripts that wait begin.
              await page.ready("body");
              await page.keep("kept");
              assert.equal(await page.text("#ok"), "x");
            },
            { limits: { ...limits, requestMs } },
          );
        const loop = await run(
          site.url,
          async (page) => {
            await page.goto("/loop");
            for (;;) await page.has("#never");
          },
          { limits },
        );
        assert.equal(endOf(loop), "browser");
        assert.match(endOf(await visit("/alerts", limits.requestMs)), /^(?:browser|timeout)$/);
        assert.equal(endOf(await visit("/leave")), "pages");
        assert.match(endOf(await visit("/popups")), /^(?:pages|navigation|browser|timeout)$/);
        assert.equal(endOf(await visit("/huge")), "too-large");
        assert.equal(endOf(await visit("/bomb")), "too-large");
        assert.equal(endOf(await visit("/big-dom")), "too-large");
        assert.equal(endOf(await visit("/missing")), "navigation");
        const fine = await run(site.url, async (page) => {
          await page.goto("/ok");
          assert.equal(await page.text("#ok"), "fine");
        });
        assert.equal(endOf(fine), "pages");
      },
      { tabs: 1 },
    ));

  void test("what is used below the library's API is still there", (t) =>
    withKit(t, async ({ run }) => {
      await using site = await startSite({ "/ok": `<p id="ok">fine</p>` });
      const result = await run(site.url, async (page) => {
        await page.goto("/ok");
        const tab = await page.playwright();
        assert.equal(await tab.title(), "");
        const found = await tab.waitForSelector("#ok");
        const named: { toString(): string } = found;
        assert.equal(named.toString(), "JSHandle@node", "no preview was made");
        assert.equal(await found.textContent(), "fine");
        assert.equal(await tab.locator("p").getAttribute("id"), "ok");
        const session = await tab.context().newCDPSession(tab);
        const direct = directSession(session);
        assert.notEqual(direct, session);
        const created = new Promise((resolve) => direct.on("Runtime.executionContextCreated", resolve));
        await direct.send("Runtime.enable");
        await created;
        await session.detach();
        await assert.rejects(direct.send("Page.getFrameTree"), /closed/);
      });
      assert.equal(endOf(result), "pages");
    }));

  void test("a crash of page or browser fails the items in it, and the next item gets a new one", (t) =>
    withKit(t, async ({ run }) => {
      await using site = await startSite({ "/ok": `<p id="ok">fine</p>` });
      const crash = (what: "Page.crash" | "Browser.crash") =>
        run(site.url, async (page) => {
          await page.goto("/ok");
          const tab = await page.playwright();
          const cdp =
            what === "Page.crash"
              ? await tab.context().newCDPSession(tab)
              : await tab.context().browser()!.newBrowserCDPSession();
          void cdp.send(what).catch(() => undefined);
          await page.ready("#never");
        });
      const visit = () =>
        run(site.url, async (page) => {
          await page.goto("/ok");
          await page.ready("#ok");
        });
      assert.equal(endOf(await crash("Page.crash")), "browser");
      assert.equal(endOf(await visit()), "pages");
      const [ended, beside] = await Promise.all([
        crash("Browser.crash"),
        run(
          site.url,
          async (page) => {
            await page.goto("/ok");
            await page.ready("#never");
          },
          { sharedBy: "other" },
        ),
      ]);
      assert.equal(endOf(ended), "browser");
      assert.equal(endOf(beside), "browser");
      assert.equal(endOf(await visit()), "pages");
    }));

  void test("a stop ends what is paused, and nothing is sent after it", (t) =>
    withKit(t, async ({ run }) => {
      await using site = await startSite({ "/ok": "x" });
      const controller = new AbortController();
      const stopped = run(site.url, (page) => page.goto("/ok"), {
        controller,
        async gate() {
          controller.abort(new StopError("the job was paused"));
          throw controller.signal.reason;
        },
      });
      await assert.rejects(stopped, StopError);
      assert.deepEqual(site.asked, []);
    }));

  void test("a guarded item reaches neither this machine nor its network", (t) =>
    withKit(t, async ({ run }) => {
      await using inside = await startSite({ "/secret": "secret", "/frame": "secret" });
      await using site = await startSite({});
      const direct = await run(site.url, (page) => page.goto(`${inside.url}/secret`), {
        guardsTargets: true,
        browser: { hosts: ["*"] },
      });
      assert.equal(endOf(direct), "forbidden-target");
      assert.deepEqual(inside.asked, []);
    }));

  void test("its folders are gone when it is closed", async (t) => {
    const mine = () =>
      readdirSync(tmpdir()).filter((name) => name.startsWith(`sluice-browser-${process.pid}-`));
    await withKit(t, async ({ run }) => {
      await using site = await startSite({ "/ok": "x" });
      await run(site.url, (page) => page.goto("/ok"));
      assert.equal(mine().length, 1);
    });
    assert.deepEqual(mine(), []);
  });
});
