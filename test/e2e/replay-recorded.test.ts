/**
 * Recordings of other projects on their own pages: the specification of puppeteer/replay with its event log, and the recordings of TestCafe.
 *
 * What differs from TestCafe because `aria/` is understood:
 * - click-failure-test is expected to fail there: its CSS selector matches nothing, and TestCafe skips `aria/click`. That is the name of the page's
 *   button, so the step finds it, as it does in Chrome.
 * - click-test, dblclick-test, rclick-test, iframe-test and shadow-dom-test use their `aria/` alternative, which comes first, where TestCafe takes the
 *   CSS selector after it. Both lead to the same element.
 * - press-test uses CSS in both: `aria/focusable div 1` is the text of a plain `div`, which has no accessible name.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { noBrowser } from "../browser.ts";
import { perform, replayKit } from "./replay-kit.ts";

const RECORDINGS = resolve(import.meta.dirname, "../../../shared/testdata/recordings");
const skip = noBrowser || (existsSync(RECORDINGS) ? false : "no shared testdata beside the checkout");

const kit = replayKit(["localhost:3000", "localhost:8907"]);

interface Recorded {
  readonly steps: readonly object[];
}
const recorded = (file: string): Recorded =>
  JSON.parse(readFileSync(join(RECORDINGS, file), "utf8")) as Recorded;

test("the specification of puppeteer/replay leaves its event log, byte for byte", { skip }, async () => {
  const posted: string[] = [];
  kit.answer = (request, response) => {
    if (request.url === "/log") {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => (posted.push(body), response.end()));
    } else
      response
        .setHeader("content-type", "text/html")
        .end(readFileSync(join(RECORDINGS, "puppeteer-replay-spec/spec.html")));
  };
  const { steps } = recorded("puppeteer-replay-spec/recording.json");
  const { page } = await perform(kit, steps, { allowsExpressions: true });
  const expected = readFileSync(join(RECORDINGS, "puppeteer-replay-spec/expected.log"), "utf8");
  assert.equal(`${String(await page.evaluate("log.innerText"))}\n`, expected);
  // The page posts each line on a connection of its own: their order at the server is not that of the events.
  const lines = expected.trimEnd().split("\n");
  while (posted.length < lines.length) await delay(20);
  assert.deepEqual(posted.map((line) => line.trim()).sort(), lines.sort());
});

/** What a person would see after the recording, where it does not check that itself. */
const AFTERWARDS: Readonly<Record<string, (seen: Seen) => void>> = {
  "iframe-test": ({ clicked }) =>
    assert.deepEqual(
      clicked,
      [1, 2, 3, 1, 2, 3].map((number) => `btnIFrame${number}`),
    ),
  "shadow-dom-test": ({ errors }) => assert.deepEqual(errors, ["shadow button clicked"]),
  "click-failure-test": ({ clicked, status }) => {
    assert.deepEqual(clicked, ["statusBtn"]);
    assert.equal(status, "click 21 11");
  },
};
interface Seen {
  readonly clicked: readonly string[];
  readonly errors: readonly string[];
  readonly status: string;
}

const nameOf = (file: string): string => basename(file, ".json").split("__")[1]!;
const FILES = existsSync(RECORDINGS)
  ? globSync("devtools/DevExpress_testcafe__*.json", { cwd: RECORDINGS })
  : [];

/** In the recordings, a click without an offset hits the middle of the button at 21, 11. Without this its size depends on the fonts of the machine. */
const SIZES = "<style>#statusBtn { box-sizing: border-box; width: 42px; height: 22px }</style>";

for (const file of FILES.filter((each) => nameOf(each) !== "invalid-test"))
  test(`a recording of TestCafe: ${nameOf(file)}`, { skip }, async () => {
    kit.answer = (request, response) =>
      response
        .setHeader("content-type", "text/html")
        .end(`${readFileSync(join(RECORDINGS, "pages/testcafe", basename(request.url!)), "utf8")}${SIZES}`);
    const [clicked, errors]: [string[], string[]] = [[], []];
    const { page } = await perform(kit, recorded(file).steps, {
      allowsExpressions: true,
      prepare: async (tab) => {
        tab.on("pageerror", (error) => errors.push(error.message));
        await tab.exposeFunction("clicked", (id: string) => clicked.push(id));
        await tab.addInitScript(
          "addEventListener('click', (event) => clicked(event.composedPath()[0].id), true)",
        );
      },
    });
    const status = String(await page.evaluate("document.querySelector('#status').innerText"));
    AFTERWARDS[nameOf(file)]?.({ clicked, errors, status });
  });

test("the invalid recording of TestCafe is refused with its reason", { skip }, async () => {
  await assert.rejects(
    perform(kit, recorded("devtools/DevExpress_testcafe__invalid-test.json").steps),
    /[Ss]tep 3.*invalid/s,
  );
  assert.equal(FILES.length, 14);
});
