import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Job, SluiceClient } from "../../src/client.ts";
import type { Config } from "../../src/config/define-config.ts";
import { freePort } from "../free-port.ts";
import { SluiceProcess } from "./sluice-process.ts";

type Env = Readonly<Record<string, string>>;

/** A project folder with a data folder, and a service's processes, started as an operator starts them. */
export class Service implements AsyncDisposable {
  readonly folder: string;
  readonly data: string;
  readonly #env: Env;
  readonly #started: SluiceProcess[] = [];
  #controller: SluiceProcess | undefined;
  #url = "";
  #key = "";

  constructor(folder: string, env: Env = {}) {
    this.folder = folder;
    this.data = join(folder, "data");
    this.#env = env;
    mkdirSync(join(folder, "scrapers"), { recursive: true });
    this.configure({});
  }

  /** Writes the project's configuration. */
  configure(config: Config): void {
    writeFileSync(join(this.folder, "sluice.config.ts"), `export default ${JSON.stringify(config)};\n`);
  }

  /** Writes a scraper into the project, or replaces it. */
  writeScraper(name: string, text: string): void {
    writeFileSync(join(this.folder, "scrapers", `${name}.scraper.ts`), text);
  }

  /** Starts the controller, or restarts it at the same address. */
  async serve(...args: readonly string[]): Promise<SluiceClient> {
    const port = this.#url === "" ? `${await freePort()}` : new URL(this.#url).port;
    const controller = this.#start(["serve", "--json", "--port", port, ...args]);
    this.#controller = controller;
    const line = await controller.line();
    const { url, key } = JSON.parse(line) as { readonly url: string; readonly key?: string };
    this.#url = url;
    this.#key = key ?? this.#key;
    return this.client;
  }

  get client(): SluiceClient {
    return new SluiceClient({ server: this.#url, key: this.#key, retries: 20 });
  }

  get url(): string {
    return this.#url;
  }

  get key(): string {
    return this.#key;
  }

  get controller(): SluiceProcess {
    return this.#controller!;
  }

  worker(...args: readonly string[]): SluiceProcess {
    return this.#start(["worker", ...args]);
  }

  /** Polls the job until the condition holds. Each poll checks that nothing is lost or counted twice. */
  async until(job: string, isSo: (job: Job) => boolean): Promise<Job> {
    for (;;) {
      const view = await this.client.getJob(job);
      assertConserved(view);
      if (isSo(view)) return view;
      await delay(50);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#started) if (child.exitCode === null) child.kill("SIGTERM");
    await Promise.all(this.#started.map(({ ended }) => ended));
  }

  #start(args: readonly string[]): SluiceProcess {
    const started = new SluiceProcess(args, this.#env, this.folder);
    this.#started.push(started);
    return started;
  }
}

/** Every input is accepted, rejected, folded or capped, and every item is in one state. */
export const assertConserved = ({ counts }: Pick<Job, "counts">): void => {
  const { received, accepted, folded, rejected, capped, states } = counts;
  const sum = Object.values(states).reduce((a, b) => a + b);
  if (received !== accepted + folded + rejected + capped || accepted !== sum)
    throw new Error(`something was lost or counted twice: ${JSON.stringify(counts)}`);
};
