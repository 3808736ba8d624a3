/** Pages and recordings that do not cooperate: each ends in a failure that names the step, in time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { noBrowser } from "../browser.ts";
import { block, click, custom, failsWith, HurriedClock, pages, perform, replayKit } from "./replay-kit.ts";

const kit = replayKit();
const skip = noBrowser;
const go = (path = "/"): object => ({ type: "navigate", url: `${kit.origin}${path}` });
const soon = (step: object): object => ({ ...step, timeout: 100 });

test(
  "a selector without a match: all alternatives are named, with the reason for each",
  { skip },
  async () => {
    kit.answer = pages({ "/": `<p hidden id="hidden">x</p><button disabled>Save</button><i>a</i><i>b</i>` });
    const step = soon(
      click("#missing", "#hidden", "aria/Save", ["x-host", "button"], "xpath///*[", "text/nowhere"),
    );
    await assert.rejects(
      perform(kit, [go(), step]),
      failsWith(
        "navigation",
        /^Step 2 \(click\): .*#missing \(no match\), #hidden \(not visible\), aria\/Save \(disabled\), x-host >> button \(no match\), xpath\/\/\/\*\[ \(cannot be read: .*text\/nowhere \(no match\)/,
      ),
    );
    const wait = soon({ type: "waitForElement", selectors: ["i"], operator: "==", count: 3 });
    await assert.rejects(
      perform(kit, [go(), wait]),
      failsWith("navigation", /^Step 2 .*expected == 3 elements, found 2: i/),
    );
    const file = soon({ type: "change", selectors: ["i"], value: "x" });
    await assert.rejects(perform(kit, [go(), file]), failsWith("navigation", /cannot be filled in/));
  },
);

test("a frame that vanishes, and a popup that never comes", { skip }, async () => {
  kit.answer = pages({
    "/": `<iframe src="/inner"></iframe><button onclick="document.querySelector('iframe').remove()">remove</button>`,
    "/inner": `<p>inside`,
  });
  const inFrame = { type: "waitForElement", selectors: ["p"], frame: [0] };
  await assert.rejects(
    perform(kit, [go(), inFrame, click("button"), soon({ ...click("p"), frame: [0] })]),
    failsWith("navigation", /^Step 4 \(click\): the page has no frame 0/),
  );
  const popup = soon({ ...click("p"), target: "http://popup.example/path?token=secret" });
  await assert.rejects(perform(kit, [go(), popup]), (error: Error) => {
    assert.doesNotMatch(error.message, /secret/);
    return failsWith(
      "navigation",
      /^Step 2 \(click\): the page or frame http:\/\/popup.example\/path does not exist/,
    )(error);
  });
});

test("dialogs: a storm does not keep the replay; one without an end is a failure", { skip }, async () => {
  kit.answer = pages({
    "/": `<button onclick="for (let at = 0; at < 30; at++) alert(at)">many</button><script>onbeforeunload = () => "stay"</script>`,
    "/for-ever": `<button onclick="for (;;) alert(1)">for ever</button><p>`,
  });
  const { page } = await perform(kit, [go(), click("button"), go()]);
  assert.equal(page.url(), `${kit.origin}/`);
  const clock = new HurriedClock();
  const prepare = (tab: Page): unknown =>
    tab.on("dialog", (dialog) => {
      clock.hurry();
      void dialog.dismiss().catch(() => undefined);
    });
  await assert.rejects(
    perform(kit, [go("/for-ever"), click("button"), click("p")], { clock, prepare }),
    failsWith("browser", /^Step [23] \(click\): the page did not answer/),
  );
});

test("a page that is busy for ever does not answer: the step fails in time", { skip }, async () => {
  const clock = new HurriedClock();
  kit.answer = ({ url }, response) => {
    if (url === "/hangs") clock.hurry();
    const hang = "fetch('/hangs'); setTimeout(() => { for (;;); }, 100)";
    response.setHeader("content-type", "text/html").end(`<button onclick="${hang}">hang</button>`);
  };
  const wait = { type: "waitForElement", selectors: ["#never"], timeout: 30_000 };
  await assert.rejects(
    perform(kit, [go(), click("button"), wait], { clock }),
    failsWith("browser", /^Step [23] .*: the page did not answer/),
  );
});

test("a page that is closed or crashes during a step is a failure of the browser", { skip }, async () => {
  kit.answer = pages({ "/": "<p>x" });
  for (const [end, said] of [
    [(page: Page) => page.close(), /^Step 2 \(click\): the page was closed/],
    [
      (page: Page) => page.goto("chrome://crash").catch(() => undefined),
      /^Step 2 \(click\): the page crashed/,
    ],
  ] as const) {
    let page: Page;
    const onStep = ({ number }: { readonly number: number }): void => {
      if (number === 2) setTimeout(() => void end(page), 50);
    };
    await assert.rejects(
      perform(kit, [go(), click("#never")], { onStep, prepare: (opened) => (page = opened) }),
      failsWith("browser", said),
    );
  }
});

test("a popup that closes itself fails its own step, not the browser", { skip }, async () => {
  kit.answer = pages({
    "/": `<button onclick="window.open('/popup')">open</button>`,
    "/popup": `<button onclick="window.close()">done</button>`,
  });
  const inPopup = { ...click("button"), target: `${kit.origin}/popup` };
  await assert.rejects(
    perform(kit, [go(), click("button"), inPopup, soon(inPopup)]),
    failsWith("navigation", /^Step 4 \(click\): .*popup does not exist/),
  );
});

test("a navigation that never starts, and one that never ends", { skip }, async () => {
  let clock = new HurriedClock();
  kit.answer = ({ url }, response) => {
    if (url === "/endless") clock.hurry();
    else response.setHeader("content-type", "text/html").end(`<a href="/endless">go</a><b>stay</b>`);
  };
  const assertedEvents = [{ type: "navigation" }];
  await assert.rejects(
    perform(kit, [go(), soon({ ...click("b"), assertedEvents })]),
    failsWith("navigation", /^Step 2 \(click\): the navigation that was recorded after it did not start/),
  );
  await assert.rejects(
    perform(kit, [go(), { ...click("a"), assertedEvents }], { clock }),
    failsWith("timeout", /^Step 2 \(click\): the navigation after it did not end/),
  );
  clock = new HurriedClock();
  await assert.rejects(
    perform(kit, [go("/endless")], { clock }),
    failsWith("timeout", /^Step 1 \(navigate\): the page was not complete/),
  );
});

test("only web pages are opened, also where an input is the URL", { skip }, async () => {
  for (const url of ["file:///etc/hostname", "chrome://version/", "data:text/html,x", "javascript:alert()"]) {
    const recording = { title: "bound", steps: [{ type: "navigate", number: 1, url }] } as const;
    await assert.rejects(
      perform(kit, [], { recording }),
      failsWith("forbidden-target", /^Step 1 \(navigate\): not an http/),
    );
  }
  kit.answer = (_request, response) => response.destroy();
  await assert.rejects(
    perform(kit, [go()]),
    failsWith("connection", /^Step 1 \(navigate\): .*ERR_EMPTY_RESPONSE/),
  );
});

test("the signal ends a replay with its reason, wherever it is", { skip }, async () => {
  kit.answer = pages({ "/": "<p>x" });
  const reason = new Error("the job was stopped");
  for (const steps of [
    [click("#never")],
    [custom("pause", { ms: 60_000 })],
    block("ifPresent", { selectors: ["#never"] }, []),
    [{ ...click("p"), assertedEvents: [{ type: "navigation" }] }],
  ]) {
    const controller = new AbortController();
    const onStep = ({ number }: { readonly number: number }): void => {
      if (number === 2) setTimeout(() => controller.abort(reason), 10);
    };
    await assert.rejects(perform(kit, [go(), ...steps], { signal: controller.signal, onStep }), reason);
  }
});
