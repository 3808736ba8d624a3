import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
export const COUNTY_SCRAPER = join(ROOT, "examples/county/county.scraper.ts");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real `sluice` process, as a user starts it. */
export class SluiceProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = process.cwd()) {
    this.child = spawn(process.execPath, [join(ROOT, "bin/sluice.js"), ...args], {
      env: { ...process.env, ...env },
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child.stdout!.on("data", (data: Buffer) => (this.stdout += data.toString()));
    this.child.stderr!.on("data", (data: Buffer) => (this.stderr += data.toString()));
    this.ended = new Promise((done) =>
      this.child.once("close", (code, signal) =>
        done({ code, signal, stdout: this.stdout, stderr: this.stderr }),
      ),
    );
  }

  /** Resolves when its words to people contain this. */
  async says(text: RegExp): Promise<void> {
    while (!text.test(this.stderr)) await once(this.child.stderr!, "data");
  }

  /** Resolves with the first line that it prints for programs; throws when it ends without one. */
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

export const childrenOf = (pid: number): number[] => {
  try {
    return globSync(`/proc/${pid}/task/*/children`)
      .flatMap((file) => readFileSync(file, "utf8").trim().split(" "))
      .filter((text) => text !== "")
      .map(Number);
  } catch {
    return []; // it has just ended
  }
};
