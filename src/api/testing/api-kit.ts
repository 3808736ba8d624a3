import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFiles } from "../../backends/files/open-files.ts";
import { openSqlite } from "../../backends/sqlite/open.ts";
import { openRegistry } from "../../backends/sqlite/registry/open.ts";
import { laneName } from "../../domain/lane-name.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";
import type { Registry, Role } from "../../ports/registry.ts";
import { makeKey } from "../../services/secrets.ts";
import type { ControllerContext } from "../controller-context.ts";
import { openCatalog } from "../../services/scraper-catalog.ts";
import { buildServer } from "../server.ts";

export interface Asked {
  readonly key?: string | undefined;
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit["body"]>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The API on loopback, on a ledger, a registry and an archive of its own. For tests. */
export interface ApiKit extends AsyncDisposable {
  readonly url: string;
  readonly data: string;
  readonly ledger: Ledger;
  readonly registry: Registry;
  readonly blobs: Blobs;
  readonly logged: { readonly event: string; readonly facts: Readonly<Record<string, unknown>> }[];
  /** A client with a key. */
  addClient(name: string, role?: Role, info?: Readonly<Record<string, unknown>>): Promise<string>;
  ask<Body>(method: string, path: string, asked?: Asked): Promise<Answer<Body>>;
  raw(method: string, path: string, asked?: Asked): Promise<Response>;
}

const SCRAPER = `import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "county",
  site: "https://county.example",
  input: z.object({ parcel: z.string().regex(/^\\d{1,10}$/), year: z.string().optional() }),
  key: ({ parcel }) => parcel,
  pace: { perSecond: 1000, burst: 100, concurrency: 100 },
  collect: async ({ http, input, keep }) => keep.page("page", await http.get("/" + input.parcel)),
  extract: { from: "page", fields: { owner: field.text(".owner"), tax: field.money(".tax").optional() } },
});
`;

interface KitOptions extends Partial<Omit<ControllerContext, "registry">> {
  /** Puts somebody between the controller and its registry. */
  readonly withRegistry?: (registry: Registry) => Registry;
}

export const openApiKit = async ({
  withRegistry = (registry) => registry,
  ...options
}: KitOptions = {}): Promise<ApiKit> => {
  const data = await mkdtemp(join(tmpdir(), "sluice-api-"));
  const folder = join(data, "project");
  const scrapers = join(folder, "scrapers");
  await mkdir(scrapers, { recursive: true });
  await writeFile(join(scrapers, "county.scraper.ts"), SCRAPER);
  const ledger = await openSqlite(join(data, "sluice.db"));
  const registry = await openRegistry(join(data, "sluice.db"));
  const blobs = await openFiles(join(data, "blobs"));
  const logged: { event: string; facts: Readonly<Record<string, unknown>> }[] = [];
  const note = (event: string, facts = {}) => void logged.push({ event, facts });
  const server = await buildServer({
    ledger,
    registry: withRegistry(registry),
    blobs,
    scrapers: openCatalog(
      { file: "", folder, data, scrapers: [scrapers] },
      { blobs, documents: ledger.documents },
    ),
    laneOf: (url) => laneName(url, (host) => host),
    log: { debug: note, info: note, warn: note, error: note },
    metrics: async () => "sluice_up 1\n",
    ...options,
  });
  await server.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;

  const raw = async (method: string, path: string, asked: Asked = {}): Promise<Response> => {
    const { key, json, body, headers, signal } = asked;
    const sent = json === undefined ? body : JSON.stringify(json);
    return await fetch(url + path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent, duplex: "half" }),
      ...(signal && { signal }),
    });
  };
  return {
    url,
    data,
    ledger,
    registry,
    blobs,
    logged,
    raw,
    async ask<Body>(method: string, path: string, asked?: Asked): Promise<Answer<Body>> {
      const response = await raw(method, path, asked);
      const text = await response.text();
      const isJson =
        /^application\/(problem\+)?json\b/.test(response.headers.get("content-type") ?? "") && text !== "";
      return {
        status: response.status,
        headers: response.headers,
        body: (isJson ? JSON.parse(text) : text) as Body,
      };
    },
    async addClient(name, role = "client", info = {}) {
      if (!(await registry.readClient(name))) {
        await registry.saveClient({ name, weight: 1, webhooks: [], createdAt: Date.now(), ...info });
        await ledger.setShare(name, { weight: 1 });
      }
      const made = makeKey(name, role, Date.now());
      await registry.saveKey(made.info);
      return made.key;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await registry.close();
      await ledger.close();
      await rm(data, { recursive: true, force: true });
    },
  };
};
