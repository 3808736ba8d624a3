/** Notices of the server are texts: what they are about, and the page that shows it. */

interface Subject {
  readonly title: string;
  readonly to: string;
  readonly about?: string;
}

const scraperAt = (name: string): string => `/scrapers/${encodeURIComponent(name)}`;
export const datasetAt = (name: string): string => `/datasets/${encodeURIComponent(name)}`;
export const scheduleAt = (name: string): string => `/schedules/${encodeURIComponent(name)}`;

/** What notices are about, by their text after the name of the scraper or dataset. What the title says is not repeated. */
const NOTICES: readonly (readonly [text: RegExp, subject: (name: string, found: string) => Subject])[] = [
  [
    /^release (\d+) is held, /,
    (name, release) => ({
      title: `Release ${release} of ${name} is held`,
      to: `${datasetAt(name)}/releases/${release}`,
      about: `release ${release} of ${name}`,
    }),
  ],
  [
    /^the next release is late; /,
    (name) => ({ title: `${name} is late`, to: datasetAt(name), about: `late ${name}` }),
  ],
  [
    /^schedule (\S+) (?=missed|failed|has not)/,
    (_name, schedule) => ({
      title: `Schedule ${schedule}`,
      to: scheduleAt(schedule),
      about: `schedule ${schedule}`,
    }),
  ],
  [/^(?=version )/, (name) => ({ title: `Version of ${name} refused`, to: scraperAt(name) })],
  [/^(?=canary )/, (name) => ({ title: `Canary of ${name}`, to: scraperAt(name) })],
  [/^(?=\d+ findings?, )/, (name) => ({ title: `Drift in ${name}`, to: scraperAt(name) })],
];

/** A notice begins with the name of what it is about. */
export const subjectOf = (notice: string): Subject & { readonly text: string } => {
  const [name = "", ...rest] = notice.split(": ");
  const text = rest.join(": ");
  for (const [pattern, subject] of NOTICES) {
    const found = pattern.exec(text);
    if (found) return { ...subject(name, found[1] ?? ""), text: sentence(text.slice(found[0].length)) };
  }
  return { title: name, to: "/alerts", text: sentence(text) };
};

const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
