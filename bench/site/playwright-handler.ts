/** The parts of Playwright's page that the handler uses. */
interface HandledPage {
  waitForSelector(selector: string): Promise<unknown>;
  content(): Promise<string>;
}

/** What both sides do in the comparison with one handler. Nothing of it is Sluice's or Crawlee's. */
export const waitAndRead = async (page: HandledPage): Promise<string> => {
  await page.waitForSelector("county-property");
  return await page.content();
};

/** Fields of a property of the scripted county that every healthy parcel has. */
export const SELECTORS = {
  parcel: "#lblParcel",
  owner: "#account .owner",
  situs: "#account .situs",
  legalClass: "#account .legal-class",
  marketValue: "#market",
  assessedValue: "#assessed",
  taxDue: "#taxdue",
  dueDate: "#taxes .due-date",
} as const;
