/** Pages and recordings that do not cooperate: each ends in a failure that names the step, in time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ActiveClock } from "../../src/collectors/browser/active-clock.ts";
import { block, click, custom, failsWith, noBrowser, pages, perform, replayKit } from "./replay-kit.ts";

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
      /^Step 2 \(click\): the page or frame http:\/\/popup.example\/path is not there/,
    )(error);
  });
});

test(
  "dialogs: a storm does not keep the replay; a page that is busy for ever is a failure of the browser",
  { skip },
  async () => {
    kit.answer = pages({
      "/": `<button onclick="for (let at = 0; at < 30; at++) alert(at)">many</button><output></output>
      <script>onbeforeunload = () => "stay"; addEventListener("click", () => (document.querySelector("output").textContent = "through"))</script>`,
      "/for-ever": `<button onclick="for (;;) alert(1)">for ever</button><p>`,
    });
    const { page } = await perform(kit, [go(), click("button"), go()]);
    assert.equal(page.url(), `${kit.origin}/`);
    await assert.rejects(
      perform(kit, [go("/for-ever"), click("button"), soon(click("p"))], { clock: quick() }),
      failsWith("browser", /^Step [23] \(click\): the page did not answer/),
    );
  },
);

test("a page that is busy for ever does not answer: the step fails in time", { skip }, async () => {
  kit.answer = pages({ "/": `<button onclick="setTimeout(() => { for (;;); })">hang</button>` });
  await assert.rejects(
    perform(kit, [go(), click("button"), click("button")], { clock: quick() }),
    failsWith("browser", /^Step [23] \(click\): the page did not answer/),
  );
});

/** Ten times as fast as real time. */
const quick = (): ActiveClock => {
  const clock = new ActiveClock();
  const { now } = clock;
  clock.now = () => now.call(clock) * 10;
  return clock;
};

test("a page that is closed or crashes during a step is a failure of the browser", { skip }, async () => {
  kit.answer = pages({ "/": "<p>x" });
  const never = click("#never");
  for (const end of ["close", "crash"] as const)
    await assert.rejects(
      perform(kit, [go(), never], {
        onStep: ({ number }) => number === 2 && ending.push(end),
        prepare: (page) => {
          void (async () => {
            while (ending.pop() !== end) await new Promise((resolve) => setTimeout(resolve, 20));
            if (end === "close") await page.close();
            else await page.goto("chrome://crash").catch(() => undefined);
          })();
        },
      }),
      failsWith("browser", end === "close" ? /^Step 2 .*was closed/ : /^Step 2 .*crashed/),
    );
});
const ending: string[] = [];

test("a popup that closes itself fails its own step, not the browser", { skip }, async () => {
  kit.answer = pages({
    "/": `<button onclick="window.open('/popup')">open</button>`,
    "/popup": `<button onclick="window.close()">done</button>`,
  });
  const inPopup = { ...click("button"), target: `${kit.origin}/popup` };
  await assert.rejects(
    perform(kit, [go(), click("button"), inPopup, soon(inPopup)]),
    failsWith("navigation", /^Step 4 \(click\): .*popup is not there/),
  );
});

test(
  "a navigation that never starts, one that never ends, and URLs that are none of a recording's business",
  { skip },
  async () => {
    kit.answer = ({ url }, response) => {
      if (url === "/endless") return;
      response.setHeader("content-type", "text/html").end(`<a href="/endless">go</a><b>stay</b>`);
    };
    const assertedEvents = [{ type: "navigation" }];
    await assert.rejects(
      perform(kit, [go(), soon({ ...click("b"), assertedEvents })]),
      failsWith(
        "navigation",
        /^Step 2 \(click\): the navigation that the recording has after it did not start/,
      ),
    );
    await assert.rejects(
      perform(kit, [go(), { ...click("a"), assertedEvents }], { clock: quick() }),
      failsWith("timeout", /^Step 2 \(click\): the navigation after it did not end/),
    );
    await assert.rejects(
      perform(kit, [go("/endless")], { clock: quick() }),
      failsWith("timeout", /^Step 1 \(navigate\)/),
    );
    await assert.rejects(
      perform(kit, [{ type: "navigate", url: "http://127.0.0.1:9/" }]),
      failsWith("navigation", /^Step 1/),
    );
    for (const url of ["file:///etc/hostname", "chrome://version/", "data:text/html,x"])
      await assert.rejects(
        perform(kit, [{ type: "navigate", url }]),
        failsWith("forbidden-target", /^Step 1 \(navigate\)/),
      );
  },
);

test("the signal ends a replay with its reason, wherever it is", { skip }, async () => {
  kit.answer = pages({ "/": "<p>x" });
  const reason = new Error("the job was stopped");
  for (const step of [
    click("#never"),
    custom("pause", { ms: 60_000 }),
    ...block("ifPresent", { selectors: ["#never"] }, []),
  ]) {
    const controller = new AbortController();
    const steps = [go(), ...("name" in step ? [step] : [step])];
    if (JSON.stringify(step).includes("end")) continue;
    const all = JSON.stringify(step).includes("ifPresent")
      ? [go(), ...block("ifPresent", { selectors: ["#never"] }, [])]
      : steps;
    await assert.rejects(
      perform(kit, all, {
        signal: controller.signal,
        onStep: ({ number }) => number === 2 && controller.abort(reason),
      }),
      reason,
    );
  }
});
