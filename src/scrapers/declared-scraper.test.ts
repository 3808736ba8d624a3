import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Recording } from "../recordings/recording.ts";
import { compileScraper } from "./compiled-scraper.ts";
import { declareScraper } from "./declared-scraper.ts";
import { loadScraper } from "./load-scraper.ts";
import { type AnyScraper, describeIssues } from "./scraper.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-declared-"));
after(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: unknown): string => {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
};

const STEPS = [
  { type: "navigate", url: "https://tax.county.example/search" },
  { type: "change", selectors: [["#parcel"]], value: "0100000001" },
  { type: "click", selectors: [["aria/Search"], ["#go"]] },
];

const DECLARED = {
  kind: "recording",
  name: "county",
  input: { parcel: { type: "string", pattern: "[0-9]{10}" } },
  key: "parcel {{parcel}}",
  recording: { title: "County", steps: STEPS },
  bind: { parcel: "0100000001" },
  extract: {
    fields: {
      owner: { type: "text", label: "Owner" },
      due: { type: "money", select: ["#due", "#amount"], currency: "USD", required: false },
    },
  },
};

const YAML = `
kind: recording
name: county
site: https://tax.county.example
pace: { perSecond: 1 }
input:
  parcel: { type: string, pattern: "[0-9]{10}" }
key: "{{parcel}}"
recording: county.recording.json
bind:
  parcel: "0100000001"
extract:
  each: table tr
  fields:
    year: { type: number, select: .year }
    bill: { type: url, select: a, required: false }
`;

/** The recordings that the scraper's \`collect\` replays for an input. */
const replayed = async (scraper: AnyScraper, input: unknown) => {
  const calls: { readonly recording: Recording; readonly allowsCode: boolean }[] = [];
  const player = {
    async replay(recording: Recording, { allowsCode }: { readonly allowsCode: boolean }) {
      calls.push({ recording, allowsCode });
    },
  };
  await scraper.collect({ input, player } as unknown as Parameters<AnyScraper["collect"]>[0]);
  return calls[0]!;
};

test("a YAML file with a recording is a scraper: checked, versioned and found like any other", async () => {
  write("county.recording.json", { title: "County", steps: STEPS });
  const file = write("county.scraper.yaml", YAML);
  const first = await loadScraper(file);
  assert.equal(first.scraper.name, "county");
  assert.equal(first.scraper.kind, "recording");
  assert.match(first.source, /^file:.*county\.scraper\.yaml$/);
  assert.match(first.version, /^[0-9a-f]{16}$/);
  assert.equal((await loadScraper(file)).scraper, first.scraper, "unchanged files are the same scraper");
  const ready = await compileScraper(first);
  assert.deepEqual(ready.extraction?.fieldNames, ["year", "bill"]);
  assert.deepEqual(ready.extraction?.required, ["year"]);
  assert.equal(ready.pace.perSecond, 1);
  write("county.recording.json", {
    title: "County",
    steps: [...STEPS, { type: "hover", selectors: ["#x"] }],
  });
  const changed = await loadScraper(file);
  assert.notEqual(changed.version, first.version, "the recording is a part of the version");
});

test("collect replays the steps with the item's input, and keeps the page that they end on", async () => {
  const { scraper } = await loadScraper(write("json.scraper.json", DECLARED));
  const { recording, allowsCode } = await replayed(scraper, { parcel: "0200000002" });
  assert.equal(allowsCode, true);
  assert.deepEqual(
    recording.steps.map((step) => (step.type === "change" ? step.value : step.type)),
    ["navigate", "0200000002", "click", "sluice.extract"],
  );
  assert.equal(scraper.key?.({ parcel: "0200000002" }), "parcel 0200000002");
  assert.equal(scraper.site, "https://tax.county.example", "the site is that of the first address");
});

test("a recording that keeps pages itself is unchanged; the page is closed after it is kept", async () => {
  const keeps = { type: "customStep", name: "sluice.extract", parameters: { name: "detail" } };
  const of = async (...more: readonly unknown[]): Promise<readonly string[]> => {
    const scraper = declareScraper(
      { ...DECLARED, recording: { steps: [...STEPS, ...more] } },
      { place: "x", isTrusted: true },
    );
    return (await replayed(scraper, { parcel: "1" })).recording.steps.map(({ type }) => type).slice(3);
  };
  assert.deepEqual(await of(keeps, { type: "close" }), ["sluice.extract", "close"]);
  assert.deepEqual(await of({ type: "close" }), ["sluice.extract"]);
});

test("inputs are checked by the declared schema; texts of a CSV file become numbers", async () => {
  const { scraper } = await loadScraper(
    write("inputs.scraper.json", {
      ...DECLARED,
      input: {
        parcel: { type: "string", pattern: "[0-9]{10}" },
        year: { type: "number", default: 2024 },
        exact: { type: "boolean", required: false },
        kind: { enum: ["tax", "deed"] },
        note: "string",
      },
    }),
  );
  const validate = async (input: unknown): Promise<unknown> => {
    const result = await scraper.input["~standard"].validate(input);
    return result.issues ? describeIssues(result.issues).match(/(?:^|(?<=; ))\w+(?=: )/g) : result.value;
  };
  const good = { parcel: "0100000001", kind: "tax", note: "x" };
  assert.deepEqual(await validate({ ...good, other: 1 }), { ...good, year: 2024 });
  assert.deepEqual(await validate({ ...good, year: "2023", exact: "false" }), {
    ...good,
    year: 2023,
    exact: false,
  });
  assert.deepEqual(await validate({ ...good, parcel: "x0100000001", kind: "y" }), ["parcel", "kind"]);
  assert.deepEqual(await validate({ ...good, year: "", note: "" }), ["year", "note"]);
});

