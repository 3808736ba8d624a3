export const JOB_HELP = "a job's id, a part of it that is unique, or last for the newest that has had items";

export const NEW_VERSION_HELP = "go on with the scraper as it is now; stored pages are read with it first";

const EXIT_CODES = `
Exit codes: 0 all done or absent, 1 unexpected error, 2 wrong usage or input, 3 some items failed
or inputs were rejected or capped, 4 held by the breaker, 5 interrupted, 6 storage. See docs/cli.md.`;

/** Shown under each command's options. */
export const COMMAND_HELP = {
  sluice: `
Examples:
  sluice init my-scrapers                                      a project that runs at once
  sluice new scraper county --url https://…                    a draft from one page
  sluice try county --input parcel=0100000001                  one item, step by step
  sluice capture county --input parcel=0100000001              its pages as a fixture
  sluice test                                                  all scrapers over their fixtures

  sluice run county --input parcels.csv --output taxes.csv
  sluice run page --input urls.txt                             fetch and keep a list of pages
  sluice resume last                                           go on with the newest job
  sluice jobs show last                                        what came of it
  sluice extract last                                          new fields from the stored pages
  sluice diff last@first last                                  what has changed in the records

  sluice serve --workers 2                                     the same as a service, for several teams
  sluice submit county --input parcels.csv --server URL        a job for its workers
  sluice jobs watch last --server URL                          as all commands on jobs, items, lanes and workers
${EXIT_CODES}`,
  run: `
Examples:
  sluice run page --input urls.txt
  sluice run county.scraper.ts --input parcels.csv --output taxes.parquet --processes 2
  cut -d, -f3 all.csv | sluice run county.scraper.ts --input - --format csv --limit 100
  sluice run towns --input regions.csv --max-items 10000      discovery, up to 10,000 items
  sluice run county --input parcels.csv --no-extract          collect now, extract later
${EXIT_CODES}`,
  resume: `
Examples:
  sluice resume last
  sluice resume 20261115-203412-k3f9 --output taxes.csv
  sluice resume last --input parcels.csv      where not all inputs had been read
  sluice resume last --new-version            after you have corrected its scraper
${EXIT_CODES}`,
  jobs: `
Examples:
  sluice jobs ls
  sluice jobs show last --json
  sluice jobs retry last --kind blocked,captcha && sluice resume last
  sluice jobs cancel 20261115-203412-k3f9
  sluice jobs results last --output taxes.csv
  sluice jobs pause last && sluice jobs resume last           where workers run it: \`sluice worker\`, \`sluice serve\`
  sluice jobs resume last --new-version                       after its scraper was corrected
  sluice jobs watch last --server http://127.0.0.1:7070       of a server, as all of these`,
  watch: `
The job goes on when the watching ends.

Examples:
  sluice jobs watch last
  sluice jobs watch last --server http://127.0.0.1:7070 --json
${EXIT_CODES}`,
  results: `
As \`sluice export\`, here and of a server.

Examples:
  sluice jobs results last --output taxes.parquet
  sluice jobs results last --gaps drop --server http://127.0.0.1:7070 | jq -c .owner`,
  remove: `
What items of other jobs point to stays until those jobs have gone too. Interrupted, it is finished by the next \`jobs rm\` or
\`prune\`, or by \`sluice serve\`.

Examples:
  sluice jobs rm 20261115-203412-k3f9
  sluice jobs rm k3f9 zzzz --keep records                     their pages only`,
  prune: `
Without --older-than, what the scrapers say counts: \`retention: { pages: "90d", records: "2y" }\`. Jobs that have not ended stay.

Examples:
  sluice prune --older-than 90d --keep records --dry-run      what would go
  sluice prune --older-than 1y --scraper county
  sluice prune                                                what is due by the scrapers' settings`,
  items: `
Examples:
  sluice items ls last --state failed --kind blocked
  sluice items ls last --scraper town --state failed          of one scraper, where a job has several
  sluice items ls last --state done,absent --limit 1000000 --json`,
  showItem: `
Examples:
  sluice items show last 0100000001
  sluice items show last 0100000001 --open                    the stored page in a browser
  sluice items show last 0100000001 --html --capture detail | grep -n owner`,
  export: `
Examples:
  sluice export last --output taxes.csv
  sluice export last --output taxes.csv --files bills         kept files too, as bills/0100000001-bill.pdf
  sluice export last | jq -c 'select(._quality == "partial")'
  sluice export last --gaps drop --output whole.csv           records with every required value
  sluice export last --fill tax=0 --drop-without owner --output taxes.csv
  sluice export last --extraction first --output before.csv   the records of the run itself
  sluice export last --manifest`,
} as const;
