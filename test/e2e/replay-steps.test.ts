import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { noBrowser } from "../browser.ts";
import { click, custom, failsWith, pages, perform, replayKit } from "./replay-kit.ts";

const kit = replayKit();
const skip = noBrowser;
const go = (path = "/"): object => ({ type: "navigate", url: `${kit.origin}${path}` });
const textOf = (page: Page, selector: string): Promise<string> =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`);

test(
  "an element is found by every kind of selector, also where only the last alternative matches",
  { skip },
  async () => {
    kit.answer = pages({
      "/": `<button id="css">A</button><button aria-label="By name">B</button><p>Some <b>inner words</b></p><i class="path">D</i>
      <x-host></x-host><output></output>
      <script>
        const root = document.querySelector("x-host").attachShadow({ mode: "open" });
        root.innerHTML = "<div class=deep>E</div><y-host></y-host>";
        root.querySelector("y-host").attachShadow({ mode: "open" }).innerHTML = "<button class=deeper>F</button>";
        addEventListener("click", (event) => (document.querySelector("output").textContent += event.composedPath()[0].textContent));
      </script>`,
    });
    const { page } = await perform(kit, [
      go(),
      click("#css"),
      click("aria/By name"),
      click('aria/By name[role="button"]'),
      click("text/inner words"),
      click("xpath///i[@class='path']"),
      click("pierce/.deep"),
      click(["x-host", "y-host", ".deeper"]),
      click("pierce/.deeper"),
      click("aria/F"),
      click("#missing", "aria/Nobody", "xpath///nothing", "text/inner words"),
      click('pw/internal:role=button[name="By name"i]'),
    ]);
    assert.equal(await textOf(page, "output"), "ABBinner wordsDEFFFinner wordsB");
  },
);

test(
  "an element that comes late, moves, is covered for a while or cannot take the pointer is clicked all the same",
  { skip },
  async () => {
    kit.answer = pages({
      "/": `<style>#moving { position: absolute; transition: left 300ms; left: 0 } #cover { position: fixed; inset: 0 }
        #through { pointer-events: none } </style>
      <div id="cover"></div><button id="moving">moving</button><br><br><div id="outer"><button id="through">through</button></div><output></output>
      <script>
        addEventListener("click", (event) => (document.querySelector("output").textContent += event.target.id + " "));
        // It moves from the start: a click on something that begins to move in that instant misses it, as a person's would.
        moving.getBoundingClientRect();
        moving.style.left = "200px";
        setTimeout(() => cover.remove(), 400);
        setTimeout(() => document.body.insertAdjacentHTML("beforeend", "<button id=late>late</button>"), 600);
      </script>`,
    });
    const { page } = await perform(kit, [go(), click("#moving"), click("#through"), click("#late")]);
    assert.equal(await textOf(page, "output"), "moving outer late ");
  },
);

test(
  "an offset outside of the element, recorded where it was larger, means its centre",
  { skip },
  async () => {
    kit.answer = pages({
      "/": `<style>button { position: absolute; left: 0; top: 0; width: 40px; height: 20px; border: 4px solid; padding: 0 }</style>
      <button onclick="this.title += event.clientX + ',' + event.clientY + ' '">x</button>`,
    });
    const at = (offsetX: number, offsetY: number) => ({
      type: "click",
      selectors: ["button"],
      offsetX,
      offsetY,
    });
    const { page } = await perform(kit, [go(), at(400, 10), at(2, 2), at(-3, 500)]);
    assert.equal(await page.evaluate("document.querySelector('button').title"), "20,10 2,2 20,10 ");
  },
);

test("every kind of form control is changed, with the events that scripts wait for", { skip }, async () => {
  kit.answer = pages({
    "/": `<form onsubmit="return false">
      <input id="text" value="before"><input id="full" value="abc"><input id="number" type="number"><textarea id="area">old</textarea>
      <select id="select"><option value="1">One</option><option value="2">Two</option></select>
      <select id="label"><option value="1">One</option><option value="2">Two</option></select>
      <select id="late"></select>
      <input id="box" type="checkbox"><input id="ticked" type="checkbox" checked><input id="color" type="color"><input id="date" type="date">
      <input id="range" type="range"><div id="edit" contenteditable>old</div><input id="locked" readonly></form>
      <script>
        const events = [];
        for (const name of ["input", "change"])
          addEventListener(name, ({ target }) => events.at(-1) === target.id + " " + name || events.push(target.id + " " + name));
        setTimeout(() => (late.innerHTML = "<option>x</option><option>y</option>"), 300);
      </script>`,
  });
  const change = (id: string, value: string): object => ({ type: "change", selectors: [`#${id}`], value });
  const { page } = await perform(kit, [
    go(),
    change("text", "after"),
    change("full", ""),
    change("number", "12"),
    change("area", "two\nlines"),
    change("select", "2"),
    change("label", "Two"),
    change("late", "y"),
    click("#box"),
    change("box", "on"),
    custom("set", { selectors: ["#ticked"], checked: false }),
    change("color", "#ff0000"),
    change("date", "2024-02-29"),
    change("range", "70"),
    change("edit", "new words"),
    change("locked", "set"),
    change("text", `long ${"x".repeat(200)}`),
  ]);
  const state = await page.evaluate(
    `JSON.stringify([text.value.length, full.value, number.value, area.value, select.value, label.value, late.value, box.checked, ticked.checked,
      color.value, date.value, range.value, edit.innerText, locked.value])`,
  );
  assert.deepEqual(JSON.parse(String(state)), [
    205,
    "",
    "12",
    "two\nlines",
    "2",
    "2",
    "y",
    true,
    false,
    "#ff0000",
    "2024-02-29",
    "70",
    "new words",
    "set",
  ]);
  const events = (await page.evaluate("events")) as string[];
  for (const id of [
    "text",
    "full",
    "number",
    "area",
    "select",
    "label",
    "late",
    "box",
    "ticked",
    "color",
    "date",
    "range",
    "edit",
    "locked",
  ])
    assert.ok(events.includes(`${id} input`), id);
  for (const id of ["text", "select", "box", "ticked", "color", "date", "locked"])
    assert.ok(events.includes(`${id} change`), id);
});