test("an adapter turns a file of another format into the recording", async () => {
  write("actions.json", {
    actions: [
      { kind: "goto", href: "https://a.example/{{parcel}}" },
      { kind: "tap", css: "#go" },
    ],
  });
  write("extension.adapter.json", {
    steps: "$.actions",
    type: "$.kind",
    map: { goto: { type: "navigate", url: "$.href" }, tap: { type: "click", selectors: ["$.css"] } },
  });
  const { bind: _, ...rest } = DECLARED;
  const { scraper } = await loadScraper(
    write("adapted.scraper.json", {
      ...rest,
      recording: { file: "actions.json", adapter: "extension.adapter.json" },
    }),
  );
  const { recording } = await replayed(scraper, { parcel: "a/b" });
  assert.equal(recording.steps[0]?.type === "navigate" && recording.steps[0].url, "https://a.example/a%2Fb");
});

const refuses = (changes: object, message: RegExp, isTrusted = true): void =>
  assert.throws(
    () => declareScraper({ ...DECLARED, ...changes }, { place: "county.scraper.yaml", isTrusted }),
    ({ message: text, code }: Error & { code: string }) => {
      assert.match(text, message);
      assert.match(text, /^county\.scraper\.yaml: .*\.$/s);
      assert.equal(code, "bad-scraper");
      return true;
    },
    String(message),
  );

test("errors in a file are reported when it is loaded, with their place", () => {
  refuses({ kind: "http" }, /`kind` must be recording/);
  refuses({ recordng: {} }, /no option `recordng`\. Did you mean `recording`\?/);
  refuses({ name: "A B" }, /`name` must be/);
  refuses({ input: {} }, /`input` must have 1 to 100 fields/);
  refuses(
    { input: { parcel: { type: "text" } } },
    /`input\.parcel`: `type` must be string, number or boolean/,
  );
  refuses({ input: { parcel: { pattern: "(" } } }, /not a regular expression/);
  refuses({ bind: { parsel: "0100000001" } }, /no option `parsel`/);
  refuses({ bind: { parcel: 100000001 } }, /not a string\. Put the recorded value in quotes/);
  refuses({ bind: { parcel: "7" } }, /which no step of the recording uses/);
  refuses({ bind: undefined }, /no step uses an input/);
  refuses({ input: { parcel: { required: false } } }, /may have no value\. Make `input\.parcel` required/);
  refuses({ key: "{{owner}}" }, /owner is not one/);
  refuses({ key: "fixed" }, /`key` must be a string with inputs/);
  refuses(
    { headers: { Authorization: "Bearer abcdefghijk" } },
    /is a secret and does not belong in a scraper file/,
  );
  refuses({ recording: { steps: [{ type: "clik" }] } }, /Step 1: the type "clik" is unknown/);
  refuses({ recording: { file: "x.json" } }, /not the name of a file/);
  refuses(
    { recording: { steps: [{ type: "navigate", url: "https://a.example/{{owner}}" }, ...STEPS] } },
    /\{\{owner\}\} is not an input\. Inputs are parcel/,
  );
  refuses(
    { extract: { fields: { due: { type: "mony", select: "#a" } } } },
    /extract\.fields\.due: the type "mony" is unknown/,
  );
  refuses(
    { extract: { fields: { due: { type: "money", select: "#a", curency: "USD" } } } },
    /extract\.fields\.due: field\.money has no option `curency`/,
  );
  refuses({ extract: { fields: { due: { type: "money" } } } }, /extract\.fields\.due: it has no place/);
  refuses({ extract: { fields: { due: { select: "#a[" } } } }, /extract\.fields\.due: bad selector/);
  refuses({ extract: { fields: { due: { select: "#a", check: "x" } } } }, /`check` is code/);
  refuses({ extract: { fields: {} } }, /expected fields by name/);
  refuses({ pace: { perSecond: -1 } }, /`pace\.perSecond` is -1/);
});

test("a client's scraper runs no code and no patterns", () => {
  const untrusted = { ...DECLARED, input: { parcel: "string" } };
  declareScraper(untrusted, { place: "x", isTrusted: false });
  refuses({}, /patterns are only for scrapers of operators/, false);
  const expression = { type: "waitForExpression", expression: "true" };
  refuses(
    { ...untrusted, recording: { steps: [...STEPS, expression] } },
    /Step 4 \(waitForExpression\) runs code/,
    false,
  );
  const fields = { owner: { regex: "Owner: (.*)" } };
  refuses({ ...untrusted, extract: { fields } }, /extract\.fields\.owner: patterns are only/, false);
});

test("a file that cannot be read or parsed says so", async () => {
  await assert.rejects(loadScraper(write("bad.scraper.json", "{")), {
    code: "broken-scraper",
    message: /bad\.scraper\.json: cannot be read/,
  });
  await assert.rejects(loadScraper(write("bad.scraper.yaml", "a: [")), { code: "broken-scraper" });
  const lost = { ...DECLARED, recording: "lost.json" };
  await assert.rejects(loadScraper(write("lost.scraper.json", lost)), {
    code: "broken-scraper",
    message: /lost\.json: cannot be read/,
  });
  const outside = { ...DECLARED, recording: "/etc/passwd" };
  await assert.rejects(loadScraper(write("outside.scraper.json", outside)), {
    message: /use a path relative/,
  });
});
