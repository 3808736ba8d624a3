import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { checkAdapter } from "./adapters.ts";
import { readRecording, recordingOf } from "./read-recording.ts";
import { parseRecording } from "./parse-recording.ts";
import { RecordingError } from "./recording-error.ts";
import type { Step } from "./recording.ts";
import { writeRecording } from "./write-recording.ts";

const SIDE = readFileSync(join(import.meta.dirname, "testing/commands.side"), "utf8");

/** Actions as a custom extension may store them. */
const EXTENSION = checkAdapter({
  steps: "$.actions",
  title: "$.name",
  order: "$.at",
  type: "$.kind",
  map: {
    goto: { type: "navigate", url: "$.href" },
    tap: { type: "click", selectors: ["$.el.css", "xpath/$.el.xpath", "aria/$.el.label"] },
    input: { type: "change", value: "$.text", selectors: ["$.el.css"], coalesce: true },
    key: { type: "press", key: "$.key" },
    grab: { type: "customStep", name: "sluice.extract", parameters: "$.spec" },
  },
  frame: "$.frame",
  target: "$.tab",
  ignore: ["mousemove", "focus*"],
  placeholders: { "$.text": "{{$.var}}" },
});

const bare = ({ number, ...rest }: Step): [number, object] => [number, rest];
const withoutNumber = (step: Step): object => bare(step)[1];

test("an adapter turns the actions of any extension into a recording", () => {
  const stored = {
    name: "Parcel",
    actions: [
      { at: 1, kind: "goto", href: "https://county.example/", tab: 17 },
      { at: 2, kind: "mousemove" },
      { at: 3, kind: "focusin" },
      { at: 5, kind: "input", text: "01", el: { css: "#q" }, tab: 17 },
      { at: 4, kind: "input", text: "0", el: { css: "#q" }, tab: 17 },
      { at: 6, kind: "input", text: "0100000001", var: "parcel", el: { css: "#q" }, tab: 17 },
      { at: 7, kind: "input", text: "x", el: { css: "#other" }, tab: 17 },
      { at: 8, kind: "key", key: "Enter", tab: 17 },
      { at: 9, kind: "tap", el: { css: "#row", label: "Row" }, frame: [0], tab: 18 },
      { at: 10, kind: "grab", spec: { name: "detail" }, tab: 18 },
    ],
  };
  const { title, steps } = recordingOf(stored, { adapter: EXTENSION });
  assert.equal(title, "Parcel");
  assert.deepEqual(steps.map(bare), [
    [1, { type: "navigate", target: "main", url: "https://county.example/" }],
    [6, { type: "change", target: "main", value: "{{parcel}}", selectors: [["#q"]] }],
    [7, { type: "change", target: "main", value: "x", selectors: [["#other"]] }],
    [8, { type: "keyDown", key: "Enter", target: "main" }],
    [8, { type: "keyUp", key: "Enter", target: "main" }],
    [9, { type: "click", target: "popup/1", frame: [0], selectors: [["#row"], ["aria/Row"]] }],
    [10, { type: "sluice.extract", target: "popup/1", name: "detail" }],
  ]);
});

test("an action that the adapter does not know is refused with its number and kind", () => {
  const refuses = (actions: unknown, message: RegExp): void =>
    assert.throws(() => recordingOf({ actions }, { adapter: EXTENSION }), { code: "bad-recording", message });
  refuses(
    [{ kind: "tap", el: { css: "#a" } }, { kind: "swipe" }, { kind: "pinch" }],
    /^2 of 3 actions have no equivalent: action 2 "swipe" \(neither mapped nor ignored\), action 3 "pinch"/,
  );
  refuses([{ kind: "tap", el: {} }], /^Step 1 \(click\): `selectors` is \[\]/);
  refuses({}, /has no list at \$\.actions/);
});