test("keys, hovering, scrolling, the window's size and the speed of the network", { skip }, async () => {
  kit.answer = pages({
    "/": `<meta name="viewport" content="width=device-width"><style>#hover:hover + p { display: block } p { display: none; position: absolute } main { height: 5000px }</style><b id="hover">over</b><p>shown</p>
      <input id="field"><div id="box" style="height: 50px; overflow: auto"><div style="height: 900px"></div></div><main></main>`,
  });
  const key = (name: string): object[] => ["keyDown", "keyUp"].map((type) => ({ type, key: name }));
  const { page } = await perform(kit, [
    {
      type: "setViewport",
      width: 500,
      height: 400,
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: true,
      isLandscape: false,
    },
    { type: "emulateNetworkConditions", download: 50_000, upload: 50_000, latency: 60_000 },
    go(),
    click("#field"),
    ...key("a"),
    ...key("é"),
    ...key("Backspace"),
    ...key("B"),
    { type: "scroll", selectors: ["#box"], y: 300 },
    { type: "hover", selectors: ["#hover"] },
    { type: "waitForElement", selectors: ["p"], visible: true },
    { type: "scroll", x: 0, y: 1200 },
    {
      type: "waitForElement",
      selectors: ["#field"],
      properties: { value: "aB" },
      attributes: { id: "field" },
    },
    { type: "waitForElement", selectors: [".nothing"], visible: false },
    { type: "waitForElement", selectors: ["div"], operator: "==", count: 2 },
  ]);
  assert.deepEqual(
    await page.evaluate("[innerWidth, navigator.maxTouchPoints > 0, field.value, box.scrollTop, scrollY]"),
    [500, true, "aB", 300, 1200],
  );
});

