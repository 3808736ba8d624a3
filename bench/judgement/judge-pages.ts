import { judgePage } from "../../src/domain/judgement.ts";
import { FIELD_KINDS, type FieldKind } from "./column.ts";
import { LOCALE_TAGS, type LocaleTag } from "./locale.ts";
import { seededRandom } from "./random.ts";
import { drawSite } from "./site.ts";
import { Tally } from "./tally.ts";

export interface JudgementRun {
  readonly pages: number;
  readonly all: Tally;
  readonly byKind: Readonly<Record<FieldKind, Tally>>;
  readonly byLocale: Readonly<Record<LocaleTag, Tally>>;
}

/** Draws this many sites and pages of each, extracts and judges them, and counts against the truth. */
export const judgePages = ({
  seed,
  sites,
  pagesASite,
}: {
  seed: number;
  sites: number;
  pagesASite: number;
}): JudgementRun => {
  const all = new Tally();
  const byKind = tallies(FIELD_KINDS);
  const byLocale = tallies(LOCALE_TAGS);
  for (let number = 0; number < sites; number++) {
    const site = drawSite(seed, number);
    const random = seededRandom(seed * 7919 + number);
    for (let i = 0; i < pagesASite; i++) {
      const { kept, rows } = site.page(random);
      const { records } = judgePage(site.extraction.read([kept]), site.extraction.required);
      for (const [r, cells] of rows.entries()) {
        for (const [c, { name, kind }] of site.columns.entries()) {
          const judged = {
            kind,
            locale: site.tag,
            layout: site.layout,
            cell: cells[c]!,
            field: records[r]?.fields[name],
          };
          all.add(judged);
          byKind[kind].add(judged);
          byLocale[site.tag].add(judged);
        }
      }
    }
  }
  return { pages: sites * pagesASite, all, byKind, byLocale };
};

const tallies = <Name extends string>(names: readonly Name[]): Record<Name, Tally> =>
  Object.fromEntries(names.map((name) => [name, new Tally()])) as Record<Name, Tally>;
