import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ClientInfo, KeyInfo, NewDelivery, Registry } from "../registry.ts";

/** Opens the registry in a folder; opening it again simulates another process. */
export type OpenRegistry = (folder: string, options: { readonly now: () => number }) => Promise<Registry>;

/** In memory if the system supports it: the suite tests what a backend does, not how fast its disk is. */
const ROOT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

const START_MS = 1_750_000_000_000;

/** A registry of its own for one test, and its clock. */
export class RegistryKit {
  nowMs = START_MS;
  readonly registry: Registry;
  /** The same one as another process sees it. */
  readonly other: Registry;

  private constructor(registry: Registry, other: Registry) {
    this.registry = registry;
    this.other = other;
  }

  static async create(t: TestContext, open: OpenRegistry): Promise<RegistryKit> {
    const folder = await mkdtemp(join(ROOT, "sluice-registry-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    let kit: RegistryKit | undefined;
    const now = (): number => kit?.nowMs ?? START_MS;
    const registry = await open(folder, { now });
    t.after(() => registry.close());
    const other = await open(folder, { now });
    t.after(() => other.close());
    kit = new RegistryKit(registry, other);
    return kit;
  }

  pass(ms: number): void {
    this.nowMs += ms;
  }

  async takenIds(limit = 10, forMs = 1000): Promise<string[]> {
    return (await this.registry.takeDeliveries(limit, forMs)).map(({ id }) => id);
  }
}

export const clientInfo = (name: string, own: Partial<ClientInfo> = {}): ClientInfo => ({
  name,
  weight: 1,
  webhooks: [],
  createdAt: 5,
  ...own,
});

export const keyInfo = (id: string, own: Partial<KeyInfo> = {}): KeyInfo => ({
  id,
  client: "team",
  role: "client",
  hash: `hash of ${id}`,
  prefix: id.slice(0, 4),
  createdAt: 5,
  ...own,
});

/** One for each event and endpoint, as the task that makes them names them. */
export const delivery = (event: number, endpoint = "e1", own: Partial<NewDelivery> = {}): NewDelivery => ({
  id: `${event}@${endpoint}`,
  event,
  client: "team",
  job: "job",
  endpoint,
  url: `https://${endpoint}.test/hook`,
  type: "job.completed",
  body: JSON.stringify({ event }),
  ...own,
});

/** Registers one test of the contract: a sentence, with its own kit. */
export type RegistryTest = (sentence: string, run: (kit: RegistryKit) => Promise<void>) => void;
