import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openRegistry } from "../../backends/sqlite/registry/open.ts";
import { openSqlite } from "../../backends/sqlite/open.ts";
import type { JobSpec } from "../../domain/job.ts";
import { jobSpec, keysOf, planned } from "../../ports/ledger-suite/test-kit.ts";
import type { Ledger } from "../../ports/ledger.ts";
import { clientInfo } from "../../ports/registry-suite/test-kit.ts";
import type { Delivery, Registry, WebhookEndpoint } from "../../ports/registry.ts";
import type { Wait } from "../run-task.ts";

/** The secret of every endpoint unless a test says otherwise. */
export const SECRET = `whsec_${Buffer.from("a secret that only this test knows").toString("base64")}`;

export const endpoint = (id: string, url: string, own: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id,
  url,
  secrets: [SECRET],
  ...own,
});

/** A real ledger and a real registry in one file, and the clock that both go by. */
export class NotifyKit {
  nowMs = Date.now();
  readonly file: string;
  readonly now = (): number => this.nowMs;
  readonly problems: unknown[] = [];
  readonly report = (_task: string, error: unknown): void => void this.problems.push(error);
  ledger!: Ledger;
  registry!: Registry;

  private constructor(file: string) {
    this.file = file;
  }

  static async open(t: TestContext): Promise<NotifyKit> {
    const folder = await mkdtemp(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "sluice-telling-"));
    const service = new NotifyKit(join(folder, "sluice.db"));
    service.ledger = await openSqlite(service.file, { now: service.now });
    service.registry = await openRegistry(service.file, { now: service.now });
    t.after(async () => {
      await service.registry.close();
      await service.ledger.close();
      await rm(folder, { recursive: true });
    });
    return service;
  }

  /** What every task of one controller is handed. */
  tools(holder: string) {
    const { ledger, registry, now, report } = this;
    return { ledger, registry, now, report, holder };
  }

  async client(webhooks: readonly WebhookEndpoint[], name = "team"): Promise<void> {
    await this.registry.saveClient(clientInfo(name, { webhooks, secrets: [SECRET] }));
  }

  /** A job that has started, which is its first event. */
  async job(id: string, own: Partial<JobSpec> = {}, items = 0): Promise<void> {
    await this.ledger.createJob(jobSpec(id, own));
    if (items > 0) await this.ledger.addItems(id, planned(keysOf(items)), []);
  }

  async deliveries(): Promise<Delivery[]> {
    return (await this.registry.listDeliveries({ limit: 1000 })).toReversed();
  }
}

/** Resolves once it is so; what is asked runs in this process or another one. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
};

/** Runs a task whose waits end when the test says so. */
export const stepped = (run: (wait: Wait, signal: AbortSignal) => Promise<void>) => {
  const stop = new AbortController();
  let goOn = Promise.withResolvers<void>();
  let waits = Promise.withResolvers<void>();
  const wait: Wait = async (_ms, signal) => {
    waits.resolve();
    if (!signal.aborted) await goOn.promise;
  };
  const ended = run(wait, stop.signal);
  return {
    /** Until the round under way is over. */
    rests: () => waits.promise,
    /** One more round, from rest to rest. */
    async round(): Promise<void> {
      await waits.promise;
      const { resolve } = goOn;
      goOn = Promise.withResolvers();
      waits = Promise.withResolvers();
      resolve();
      await waits.promise;
    },
    async stop(): Promise<void> {
      stop.abort();
      goOn.resolve();
      await ended;
    },
  };
};
