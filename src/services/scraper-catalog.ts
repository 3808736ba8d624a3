import { statSync } from "node:fs";
import { z } from "zod";
import { fileName, findScraper, listScrapers, type NameOf, resolveScraper } from "../config/find-scrapers.ts";
import type { Project } from "../config/load-config.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { JobView } from "../domain/job.ts";
import { withoutPlaces } from "../domain/record.ts";
import type { JobQuery } from "../ports/ledger.ts";
import type { Scraper, ScraperEntry } from "../schemas/operations.ts";
import { ScraperLoadError } from "../scrapers/check-scraper.ts";
import { type LoadedScraper, loadScraper } from "../scrapers/load-scraper.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Documents } from "../ports/documents.ts";
import { deployedNames, deployedSource, newestDeployed } from "../scrapers/bundle.ts";
import { currentVersions, storedSource } from "../scrapers/stored-scrapers.ts";
import { type Actor, isAtLeast, type ServiceContext } from "./context.ts";
import { registeredAs } from "./registered-scrapers.ts";
import { orNull } from "./lane-view.ts";
import { readPointers } from "./version-documents.ts";
import { page } from "../scrapers/page.ts";
import { compileScraper, type CompiledScraper } from "../scrapers/compiled-scraper.ts";

/** The scrapers that a name may mean: by their own name, or that of their file. */
export interface ScraperCatalog {
  /** Sorted; a scraper that cannot be loaded appears under its file's name. With those that the actor has registered, or may see. */
  names(actor?: Actor): Promise<readonly string[]>;
  /** Throws `ScraperLoadError` if there is none, it cannot be loaded, or two have this name. */
  find(name: string, actor?: Actor): Promise<CompiledScraper>;
  /** The name that its jobs have; the given name if no scraper is found. */
  ownName(name: string): Promise<string>;
  /** By the `source` of a job. */
  load(source: string): Promise<CompiledScraper>;
  /** From the installation's own file, whatever version is active. */
  ownFile?(name: string): Promise<Pick<CompiledScraper, "source" | "version"> | undefined>;
  /** Result of its fixture tests; undefined if nobody runs them. */
  readonly fixturesOf?: (source: string) => Promise<FixtureStatus>;
}

export interface FixtureStatus {
  readonly cases: number;
  readonly passed: number;
  /** Names of failed cases. */
  readonly failed: readonly string[];
  /** Why the tests could not run. */
  readonly problem?: string;
}

interface CatalogOptions extends Pick<ScraperCatalog, "fixturesOf"> {
  /** A name may also be a path, as people give it on the command line. Never for names that come over the API. */
  readonly takesPaths?: boolean;
  /** Has the scrapers that operators deployed and clients registered. */
  readonly blobs?: Blobs;
  /** Says which version of a scraper is active. */
  readonly documents?: Documents;
}

/** The built-ins, the scrapers of the project and, for names without a file, deployed scrapers. */
export const openCatalog = (
  project: Project | undefined,
  { takesPaths = false, blobs, documents, ...options }: CatalogOptions = {},
): ScraperCatalog => {
  /** Compiled once per version; a changed file has another version. */
  const compiled = new Map<
    string,
    { readonly loaded: LoadedScraper; readonly ready: Promise<CompiledScraper> }
  >();
  /** Names by file, while the file is unchanged: a list of hundreds is not loaded for each request. */
  const known = new Map<string, { readonly mark: string; readonly name: string }>();
  const nameOf: NameOf = async (file) => {
    const { mtimeMs, size } = statSync(file);
    const mark = `${mtimeMs} ${size}`;
    const last = known.get(file);
    if (last?.mark === mark) return last.name;
    const name = await loadScraper(file).then(
      ({ scraper }) => scraper.name,
      () => undefined,
    );
    if (name !== undefined) known.set(file, { mark, name });
    return name;
  };
  const load = async (source: string, pinned?: string): Promise<CompiledScraper> => {
    const loaded = await loadScraper(source, blobs, pinned);
    const id = `${loaded.source} ${pinned ?? ""}`;
    const last = compiled.get(id);
    if (last?.loaded.scraper === loaded.scraper && last.loaded.version === loaded.version)
      return await last.ready;
    const ready = compileScraper(loaded);
    compiled.set(id, { loaded, ready });
    return await ready;
  };
  /** The version that someone has activated. */
  const active = async (name: string): Promise<CompiledScraper | undefined> => {
    if (!documents || !blobs || !/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) return undefined;
    const { active: version } = (await readPointers({ documents }, name)).body;
    return version === undefined ? undefined : await load(deployedSource(name), version);
  };
  const names = async (actor?: Actor): Promise<readonly string[]> => {
    const files = project ? listScrapers(project) : [];
    const own = await Promise.all(files.map(async (file) => (await nameOf(file)) ?? fileName(file)));
    const below = actor && isAtLeast(actor.role, "operator") ? "" : `${actor?.client}/`;
    const registered = blobs && actor ? await currentVersions(blobs, below) : [];
    const deployed = blobs ? await deployedNames(blobs) : [];
    return [...new Set([page.name, ...own, ...deployed, ...registered.map(({ name }) => name)])].sort();
  };
  const sourceOf = async (name: string, actor?: Actor): Promise<string | undefined> => {
    const own = await ownSource(name);
    if (own !== undefined || !blobs) return own;
    if (await newestDeployed(blobs, name)) return deployedSource(name);
    if (!actor) return undefined;
    const [found] = await registeredAs(blobs, actor, name);
    return found && storedSource(found);
  };
  const ownSource = async (name: string): Promise<string | undefined> => {
    if (takesPaths) {
      if (!blobs || !(await newestDeployed(blobs, name))) return await resolveScraper(name);
      return await resolveScraper(name).catch((error: unknown) => {
        if (error instanceof ScraperLoadError && error.code === "unknown-scraper") return undefined;
        throw error;
      });
    }
    if (name === page.name) return name;
    if (!project) return undefined;
    try {
      const file = await findScraper(name, project, nameOf);
      // `findScraper` returns a path as it is.
      return listScrapers(project).includes(file) ? file : undefined;
    } catch (error) {
      if (error instanceof ScraperLoadError && error.code === "unknown-scraper") return undefined;
      throw error;
    }
  };
  return {
    ...options,
    load: (source) => load(source),
    names,
    async ownFile(name) {
      const source = await ownSource(name);
      return source === undefined ? undefined : await load(source);
    },
    async find(name, actor) {
      const chosen = await active(name);
      if (chosen) return chosen;
      const source = await sourceOf(name, actor);
      if (source === undefined)
        throw new ScraperLoadError(
          "unknown-scraper",
          `No scraper is named "${name}". This installation has ${namesText(await names(actor))}.`,
        );
      const found = await load(source);
      // Names of files and paths.
      return (found.scraper.name === name ? undefined : await active(found.scraper.name)) ?? found;
    },
    async ownName(name) {
      const source = await sourceOf(name).catch(() => undefined);
      return (
        (source === undefined || source === page.name
          ? undefined
          : await nameOf(source).catch(() => undefined)) ?? name
      );
    },
  };
};

