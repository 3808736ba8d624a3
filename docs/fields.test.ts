import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { compileExtraction, type Fields } from "../src/extraction/extract-spec.ts";
import { by, field } from "../src/index.ts";
import { judgePage } from "../src/domain/judgement.ts";

const guide = readFileSync(resolve(import.meta.dirname, "fields.md"), "utf8");
const ROW = /^\| `(field\.[^`]+)` \| `([^`]+)` \| (?:`([^`]+)`|(\w+)) \|$/gm;

test("the fields guide's examples give the results it shows", () => {
  const rows = [...guide.matchAll(ROW)];
  assert.ok(rows.length > 40, `only ${rows.length} rows of the table were found`);
  for (const [row, call, written, value, status = "present"] of rows) {
    const it = runInNewContext(call!, { field, by, where: "b" }) as Fields[string];
    const { read, required } = compileExtraction({ fields: { it } });
    const page = { name: "p", url: "https://county.example/", status: 200, mediaType: "text/html" };
    const [record] = judgePage(read([{ ...page, text: `<b>${written}</b>` }]), required).records;
    const found = record?.fields["it"];
    assert.deepEqual(
      [found?.status, found?.value],
      [status, value === undefined ? null : JSON.parse(value)],
      row,
    );
  }
});
