import { unknownOption } from "../domain/known-options.ts";
import type { ScraperEntry } from "../schemas/operations.ts";
import { compileScraper, type CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { DEFAULT_LIMITS, DEFAULT_PACE } from "../scrapers/scraper.ts";
import {
  currentVersions,
  listVersions,
  readStored,
  type StoredVersion,
  versionBlob,
} from "../scrapers/stored-scrapers.ts";
import { type Actor, isAtLeast, noteOther, type ServiceContext, shown } from "./context.ts";
import { Problem } from "./problem.ts";

type Registered = Pick<ServiceContext, "blobs" | "scrapers">;

const MOST_SCRAPERS = 100;
const MOST_VERSIONS = 1000;

/** What a client decides. The installation decides the rest: robots, lanes, headers, proxies, identity, the failure policy. */
const CLIENT_OPTIONS = {
  kind: true,
  name: true,
  site: true,
  input: true,
  key: true,
  pace: true,
  limits: true,
  archive: true,
  retention: true,
  browser: true,
  recording: true,
  bind: true,
  extract: true,
} as const;

/** Registers a scraper without code, or a new version of it. The same content again changes nothing. */
export const registerScraper = async (
  { blobs, scrapers }: Registered,
  { client }: Actor,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<{ readonly scraper: CompiledScraper; readonly isNew: boolean }> => {
  const refuse = (problem: string): never => {
    throw new Problem("broken-scraper", problem);
  };
  if (!name.startsWith(`${client}.`) || name.length > 64)
    refuse(
      `The name of a registered scraper must begin with the client's name: ${client}.NAME, 64 characters at most.`,
    );
  if (given["name"] !== undefined && given["name"] !== name)
    refuse(`\`name\` is not ${name}, the name in the path. Leave it out, or use the same name.`);
  const unknown = unknownOption(given, CLIENT_OPTIONS, "A registered scraper") ?? tooMuch(given);
  if (unknown !== undefined) refuse(unknown);
  if (await isOfInstallation(scrapers, name))
    throw new Problem(
      "scraper-exists",
      `${name}: the installation has a scraper of this name. Use another name.`,
    );
  const text = JSON.stringify({ ...given, name });
  const loaded = readStored({ client, name }, text);
  const scraper = await compileScraper(loaded);
  const versions = await Array.fromAsync(listVersions(blobs, `${client}/${name}/`));
  const last = versions.at(-1);
  if (last?.version === loaded.version) return { scraper, isNew: false };
  if (versions.length >= MOST_VERSIONS)
    throw new Problem(
      "quota-exceeded",
      `${name} has ${MOST_VERSIONS} versions. Register it under another name.`,
    );
  const others = (await currentVersions(blobs, `${client}/`)).filter((one) => one.name !== name);
  if (others.length >= MOST_SCRAPERS)
    throw new Problem(
      "quota-exceeded",
      `A client can have ${MOST_SCRAPERS} scrapers. Remove one: DELETE /v1/scrapers/NAME.`,
    );
  await blobs.put(versionBlob(client, name, (last?.number ?? 0) + 1, loaded.version), Buffer.from(text));
  return { scraper, isNew: true };
};

/** Jobs that use it keep their version. */
export const removeScraper = async (
  { blobs }: Registered,
  actor: Actor,
  name: string,
): Promise<ScraperEntry> => {
  const [found] = await registeredAs(blobs, actor, name);
  if (!found) throw new Problem("not-found", `No scraper named "${shown(name)}" is registered.`);
  noteOther(actor, found.client);
  await blobs.put(versionBlob(found.client, name, found.number + 1), Buffer.from("{}"));
  return { name, kind: "recording", version: found.version };
};

/** The registered scraper of this name that the actor may use: a client its own, operators those of all clients. */
export const registeredAs = async (
  blobs: Registered["blobs"],
  actor: Actor,
  name: string,
): Promise<readonly StoredVersion[]> => {
  const isOperator = isAtLeast(actor.role, "operator");
  // The name begins with the client's, which may have dots itself.
  const owners = [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index));
  const possible = owners.filter(
    (owner) => /^[a-z0-9]/.test(owner) && (isOperator || owner === actor.client),
  );
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return [];
  const found = await Promise.all(possible.map((owner) => currentVersions(blobs, `${owner}/${name}/`)));
  return found.flat();
};

const isOfInstallation = async (scrapers: ServiceContext["scrapers"], name: string): Promise<boolean> =>
  (await scrapers.names()).includes(name);

/** A client may ask less of a site than the defaults, never more. */
const tooMuch = ({ pace, limits }: Readonly<Record<string, unknown>>): string | undefined => {
  for (const [what, given, most] of [
    ["pace", pace, DEFAULT_PACE],
    ["limits", limits, DEFAULT_LIMITS],
  ] as const)
    for (const [name, value] of Object.entries(given ?? {})) {
      const cap = (most as Readonly<Record<string, number>>)[name];
      if (cap === undefined || (typeof value === "number" && value > cap))
        return `\`${what}.${name}\` of a registered scraper can be at most ${cap ?? "what the installation sets"}.`;
    }
  return undefined;
};