const SHOWN_NAMES = 20;

const namesText = (names: readonly string[]): string => {
  const rest = names.length - SHOWN_NAMES;
  return names.slice(0, SHOWN_NAMES).join(", ") + (rest > 0 ? ` and ${rest} more: GET /v1/scrapers` : "");
};

const PAGE_INPUT = {
  type: "object",
  properties: { url: { type: "string", format: "uri" } },
  required: ["url"],
};

/** The schema of an input, as JSON Schema; undefined if it cannot be expressed so. */
const inputSchemaOf = ({ scraper }: CompiledScraper): Record<string, unknown> | undefined => {
  if (scraper.name === page.name) return PAGE_INPUT;
  if (!("_zod" in scraper.input)) return undefined;
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(scraper.input as unknown as z.ZodType, {
      io: "input",
      unrepresentable: "any",
    });
    return schema;
  } catch {
    return undefined;
  }
};

/** A page of the catalog, by name; `next` is the last name if there are more. */
export const listScraperEntries = async (
  scrapers: ScraperCatalog,
  { after, limit, actor }: { readonly after: string; readonly limit: number; readonly actor?: Actor },
): Promise<{ readonly entries: readonly ScraperEntry[]; readonly next: string | undefined }> => {
  const names = (await scrapers.names(actor)).filter((name) => name > after);
  const some = names.slice(0, limit);
  const entries = await Promise.all(
    some.map(async (name) => {
      try {
        const { scraper, version } = await scrapers.find(name, actor);
        const { kind = "http" } = scraper;
        return { name, kind, version, ...(scraper.site !== undefined && { site: scraper.site }) };
      } catch (error) {
        return { name, problem: withoutPlaces(error instanceof Error ? error.message : String(error)) };
      }
    }),
  );
  return { entries, next: names.length > some.length ? some.at(-1) : undefined };
};

/** The entries with their newest jobs: the actor's own, or those of all clients for operators. */
export const withRuns = async (
  { ledger }: Pick<ServiceContext, "ledger">,
  actor: Actor,
  entries: readonly ScraperEntry[],
): Promise<ScraperEntry[]> => {
  const scope = isAtLeast(actor.role, "operator") ? {} : { client: actor.client };
  const newest = async (query: Pick<JobQuery, "scraper" | "states">): Promise<Run | undefined> => {
    const [view] = await ledger.listJobs({ ...query, ...scope, limit: 1 });
    return view && runView(view);
  };
  return await Promise.all(
    entries.map(async (entry) => {
      const lastRun = await newest({ scraper: entry.name });
      const lastSuccess =
        lastRun && lastRun.state !== "done"
          ? await newest({ scraper: entry.name, states: ["done"] })
          : lastRun;
      return { ...entry, ...(lastRun && { lastRun }), ...(lastSuccess && { lastSuccess }) };
    }),
  );
};

type Run = NonNullable<ScraperEntry["lastRun"]>;

const runView = ({ spec, state, createdAt, endedAt, counts }: JobView): Run => ({
  id: spec.id,
  state,
  createdAt: isoTime(createdAt),
  ...(endedAt !== undefined && { endedAt: isoTime(endedAt) }),
  states: counts.states,
});

export const scraperView = (compiled: CompiledScraper, fixtures: FixtureStatus | undefined): Scraper => {
  const { scraper, version, pace, extraction, targets } = compiled;
  const input = inputSchemaOf(compiled);
  return {
    name: scraper.name,
    kind: scraper.kind ?? "http",
    ...(scraper.owner !== undefined && { owner: scraper.owner }),
    ...(scraper.site !== undefined && { site: scraper.site }),
    ...(scraper.lane !== undefined && { lane: scraper.lane }),
    version,
    pace: { ...pace, perSecond: orNull(pace.perSecond) },
    ...(input && { input }),
    fields: (extraction?.fieldNames ?? []).map((name) => ({
      name,
      isRequired: extraction!.required.includes(name),
    })),
    emitsTo: [...targets.keys()],
    ...(fixtures && {
      fixtures: {
        ...fixtures,
        ...(fixtures.problem !== undefined && { problem: withoutPlaces(fixtures.problem) }),
      },
    }),
  };
};