test("an adapter is checked: its options, its paths", () => {
  assert.throws(() => checkAdapter({ steps: "$.a", type: "$.b", map: {}, ignored: [] }), {
    message: /no option `ignored`\. Did you mean `ignore`\?/,
  });
  assert.throws(() => checkAdapter({ steps: "$.a" }), { message: /needs `steps` and `type`/ });
  assert.throws(() => checkAdapter(null), { code: "bad-recording" });
  const broken = checkAdapter({ steps: "$.a[", type: "$.b", map: {} });
  assert.throws(() => recordingOf({}, { adapter: broken }), { message: /The adapter has an invalid path/ });
});

test("JSON Pointers and odd names are paths too", () => {
  const adapter = checkAdapter({
    steps: "/data/0/list",
    type: "/kind",
    map: { go: { type: "navigate", url: "$['odd name']" } },
  });
  const file = { data: [{ list: [{ kind: "go", "odd name": "https://a.example/" }] }] };
  assert.deepEqual(recordingOf(file, { adapter }).steps.map(bare), [
    [1, { type: "navigate", url: "https://a.example/" }],
  ]);
});

test("every Selenium IDE command with an equivalent is imported", () => {
  const { title, steps } = readRecording(SIDE, { which: "every command" });
  assert.equal(title, "every command");
  const file = JSON.parse(SIDE) as { tests: { commands: { command: string }[] }[] };
  const { commands } = file.tests[0]!;
  const made = new Set(steps.map(({ number }) => number));
  const without = commands.filter((_, at) => !made.has(at + 1)).map(({ command }) => command);
  assert.deepEqual(
    [...new Set(without)].toSorted(),
    "//click,,debugger,echo,mouseOut,selectFrame,selectWindow,setSpeed,store,storeWindowHandle"
      .split(",")
      .toSorted(),
    "disabled, without effect, or the place of the steps that follow",
  );
  const step = (number: number): unknown[] =>
    steps.filter((one) => one.number === number).map((one) => bare(one));
  assert.deepEqual(step(1), [[1, { type: "navigate", url: "https://county.example/search?tab=parcel" }]]);
  assert.deepEqual(step(7), [
    [
      7,
      {
        type: "change",
        value: "{{parcel}}",
        selectors: [
          ['xpath///*[@id="parcel"]'],
          ['xpath///*[@name="parcel"]'],
          ["#parcel"],
          ["xpath///input[@id='parcel']"],
        ],
      },
    ],
  ]);
  assert.deepEqual(step(10), [
    [10, { type: "change", value: "Ann", selectors: [["#owner"]] }],
    [10, { type: "sluice.set", selectors: [["#owner"]], to: { focused: true } }],
    [10, { type: "keyDown", key: "Tab" }],
    [10, { type: "keyUp", key: "Tab" }],
  ]);
  assert.deepEqual(step(11), [
    [
      11,
      {
        type: "click",
        selectors: [[`xpath///a[normalize-space()=concat("Bob's ", '"', "Deeds", '"', "")]`]],
      },
    ],
  ]);
  assert.deepEqual(
    [20, 21, 22].map((number) => step(number)),
    [
      [[20, { type: "sluice.set", selectors: [['xpath///*[@id="year"]']], to: { label: "2024" } }]],
      [[21, { type: "change", selectors: [['xpath///*[@id="year"]']], value: "y2023" }]],
      [[22, { type: "sluice.set", selectors: [['xpath///*[@id="year"]']], to: { index: 2 } }]],
    ],
  );
  assert.deepEqual(
    [28, 30].map((number) => steps.find((one) => one.number === number)?.frame),
    [[0, 1], [0]],
  );
  assert.deepEqual(
    [33, 35, 36, 39].map((number) => steps.find((one) => one.number === number)?.target),
    [undefined, "popup/1", "popup/1", "main"],
  );
  assert.deepEqual(step(42), [
    [
      42,
      {
        type: "waitForElement",
        target: "main",
        selectors: [[".a"]],
        operator: "==",
        count: 0,
        timeout: 30_000,
      },
    ],
  ]);
});

test("an imported recording survives Chrome", () => {
  const imported = readRecording(SIDE, { which: "every command" });
  const again = parseRecording(JSON.parse(JSON.stringify(writeRecording(imported))));
  assert.deepEqual(again.steps.map(withoutNumber), imported.steps.map(withoutNumber));
});

