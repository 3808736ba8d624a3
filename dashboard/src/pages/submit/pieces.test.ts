import assert from "node:assert/strict";
import { test } from "node:test";
import { formatOf, piecesOf } from "./pieces.ts";

const cut = async (text: string, most: number): Promise<string[]> => {
  const found = await Array.fromAsync(piecesOf(new Blob([text]), formatOf(text), most));
  assert.deepEqual(
    found.map(({ isLast }) => isLast),
    found.map((_, at) => at === found.length - 1),
  );
  return found.map((piece) => piece.text);
};

test("a CSV file is cut between rows, never within quotes or a character, and each piece has the header", async () => {
  const header = '\uFEFFkey,"na\nme"\n';
  const rows = ['1,"a\nb"\n', "2,é\n", '3,"c""\n"\n', "4,日本\n"];
  for (const most of [24, 30, 41, 1000]) {
    const pieces = await cut(header + rows.join(""), most);
    assert.equal(header + pieces.map((piece) => piece.slice(header.length)).join(""), header + rows.join(""));
    for (const piece of pieces) assert.ok(piece.startsWith(header), piece);
    assert.equal(pieces.length > 1, most < 1000);
  }
});

test("JSON lines are cut at line breaks", async () => {
  const lines = ['{"a":1}\n', '{"a":22}\n', '{"a":3}'];
  assert.deepEqual(await cut(lines.join(""), 10), lines);
  assert.deepEqual(await cut("", 10), [""]);
});
