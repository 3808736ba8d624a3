import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { AbsentError } from "../../src/domain/failure.ts";
import { noBrowser } from "../browser.ts";
import { type Answer, block, click, custom, failsWith, pages, perform, replayKit } from "./replay-kit.ts";

const kit = replayKit();
const skip = noBrowser;
const go = (path = "/"): object => ({ type: "navigate", url: `${kit.origin}${path}` });
const extract = (name: string): object => custom("extract", { name });

const ROWS = [1, 2, 3]
  .map((row) => `<tr><td>Row ${row}<td><a href="/detail/${row}">Open</a><button>More</button>`)
  .join("");

test(
  "forEach: selectors inside mean the match, and the browser goes back to the list for the next one",
  { skip },
  async () => {
    kit.answer = ({ url }, response) => {
      response.setHeader("content-type", "text/html");
      if (url === "/") response.end(`<a href="/wrong">Open</a><table>${ROWS}</table>`);
      else response.end(`<h1>Detail of ${url}</h1><a href="/">Open</a>`);
    };
    const { kept } = await perform(kit, [
      go(),
      ...block("forEach", { selectors: ["tr"] }, [
        click("aria/Open"),
        { type: "waitForElement", selectors: ["h1"] },
        extract("detail"),
      ]),
    ]);
    assert.deepEqual(
      kept.map(({ url }) => url),
      [1, 2, 3].map((row) => `${kit.origin}/detail/${row}`),
    );
  },
);

test("forEach: goes back to a list that came from a form", { skip }, async () => {
  kit.answer = ({ url, method }, response) => {
    response.setHeader("content-type", "text/html").setHeader("cache-control", "max-age=60");
    if (url === "/") response.end(`<form method="post" action="/search"><button>Search</button></form>`);
    else if (url === "/search" && method === "POST") response.end(`<table>${ROWS}</table>`);
    else response.end(`<h1>${url}</h1>`);
  };
  const { kept } = await perform(kit, [
    go(),
    click("button"),
    ...block("forEach", { selectors: ["tr"] }, [
      click("a"),
      { type: "waitForElement", selectors: ["h1"] },
      extract("detail"),
    ]),
  ]);
  assert.deepEqual(
    kept.map(({ text }) => text),
    ["/detail/1", "/detail/2", "/detail/3"],
  );
});

test(
  "forEach: `:scope` is the match, `:root` the page around it; lists may grow, be drawn anew and be nested",
  { skip },
  async () => {
    kit.answer = pages({
      "/": `<ul></ul><output></output><button id="close">close</button><script>
      const list = document.querySelector("ul");
      let count = 2;
      const draw = () => { list.innerHTML = Array.from({ length: count }, (_, at) => "<li>" + at + "<i>a</i><i>b</i></li>").join(""); };
      setTimeout(draw, 200);
      addEventListener("click", ({ target }) => {
        document.querySelector("output").textContent += target.id || target.firstChild.textContent;
        if (target.id === "close") { count = Math.min(count + 1, 4); draw(); }
      });</script>`,
    });
    const { page } = await perform(kit, [
      go(),
      ...block("forEach", { selectors: ["li"] }, [
        { ...click(":scope"), offsetX: 1, offsetY: 1 },
        ...block("forEach", { selectors: ["i"] }, [click(":scope")]),
        click(":root #close"),
      ]),
    ]);
    assert.equal(
      await page.evaluate("document.querySelector('output').textContent"),
      "0abclose1abclose2abclose3abclose",
    );
  },
);

test("forEach: no match, and a match that vanishes, are failures that name the block", { skip }, async () => {
  kit.answer = pages({ "/": `<p>1<p>2<button onclick="document.querySelector('p').remove()">less</button>` });
  const less = block("forEach", { selectors: ["p"] }, [click(":root button")]);
  await assert.rejects(
    perform(kit, [go(), ...less]),
    failsWith("navigation", /^Step 2 \(sluice.forEach\): match 2 of 2 of p /),
  );
  const none = block("forEach", { selectors: ["li"] }, [extract("x")]);
  await assert.rejects(
    perform(kit, [go(), ...none]),
    failsWith("navigation", /^Step 2 \(sluice.forEach\): nothing matches li/),
  );
});

test("ifPresent: decides when the page has stopped loading, not before", { skip }, async () => {
  kit.answer = async ({ url = "" }, response) => {
    response.setHeader("content-type", "text/html");
    if (url.startsWith("/notice")) {
      await delay(900);
      response.end(url === "/notice?yes" ? "<button id=ok>ok</button>" : "");
    } else
      response.end(
        `<script>fetch("/notice" + location.search).then((answer) => answer.text()).then((text) => document.body.insertAdjacentHTML("beforeend", text))</script>
        <output></output><script>addEventListener("click", ({ target }) => (document.querySelector("output").textContent += target.id))</script><b id="else">else</b>`,
      );
  };
  for (const [query, expected] of [
    ["?yes", "ok"],
    ["?no", "else"],
  ] as const) {
    const { page } = await perform(kit, [
      go(`/${query}`),
      ...block("ifPresent", { selectors: ["#ok"] }, [click("#ok")], [click("#else")]),
    ]);
    assert.equal(await page.evaluate("document.querySelector('output').textContent"), expected);
  }
});

