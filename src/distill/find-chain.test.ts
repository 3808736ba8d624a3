import assert from "node:assert/strict";
import { test } from "node:test";
import { compileExtraction } from "../extraction/extract-spec.ts";
import { field } from "../extraction/field.ts";
import { by } from "../extraction/place.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import { explainChain } from "./explain-chain.ts";
import { findSteps, unexplainedText } from "./find-chain.ts";
import { findTargets } from "./find-target.ts";
import { openScriptSite, type ScriptSiteOptions } from "./testing/script-site.ts";
import { visitByHand } from "./testing/visit-by-hand.ts";

const extract = {
  from: "detail",
  fields: {
    parcel: field.text("#parcel"),
    owner: field.text("#owner"),
    value: field.money("#value"),
    due: field.date("#due", { formats: ["MM/DD/YYYY"] }),
    exemptions: field.list("li").optional(),
    history: field.table("#history", {
      columns: { year: field.number(by.column("Year")), paid: field.money(by.column("Paid")) },
    }),
  },
};
const scraper = { scraper: { extract } as unknown as AnyScraper, extraction: compileExtraction(extract) };

const runsOf = async (options: ScriptSiteOptions) => {
  await using site = await openScriptSite(options);
  return [await visitByHand(site.url, "12", options), await visitByHand(site.url, "2345", options)];
};

test("x", async () => {
  for (const options of [{}, { isSigned: true }, { remembers: true }, { hasTime: true }, { isHtml: true }]) {
    const runs = await runsOf(options);
    const targets = findTargets(scraper, runs);
    const [target] = targets;
    for (const level of ["values", "state"] as const) {
      const found = findSteps(runs, target!.at, level)!;
      console.log(
        options,
        level,
        explainChain({ steps: found.steps, fields: target!.fields, dropped: [] }).join("\n"),
      );
      console.log(
        found.unexplained.map((one) => unexplainedText(found, one)),
        target!.missing,
      );
    }
  }
});
