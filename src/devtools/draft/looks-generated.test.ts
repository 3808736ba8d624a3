import assert from "node:assert/strict";
import { test } from "node:test";
import { isLook, looksGenerated } from "./short-selector.ts";

test("ids and classes that programs write are told from those that people write", () => {
  const byPrograms =
    "ctl00_body_lblOwner :r1: j_idt42 ember1234 ext-gen12 sc-bdVaJa css-1q2w3e jsx-42 Card_title__3xYz1 post-12345 c0ffee42 yui_3_17 7days";
  const byPeople =
    "market lblParcel taxYear owner-name card__label h2 address2 legal-class lbl_owner col4 entry-content productPrice";
  assert.deepEqual(
    byPrograms.split(" ").filter((word) => !looksGenerated(word)),
    [],
  );
  assert.deepEqual(byPeople.split(" ").filter(looksGenerated), []);
});

test("classes that say how a thing looks are told from those that say what it is", () => {
  assert.deepEqual(
    "text-right col-md-6 odd is-open mt-4 wrapper".split(" ").filter((word) => !isLook(word)),
    [],
  );
  assert.deepEqual("text author price due-date right-of-way".split(" ").filter(isLook), []);
});
