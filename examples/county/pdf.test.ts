import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parcelOf } from "./parcels.ts";
import { billPdf } from "./pdf.ts";

test("every entry of a bill's cross-reference table points at its object", () => {
  fc.assert(
    fc.property(fc.nat(), (n) => {
      const parcel = parcelOf(1, n);
      const pdf = billPdf(parcel).toString("latin1");
      assert.ok(pdf.startsWith("%PDF-1.4\n") && pdf.endsWith("%%EOF\n") && pdf.includes(parcel.id));
      const table = pdf.slice(Number(/startxref\n(\d+)\n/.exec(pdf)?.[1]));
      const offsets = Array.from(table.matchAll(/^(\d{10}) 00000 n $/gm), ([, offset]) => Number(offset));
      assert.equal(offsets.length, 5);
      offsets.forEach((offset, index) => assert.ok(pdf.startsWith(`${index + 1} 0 obj\n`, offset)));
      const stream = /\/Length (\d+) >>\nstream\n(.*)\nendstream/s.exec(pdf);
      assert.equal(stream?.[2]?.length, Number(stream?.[1]));
    }),
  );
});