test(
  "absentIf: the item is absent if the page says so, also late; otherwise the next step goes on",
  { skip },
  async () => {
    kit.answer = async ({ url = "" }, response) => {
      response.setHeader("content-type", "text/html");
      if (url.startsWith("/search")) {
        await delay(700);
        response.end(
          url.includes("known") ? "<h1>Found</h1>" : "<p class=message>No  Records\nfound for it</p>",
        );
      } else
        response.end(`<p class="message">Enter a number</p><div id="results"></div>
        <button onclick="fetch('/search' + location.search).then((answer) => answer.text()).then((text) => (document.body.innerHTML = text))">Search</button>`);
    };
    const steps = (query: string): object[] => [
      go(`/${query}`),
      click("button"),
      custom("absentIf", { selectors: [".message"], text: "no records" }),
      { type: "waitForElement", selectors: ["h1"] },
      extract("page"),
    ];
    const { kept } = await perform(kit, steps("?known"));
    assert.deepEqual(
      kept.map(({ text }) => text),
      ["Found"],
    );
    await assert.rejects(perform(kit, steps("?other")), AbsentError);
    // Without a step after it that waits for something.
    await assert.rejects(perform(kit, steps("?other").slice(0, 3)), AbsentError);
    await perform(kit, steps("?known").slice(0, 3));
  },
);

/** Five pages, by links or by script. */
const paged =
  (next: (page: number) => string): Answer =>
  ({ url = "/" }, response) => {
    const page = Number(/\d+/.exec(url)?.[0] ?? 1);
    response.setHeader("content-type", "text/html").end(`<p>Page ${page}</p>${next(page)}`);
  };

test(
  "paginate: by links, until there is no next page or it is disabled, cyclic or without effect",
  { skip },
  async () => {
    const link = (page: number, more = ""): string =>
      `<span class="${more}"><a class="next" href="/${page}">Next</a></span>`;
    const ends: readonly ((page: number) => string)[] = [
      (page) => (page < 3 ? link(page + 1) : ""),
      (page) => link(page + 1, page < 3 ? "" : "disabled"),
      (page) => link(page < 3 ? page + 1 : 1),
      (page) => link(Math.min(page + 1, 3)),
      (page) => `<button class="next" ${page < 3 ? `onclick="location = '/${page + 1}'"` : ""}>Next</button>`,
    ];
    for (const end of ends) {
      kit.answer = paged(end);
      const { kept } = await perform(kit, [
        go("/1"),
        ...block("paginate", { selectors: [".next"] }, [extract("list")]),
      ]);
      assert.deepEqual(
        kept.map(({ text }) => text.split("\n")[0]),
        ["Page 1", "Page 2", "Page 3"],
        String(end),
      );
    }
    kit.answer = paged((page) => link(page + 1));
    const { kept } = await perform(kit, [
      go("/1"),
      ...block("paginate", { selectors: [".next"], most: 4 }, [extract("list")]),
    ]);
    assert.equal(kept.length, 4);
  },
);

test("paginate: by a script that takes its time, on a page with a running clock", { skip }, async () => {
  kit.answer = async ({ url = "/" }, response) => {
    response.setHeader("content-type", "text/html");
    if (url !== "/") {
      await delay(400);
      response.end(`rows of ${url}`);
    } else
      response.end(`<p id="rows">rows of /1</p><time></time><button>Next</button><script>
        let page = 1;
        setInterval(() => (document.querySelector("time").textContent = Date.now()), 50);
        document.querySelector("button").onclick = async ({ target }) => {
          target.disabled = true;
          rows.textContent = await (await fetch("/" + ++page)).text();
          target.disabled = page === 3;
        };</script>`);
  };
  const { kept } = await perform(kit, [
    go(),
    ...block("paginate", { selectors: ["button"] }, [extract("list")]),
  ]);
  assert.deepEqual(
    kept.map(({ text }) => /\/\d/.exec(text)?.[0]),
    ["/1", "/2", "/3"],
  );
});

test("download: the click belongs to the download", { skip }, async () => {
  kit.answer = ({ url }, response) => {
    if (url === "/file")
      response.setHeader("content-disposition", "attachment; filename=bill.txt").end("bill");
    else response.setHeader("content-type", "text/html").end(`<a href="/file">Bill</a>`);
  };
  const files: string[] = [];
  await perform(kit, [go(), custom("download", { name: "bill", selectors: ["aria/Bill"] })], {
    download: async (name, trigger, page) => {
      const [download] = await Promise.all([page.waitForEvent("download"), trigger()]);
      files.push(`${name}: ${download.suggestedFilename()}`);
    },
  });
  assert.deepEqual(files, ["bill: bill.txt"]);
});
