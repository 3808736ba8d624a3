import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { judgePage } from "../../../domain/judgement.ts";
import { compileExtraction } from "../../extract-spec.ts";
import { field } from "../../field.ts";
import type { Fields } from "../../fields.ts";

/** The share of the strings that must be read as a person reads them. None may be read as anything else. */
const BAR = 0.97;
const FEWEST = 300;

const rowsOf = (name: string): string[][] =>
  readFileSync(join(import.meta.dirname, name), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) =>
      line
        .split("\t")
        .map((cell) =>
          cell.replace(/\\u([\da-f]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
        ),
    );

/** The value that the fields read from a text on a page; null if they refuse it. */
function read(text: string, fields: Fields): Readonly<Record<string, unknown>> {
  const page = { name: "p", url: "https://shop.example/", status: 200, mediaType: "text/html" };
  const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const { read: extract, required } = compileExtraction({ fields });
  const [record] = judgePage(extract([{ ...page, text: `<b>${html}</b>` }]), required).records;
  return Object.fromEntries(Object.entries(record?.fields ?? {}).map(([name, { value }]) => [name, value]));
}

const counts = { right: 0, refused: 0, wrong: 0 };
const strings: string[] = [];
const notes: string[] = [];

function count(line: string, wanted: unknown, got: unknown): void {
  const verdict = got === wanted ? "right" : got === null ? "refused" : "wrong";
  counts[verdict] += 1;
  if (verdict !== "right") notes.push(`${verdict}: ${line} gives ${JSON.stringify(got)}`);
}

for (const [text = "", wanted = "", currency = "", options = ""] of rowsOf("money.tsv")) {
  const settings = (options === "" ? {} : JSON.parse(options)) as Parameters<typeof field.money>[1];
  const line = `money ${[text, wanted, currency, options].join(" | ")}`;
  const got = read(text, {
    amount: field.money("b", settings),
    currency: field.currency("b", settings as Parameters<typeof field.currency>[1]),
  });
  strings.push(line);
  const amount = wanted === "refuse" ? null : Number(wanted);
  const isCurrencyRight = currency === "" || got["currency"] === (currency === "?" ? null : currency);
  // One string is one count: its amount, unless its currency is what went wrong.
  if (isCurrencyRight) count(line, amount, got["amount"]);
  else count(line, currency, got["currency"]);
}

for (const [text = "", wanted = "", options = ""] of rowsOf("dates.tsv")) {
  const settings = (options === "" ? {} : JSON.parse(options)) as Parameters<typeof field.date>[1];
  const line = `date ${[text, wanted, options].join(" | ")}`;
  strings.push(line);
  count(line, wanted === "refuse" ? null : wanted, read(text, { date: field.date("b", settings) })["date"]);
}

test(`of ${strings.length} strings, at least ${BAR * 100} % are read as a person reads them, and none as anything else`, (t) => {
  const share = counts.right / strings.length;
  t.diagnostic(
    `${strings.length} strings: ${counts.right} right (${(share * 100).toFixed(1)} %), ${counts.refused} refused, ${counts.wrong} wrong`,
  );
  for (const note of notes) t.diagnostic(note);
  assert.ok(strings.length >= FEWEST && new Set(strings).size === strings.length);
  assert.equal(counts.wrong, 0, notes.filter((note) => note.startsWith("wrong")).join("\n"));
  assert.ok(share >= BAR, notes.join("\n"));
});
