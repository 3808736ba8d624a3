import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { field } from "../extraction/field.ts";
import { defineScraper } from "./scraper.ts";
import { emitTo } from "./compile-emit.ts";

const url = field.url("a");

const town = defineScraper({
  name: "town",
  input: z.object({ url: z.string(), region: z.string(), year: z.coerce.number().optional() }),
  async collect() {},
});

/** A listing whose inputs have a region; only `emit` differs. */
const listing = {
  name: "listing",
  input: z.object({ url: z.string(), region: z.string(), page: z.number().optional() }),
  async collect() {},
};

test("found values and values of the parent make the target's input", () => {
  const { emit = [] } = defineScraper({
    ...listing,
    emit: [
      emitTo(town, { each: "tr", input: { url, region: field.text("td") } }),
      emitTo(town, { each: "tr", input: { url, year: field.text(".year").optional() }, with: ["region"] }),
      emitTo(town, { input: { url }, with: ({ region }: { region: string }) => ({ region }) }),
      emitTo(town, {
        inputs: (pages, { input }: { input: { region: string } }) =>
          pages.map((page) => ({ url: page.url, region: input.region })),
      }),
      emitTo("self", { input: { url }, with: ["region"] }),
      emitTo("self", { input: { url }, with: (parent: { region: string }) => ({ ...parent, page: 2 }) }),
      emitTo("self", { inputs: (pages) => pages.map((page) => ({ url: page.url, region: "" })) }),
    ],
  });
  assert.deepEqual(
    emit.map(({ target }) => (target === "self" ? target : target.name)),
    ["town", "town", "town", "town", "self", "self", "self"],
  );
});

test("an input that does not match the target does not compile", () => {
  // @ts-expect-error: no region
  emitTo(town, { each: "tr", input: { url } });
  // @ts-expect-error: its url is text
  emitTo(town, { input: { url: field.number("a") }, with: ["region"] });
  // @ts-expect-error: the target's input has no such member
  emitTo(town, { input: { url }, with: ["regio"] });
  // @ts-expect-error: its region is text
  emitTo(town, { input: { url }, with: () => ({ region: 5 }) });
  // @ts-expect-error: no region
  emitTo(town, { inputs: () => [{ url: "" }] });
});

test("names that the emitting scraper does not have do not compile", () => {
  const name = (parent: { county: string }) => ({ region: parent.county });
  // @ts-expect-error: the listing's input has no county
  defineScraper({ ...listing, emit: [emitTo(town, { input: { url }, with: name })] });
  // @ts-expect-error: nor such a member
  defineScraper({ ...listing, emit: [emitTo("self", { input: { url }, with: ["regio"] })] });
  // @ts-expect-error: its own region is required
  defineScraper({ ...listing, emit: [emitTo("self", { input: { url } })] });
  // @ts-expect-error: its own region is text
  defineScraper({ ...listing, emit: [emitTo("self", { inputs: () => [{ url: "", region: 1 }] })] });
});
