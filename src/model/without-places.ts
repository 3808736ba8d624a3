/** Folders before the name of a script: `/opt/sluice/scrapers/county.scraper.ts:3:5`. Not those of a URL. */
const SCRIPT = /(?<![\w:/.-])(?:file:\/\/)?(?:\/[^\s/'"`()<>:]+)*\/(?=[^\s/'"`()<>:]+\.[cm]?[jt]sx?\b)/g;
/** Folders before what an error is about: `/srv/data/sluice.db: it is locked`. */
const SUBJECT = /^(?:\/[^\s/'"`()<>:]+)*\/(?=[^\s/'"`()<>:]+: )/;
/** As Node says it: `connect ECONNREFUSED 10.0.0.5:5432 - Local (10.0.0.4:0)`. */
const SOCKET = /\b((?:connect|bind|listen|read|write|send) E[A-Z]+) \S*:\d+(?: - Local \([^)\n]*\))?/g;
/** As Node says it: `ENOENT: no such file or directory, open '/etc/x'`. */
const FILE = /\b(E[A-Z]+: [^,'\n]{1,80}, \w+) '[^'\n]*'(?: -> '[^'\n]*')?/g;

/** A text for clients of a service: where its files are and which addresses it has connected to is nothing of theirs. */
export const withoutPlaces = (text: string): string =>
  text.replace(FILE, "$1").replace(SOCKET, "$1").replace(SCRIPT, "").replace(SUBJECT, "");

const SAID = new Set(["detail", "exampleDetail", "reason", "problem"]);

/** For `JSON.stringify`: the same for what is said in words, however deep. */
export const hidePlaces = (name: string, value: unknown): unknown =>
  typeof value === "string" && SAID.has(name) ? withoutPlaces(value) : value;
