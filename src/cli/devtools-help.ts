/** Shown under the options of `try`, `capture` and `test`. */
export const WORKSHOP_HELP = {
  try: `
Examples:
  sluice try county.scraper.ts --input parcel=0100000001
  sluice try county --input '{"parcel":"0100000001"}'
  sluice try recipes --input https://recipes.example/pie
  sluice try county --from parcels.csv --line 17

Exit codes: 0 done or absent, 2 wrong usage or input, 3 failed, 5 interrupted. See docs/cli.md.`,
  capture: `
Examples:
  sluice capture county --input parcel=0100000001
  sluice capture county --input parcel=0100000001 --case no-exemptions
  sluice capture county --from-job last --key 0100000001      from stored pages, nothing is fetched

The fixture is in fixtures/CASE/ beside the scraper. See docs/fixtures.md.`,
  test: `
Examples:
  sluice test                         every scraper of the project
  sluice test county --watch          while writing
  sluice test county --update         after the difference has been looked at

Exit codes: 0 all as expected, 2 wrong usage, 3 something came out differently. See docs/fixtures.md.`,
} as const;