test("each Selenium IDE command without an equivalent is named, with its number and the reason", () => {
  const file = JSON.parse(SIDE) as { tests: { commands: { command: string }[] }[] };
  const { commands } = file.tests[1]!;
  assert.throws(
    () => readRecording(SIDE, { which: "no equivalent" }),
    ({ message }: Error) => {
      for (const [at, { command }] of commands.entries())
        if (at > 0) assert.ok(message.includes(`action ${at + 1} "${command}" (`), `${at + 1} ${command}`);
      assert.match(message, /^47 of 48 actions have no equivalent/);
      assert.match(message, /action 20 "customClick" \(neither mapped nor ignored\)/);
      assert.match(message, /"F20\\?" is not in the adapter's table keys/);
      assert.match(message, /the locator "model=x" has no equivalent/);
      return true;
    },
  );
});

test("a file with several recordings needs the name of one", () => {
  assert.throws(() => readRecording(SIDE), {
    message: /has 3 recordings: "every command", "no equivalent", "scripts"/,
  });
  assert.throws(() => readRecording(SIDE, { which: "x" }), { message: /has 0 recordings named "x"/ });
  const { steps } = readRecording(SIDE, { which: "scripts" });
  assert.deepEqual(
    steps.map(({ type }) => type),
    ["navigate", "waitForExpression", "waitForExpression"],
  );
});

const JSONL = [
  { browserName: "chromium", launchOptions: { headless: false }, contextOptions: {} },
  { name: "openPage", url: "about:blank", signals: [], pageGuid: "page@0" },
  { name: "navigate", url: "https://county.example/", signals: [], pageGuid: "page@0" },
  {
    name: "fill",
    selector: 'internal:label="Parcel"i',
    text: "0100000001",
    signals: [],
    pageGuid: "page@0",
    locator: { kind: "label", body: "Parcel", options: {} },
  },
  { name: "press", selector: 'internal:label="Parcel"i', key: "Enter", modifiers: 0, pageGuid: "page@0" },
  { name: "press", selector: "#q", key: "a", modifiers: 2, pageGuid: "page@0" },
  {
    name: "click",
    selector: 'internal:role=link[name="Open"i]',
    button: "left",
    modifiers: 0,
    clickCount: 1,
    signals: [{ name: "popup", popupPageGuid: "page@1" }],
    pageGuid: "page@0",
  },
  {
    name: "click",
    selector: "css=button",
    button: "right",
    clickCount: 2,
    position: { x: 3, y: 4 },
    signals: [],
    pageGuid: "page@1",
    framePath: ['iframe[name="a"]', "#b"],
  },
  {
    name: "click",
    selector: 'internal:text="Bill"i',
    button: "left",
    clickCount: 1,
    signals: [{ name: "download", downloadAlias: "1" }],
    pageGuid: "page@0",
  },
  { name: "check", selector: "#x", pageGuid: "page@0" },
  { name: "uncheck", selector: "#x", pageGuid: "page@0" },
  { name: "select", selector: "#y", options: ["2024"], pageGuid: "page@0" },
  { name: "hover", selector: "#m", pageGuid: "page@0" },
  { name: "assertVisible", selector: "#v", pageGuid: "page@0" },
  { name: "assertText", selector: "#v", text: 'a "b"', substring: true, pageGuid: "page@0" },
  { name: "assertText", selector: "#v", text: "exact", substring: false, pageGuid: "page@0" },
  { name: "assertValue", selector: "#v", value: "1", pageGuid: "page@0" },
  { name: "assertChecked", selector: "#v", checked: true, pageGuid: "page@0" },
  { name: "closePage", pageGuid: "page@1" },
  { name: "closePage", pageGuid: "page@0" },
];
const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join("\n");

test("Playwright's JSON lines are imported, with popups, downloads and frames", () => {
  const { steps } = readRecording(lines(JSONL));
  const main = { target: "main" };
  assert.deepEqual(steps.map(withoutNumber), [
    { type: "navigate", url: "about:blank", ...main },
    { type: "navigate", url: "https://county.example/", ...main },
    { type: "change", selectors: [['pw/internal:label="Parcel"i']], value: "0100000001", ...main },
    { type: "sluice.set", selectors: [['pw/internal:label="Parcel"i']], to: { focused: true }, ...main },
    { type: "keyDown", key: "Enter", ...main },
    { type: "keyUp", key: "Enter", ...main },
    { type: "keyDown", key: "Control", ...main },
    { type: "sluice.set", selectors: [["pw/#q"]], to: { focused: true }, ...main },
    { type: "keyDown", key: "a", ...main },
    { type: "keyUp", key: "a", ...main },
    { type: "keyUp", key: "Control", ...main },
    { type: "click", selectors: [['pw/internal:role=link[name="Open"i]']], button: "primary", ...main },
    {
      type: "doubleClick",
      selectors: [
        [
          'pw/iframe[name="a"] >> internal:control=enter-frame >> #b >> internal:control=enter-frame >> css=button',
        ],
      ],
      button: "secondary",
      offsetX: 3,
      offsetY: 4,
      target: "popup/1",
    },
    { type: "sluice.download", selectors: [['pw/internal:text="Bill"i']], name: "download1", ...main },
    { type: "sluice.set", selectors: [["pw/#x"]], to: { checked: true }, ...main },
    { type: "sluice.set", selectors: [["pw/#x"]], to: { checked: false }, ...main },
    { type: "change", selectors: [["pw/#y"]], value: "2024", ...main },
    { type: "hover", selectors: [["pw/#m"]], ...main },
    { type: "waitForElement", selectors: [["pw/#v"]], visible: true, ...main },
    {
      type: "waitForElement",
      selectors: [[String.raw`pw/#v >> internal:has-text="a \"b\""i`]],
      ...main,
    },
    { type: "waitForElement", selectors: [["pw/#v"]], properties: { innerText: "exact" }, ...main },
    { type: "waitForElement", selectors: [["pw/#v"]], properties: { value: "1" }, ...main },
    { type: "waitForElement", selectors: [["pw/#v"]], properties: { checked: true }, ...main },
    { type: "close", target: "popup/1" },
  ]);
  assert.throws(
    () =>
      readRecording(lines([...JSONL.slice(0, 2), { name: "setInputFiles", selector: "#f", files: ["a"] }])),
    { message: /action 2 "setInputFiles" \(sends files of the machine/ },
  );
});

test("older Playwright recordings name their pages differently", () => {
  const older = lines(JSONL)
    .replaceAll('"popupPageGuid"', '"popupAlias"')
    .replaceAll('"pageGuid"', '"pageAlias"');
  assert.deepEqual(readRecording(older), readRecording(lines(JSONL)));
});

test("other formats are refused with a sentence that says why", () => {
  const refuses = (file: unknown, message: RegExp): void =>
    assert.throws(() => readRecording(JSON.stringify(file)), { code: "bad-recording", message });
  refuses([{ type: 4, data: {}, timestamp: 1 }], /rrweb.*a film and not actions/);
  refuses({ name: "flow", drawflow: { nodes: [] } }, /Automa/);
  refuses({ Name: "m", Commands: [{ Command: "open" }] }, /UI\.Vision.*Write an adapter/);
  refuses({ log: { entries: [{}] } }, /HAR file has requests/);
  refuses({ anything: 1 }, /not a recording of Chrome's Recorder/);
  assert.throws(() => readRecording('{"browserName":"chromium"}\n{"name":'), {
    message: /^Line 2: .*not valid JSON/,
  });
});

test("invalid JSON of any kind gives only a RecordingError", () => {
  const word = fc.constantFrom(
    ..."steps type click selectors customStep sluice.set sluice.forEach id begin end parameters tests commands command target targets value open select actions kind el css".split(
      " ",
    ),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      word,
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(word, tie("value"), { maxKeys: 5 }),
    ),
  })).value;
  fc.assert(
    fc.property(json, fc.boolean(), (file, isOfExtension) => {
      try {
        recordingOf(file, isOfExtension ? { adapter: EXTENSION } : {});
      } catch (error) {
        assert.ok(error instanceof RecordingError, String((error as Error).stack));
      }
    }),
    { numRuns: 500 },
  );
});
