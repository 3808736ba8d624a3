import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Deployment } from "../../client.ts";
import { listScrapers, resolveScraper } from "../../config/find-scrapers.ts";
import { loadConfig } from "../../config/load-config.ts";
import { packBundle } from "../../scrapers/bundle.ts";
import { loadScraper } from "../../scrapers/load-scraper.ts";
import { makeBundle } from "../../scrapers/make-bundle.ts";
import { EXIT, UsageError } from "../exit.ts";
import type { PlaceOptions } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { bytesText, textTable } from "../text.ts";

export const deployCommand = async (named: readonly string[], options: PlaceOptions): Promise<number> => {
  const sources = named.length > 0 ? await Promise.all(named.map(resolveScraper)) : await projectScrapers();
  // Everything that can be wrong on this machine is found before anything is sent.
  const made = [];
  for (const source of sources) {
    const loaded = await loadScraper(source);
    if (!loaded.source.startsWith("file:"))
      throw new UsageError(`${source}: a built-in scraper needs no deployment.`);
    const bundle = await makeBundle(loaded);
    made.push({ name: bundle.name, bytes: packBundle(bundle), commit: await commitOf(loaded.source) });
  }
  await using verbs = await openVerbs(options, { makes: true });
  const deployed: Deployment[] = [];
  for (const { name, bytes, commit } of made) {
    const one = await verbs.deploy(name, bytes, commit);
    deployed.push(one);
    if (options.json) print([JSON.stringify(one)]);
  }
  if (!options.json) print(table(deployed, printWidth()));
  return EXIT.ok;
};

const projectScrapers = async (): Promise<string[]> => {
  const config = await loadConfig();
  const files = config ? listScrapers(config) : [];
  if (files.length === 0)
    throw new UsageError(
      "no scrapers here. Name one, or run this in a project: a folder with sluice.config.ts.",
    );
  return files;
};

/** The commit that is checked out where the file is; undefined outside of a repository, and without Git. */
const commitOf = async (source: string): Promise<string | undefined> => {
  try {
    const cwd = dirname(fileURLToPath(source));
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "HEAD"], { cwd });
    return /^[0-9a-f]{7,64}$/.exec(stdout.trim())?.[0];
  } catch {
    return undefined;
  }
};

const table = (deployed: readonly Deployment[], width: number): string[] =>
  textTable(
    ["scraper", "version", { right: "size" }, "bundle", ""],
    deployed.map(({ name, version, bytes, bundle, isNew }) => [
      name,
      version,
      bytesText(bytes),
      bundle.slice(0, 12),
      isNew ? "deployed" : "already deployed",
    ]),
    width,
  );
