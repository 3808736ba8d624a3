import assert from "node:assert/strict";
import { test } from "node:test";
import { trueStatus } from "./cell.ts";
import { FIELD_KINDS } from "./column.ts";
import { LOCALE_TAGS } from "./locale.ts";
import { seededRandom } from "./random.ts";
import { drawSite, type Site } from "./site.ts";

const SITES = 180;
const sites = Array.from({ length: SITES }, (_, number) => drawSite(3, number));
const pagesOf = (site: Site, count: number) => {
  const random = seededRandom(5);
  return Array.from({ length: count }, () => site.page(random));
};

test("the same seed draws the same page, another seed another", () => {
  const page = (seed: number): string => drawSite(seed, 17).page(seededRandom(seed)).kept.text;
  assert.equal(page(3), page(3));
  assert.notEqual(page(3), page(4));
});

test("180 sites show every layout in every locale", () => {
  const seen = new Set(sites.map(({ tag, layout }) => `${tag} ${layout}`));
  assert.equal(seen.size, SITES);
  assert.equal(new Set(sites.map(({ tag }) => tag)).size, LOCALE_TAGS.length);
});

test("every kind of field is drawn in all four statuses", () => {
  const seen = new Set<string>();
  for (const site of sites)
    for (const { rows } of pagesOf(site, 3))
      for (const cells of rows)
        for (const [index, cell] of cells.entries())
          seen.add(`${site.columns[index]!.kind} ${trueStatus(cell)}`);
  assert.equal(seen.size, FIELD_KINDS.length * 4);
});

test("no column says with one text that it has nothing and something", () => {
  const random = seededRandom(9);
  for (const { columns, tag, layout } of sites)
    for (const { name, nothing, write, spoil } of columns) {
      const nothings = new Set(nothing.map((text) => text.toLowerCase()));
      for (let i = 0; i < 40; i++) {
        const { text } = write(random);
        assert.ok(!nothings.has(text.toLowerCase()), `${tag} ${layout} ${name}: ${text}`);
        const spoilt = spoil?.(random);
        assert.ok(spoilt === undefined || !nothings.has(spoilt.toLowerCase()), `${tag} ${name}: ${spoilt}`);
        assert.notEqual(spoilt, text);
      }
    }
});

test("the labels of a site are all different", () => {
  for (const { columns, tag } of sites) {
    const labels = columns.map(({ label }) => label.toLowerCase());
    assert.equal(new Set(labels).size, labels.length, `${tag}: ${labels.join(", ")}`);
  }
});

test("a cell has its selector on the page exactly when it is not absent", () => {
  const counts = { absent: 0, there: 0 };
  for (const site of sites.filter(({ layout }) => layout === "generated ids"))
    for (const { kept, rows } of pagesOf(site, 5))
      for (const [index, { drawn }] of rows[0]!.entries()) {
        const { name, kind } = site.columns[index]!;
        if (kind === "list") continue;
        counts[drawn === "absent" ? "absent" : "there"] += 1;
        const id = `lbl${name[0]!.toUpperCase()}${name.slice(1)}"`;
        assert.equal(kept.text.includes(id), drawn !== "absent", `${site.tag} ${name}`);
      }
  assert.ok(counts.absent > 50 && counts.there > 500, JSON.stringify(counts));
});
