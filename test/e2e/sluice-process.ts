import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openStorage } from "../../src/compose.ts";

export const ROOT = resolve(import.meta.dirname, "../..");
export const COUNTY_SCRAPER = join(ROOT, "examples/county/county.scraper.ts");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<ChildProcess>();

/** Without the server, key and data folder of the person who runs the tests. Hints name the program as if it was installed. */
const cleanEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SLUICE_"))),
  SLUICE_COMMAND: "sluice",
};

// A test that timed out must not leave a process behind: its pipes would keep the test file running.
if (process.env["NODE_TEST_CONTEXT"] !== undefined)
  after(() => {
    for (const child of running) child.kill("SIGKILL");
  });

/** A real `sluice` process, as a user starts it. */
export class SluiceProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";

  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    cwd = process.cwd(),
    stdin: "ignore" | "pipe" = "ignore",
    /** A command that wraps it. */
    within: readonly string[] = [],
  ) {
    const [program, ...rest] = [...within, process.execPath, join(ROOT, "bin/sluice.js"), ...args];
    this.child = spawn(program!, rest, {
      env: { ...cleanEnv, ...env },
      cwd,
      stdio: [stdin, "pipe", "pipe"],
    });
    running.add(this.child);
    this.child.once("exit", () => running.delete(this.child));
    this.child.stdout!.on("data", (data: Buffer) => (this.stdout += data.toString()));
    this.child.stderr!.on("data", (data: Buffer) => (this.stderr += data.toString()));
    this.ended = new Promise((done) =>
      this.child.once("close", (code, signal) =>
        done({ code, signal, stdout: this.stdout, stderr: this.stderr }),
      ),
    );
  }

  /** Resolves when stderr matches, and fails if the process ends before. */
  async says(text: RegExp): Promise<void> {
    while (!text.test(this.stderr)) await this.#next("stderr");
  }

  /** The same for stdout. The matched text is removed, so that the next call waits for new output. */
  async prints(text: RegExp): Promise<void> {
    while (!text.test(this.stdout)) await this.#next("stdout");
    this.stdout = this.stdout.replace(text, "");
  }

  async #next(stream: "stdout" | "stderr"): Promise<void> {
    const hasEnded = this.ended.then(({ code, stdout, stderr }) => {
      throw new Error(`sluice ended with ${code} before it said what was awaited:\n${stdout}${stderr}`);
    });
    await Promise.race([once(this.child[stream]!, "data"), hasEnded]);
  }

  /** Resolves with the first line of stdout, and throws if the process ends without one. */
  async line(): Promise<string> {
    while (!this.stdout.includes("\n")) {
      const ended = await Promise.race([once(this.child.stdout!, "data"), this.ended]);
      if ("code" in ended && !this.stdout.includes("\n")) throw new Error(`it ended: ${ended.stderr}`);
    }
    return this.stdout.split("\n")[0]!;
  }

  /** This process and its children, by id. */
  family(): number[] {
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return [];
    return [pid, ...childrenOf(pid)];
  }
}

export const sluice = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
  new SluiceProcess(args, env).ended;

/** Waits until the data folder has a job: a run that is killed before leaves nothing to resume. */
export const untilJob = async (data: string): Promise<void> => {
  await using storage = await openStorage(data);
  while ((await storage.ledger.listJobs()).length === 0) await delay(20);
};

export const childrenOf = (pid: number): number[] => {
  try {
    return globSync(`/proc/${pid}/task/*/children`)
      .flatMap((file) => readFileSync(file, "utf8").trim().split(" "))
      .filter((text) => text !== "")
      .map(Number);
  } catch {
    return []; // the process has just ended
  }
};
