import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHtml } from "../../extraction/html-document.ts";
import { findJsonLd } from "./find-json-ld.ts";

const drafted = (json: unknown): Record<string, unknown> =>
  Object.fromEntries(
    findJsonLd(parseHtml(`<script type="application/ld+json">${JSON.stringify(json)}</script>`)).map(
      ({ label, choices: [first] }) => [label, first],
    ),
  );
const at = (path: string, type: string) => ({ type, place: { jsonLd: "Product", path } });

test("the properties of the main thing are drafted with their types", () => {
  const found = drafted({
    "@graph": [
      {
        "@type": "WebSite",
        name: "Shop",
        url: "https://x.example/",
        description: "a",
        about: "b",
        keywords: "c",
      },
      {
        "@type": "Product",
        name: "Drill",
        image: ["https://x.example/1.jpg", "https://x.example/2.jpg"],
        material: ["steel", "rubber"],
        weight: 1.4,
        releaseDate: "2026-11-15",
        offers: [{ "@type": "Offer", price: "40.00", url: "https://x.example/buy" }],
        brand: { name: "Willow" },
        step: [{ text: "one" }, { text: "two" }],
        potentialAction: { target: "https://x.example/a" },
      },
    ],
  });
  assert.deepEqual(found, {
    name: at("name", "text"),
    image: at("image", "url"),
    material: at("material[]", "list"),
    weight: at("weight", "number"),
    releaseDate: at("releaseDate", "date"),
    price: at("offers.price", "number"),
    "offers url": at("offers.url", "url"),
    brand: at("brand.name", "text"),
    step: at("step[].text", "list"),
  });
});

test("JSON-LD that is only about the site is ignored", () => {
  assert.deepEqual(drafted({ "@type": "WebSite", name: "Shop" }), {});
  assert.deepEqual(drafted([{ "@type": ["Organization", "Brand"], name: "Shop" }]), {});
});

test("names that are not words are left out", () => {
  assert.deepEqual(drafted({ "@type": "Product", 'a"] + x': "b", "a.b": "c" }), {});
});