test(
  "a click that the recording has a navigation after waits for the new page; others do not",
  { skip },
  async () => {
    kit.answer = pages({
      "/": `<title>first</title><a href="/next">go</a>`,
      "/next": `<title>second</title><a href="#here">stay</a><b id="here">here</b>`,
    });
    const assertedEvents = [{ type: "navigation", url: "http://recorded.example/other", title: "Other" }];
    const { page } = await perform(kit, [
      go(),
      { ...click("a"), assertedEvents },
      { ...click("aria/stay"), assertedEvents },
    ]);
    assert.equal(page.url(), `${kit.origin}/next#here`);
  },
);

test("frames by their indexes, and popups by URL, by number and with another query", { skip }, async () => {
  kit.answer = pages({
    "/": `<iframe srcdoc="<p>empty</p>"></iframe><iframe src="/outer" style="margin: 30px; border: 5px solid; padding: 7px"></iframe>
      <button id="open" onclick="window.open('/popup?session=' + Math.random())">open</button><button id="plain" onclick="window.open('/second')">open</button>`,
    "/outer": `<p style="height: 300px"></p><iframe src="/inner"></iframe>`,
    "/inner": `<button onclick="this.textContent = 'pressed'">press</button><input>`,
    "/popup": `<button onclick="document.title = 'done'">in the popup</button>`,
    "/second": `<button onclick="document.title = 'done'">in the second</button>`,
  });
  const { page, kept } = await perform(kit, [
    go(),
    { ...click("button"), frame: [1, 0] },
    { type: "change", selectors: ["input"], value: "typed", frame: [1, 0] },
    { ...custom("extract", { name: "inner" }), frame: [1, 0] },
    click("#open"),
    { ...click("aria/in the popup"), target: `${kit.origin}/popup?session=recorded` },
    click("#plain"),
    { ...click("button"), target: "popup/2" },
    { type: "close", target: `${kit.origin}/second` },
    { ...custom("extract", { name: "popup" }), target: "popup/1" },
  ]);
  assert.deepEqual(
    kept.map(({ name, text }) => [name, text]),
    [
      ["inner", "pressed"],
      ["popup", "in the popup"],
    ],
  );
  const inner = page.mainFrame().childFrames()[1]!.childFrames()[0]!;
  assert.equal(await inner.evaluate("document.querySelector('input').value"), "typed");
  const titles = await Promise.all(
    page
      .context()
      .pages()
      .map((each) => each.title()),
  );
  assert.deepEqual(titles, ["", "done"]);
});

test("expressions run only where they are allowed", { skip }, async () => {
  kit.answer = pages({ "/": "<p>x" });
  const steps = [go(), { type: "waitForExpression", expression: "document.querySelector('p') !== null; " }];
  await perform(kit, steps, { allowsExpressions: true });
  await assert.rejects(perform(kit, steps), failsWith("scraper-error", /^Step 2 \(waitForExpression\)/));
});

test("a page that allows no scripts but its own is replayed like any other", { skip }, async () => {
  kit.answer = ({ url }, response) => {
    const policy = "default-src 'none'; require-trusted-types-for 'script'; form-action 'self'";
    response.setHeader("content-security-policy", policy).setHeader("content-type", "text/html");
    response.end(
      url === "/" ? `<form action="/sent"><input name="q"><button>Send</button></form>` : `<p>${url}</p>`,
    );
  };
  const { kept } = await perform(kit, [
    go(),
    { type: "change", selectors: ["input"], value: "word" },
    click("aria/Send"),
    custom("extract", { name: "sent" }),
  ]);
  assert.deepEqual(
    kept.map(({ text }) => text),
    ["/sent?q=word"],
  );
});
