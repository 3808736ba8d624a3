import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { FailureError } from "../../domain/failure.ts";
import { loadOptional, MissingBrowserError } from "../../domain/missing-package.ts";
import { redactSecrets } from "../../domain/redact-secrets.ts";
import { settledWithin } from "./active-clock.ts";
import { directSession, type Session } from "./below-the-api.ts";
import { findBrowser, installHint } from "./find-browser.ts";

export interface LaunchOptions {
  /** Path of the binary; default: it is searched for. */
  readonly path?: string | undefined;
  /** Full Chromium instead of the headless shell. */
  readonly full?: boolean | undefined;
  /** Images are never requested, which is cheaper than refusing each of them. */
  readonly hidesImages?: boolean | undefined;
  /** A browser elsewhere, by its CDP address: `wss://…`. May contain a password. */
  readonly remote?: string | undefined;
  /** Further switches, for tests. */
  readonly args?: readonly string[] | undefined;
}

const FOLDER = "sluice-browser-";
const LAUNCH_MS = 30_000;
const CLOSE_MS = 2_000;

/**
 * Chromium obeys only the last `--disable-features`, and so the library's list must be repeated; a test compares them. `RenderDocument` builds a new
 * view, with its compositor, for each document, which is most of what a navigation in an open tab costs.
 */
const DISABLED_FEATURES = [
  "RenderDocument",
  "IsolateOrigins",
  "site-per-process",
  "Translate",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "TcpPortRandomizationWin",
  "ThirdPartyStoragePartitioning",
  "msEdgeUpdateLaunchServicesPreferredVersion",
  "msForceBrowserSignIn",
];

/**
 * Off: features that send requests by themselves or bypass a proxy, and separate processes for frames. The frames of an item share its context
 * anyway, and the gate can assign requests only to frames that its page knows.
 */
const SWITCHES = [
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-site-isolation-trials",
  `--disable-features=${DISABLED_FEATURES.join(",")}`,
  "--no-pings",
  // Ends a page that hoards memory, not the machine.
  "--js-flags=--max-old-space-size=1024",
];

/** With the settings that the library gives: here, too, only the last switch counts. */
const NO_IMAGES =
  "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4,imagesEnabled=false";

/** One running browser, local or remote. */
export class BrowserProcess {
  readonly browser: Browser;
  /** Of the whole browser, not of one page. */
  readonly cdp: Session;
  readonly isRemote: boolean;
  readonly #pid: number | undefined;
  readonly #folder: string | undefined;
  readonly startedAt = performance.now();
  #closing: Promise<void> | undefined;

  private constructor(
    browser: Browser,
    cdp: Session,
    { pid, folder }: { readonly pid?: number; readonly folder?: string },
  ) {
    this.browser = browser;
    this.cdp = cdp;
    this.isRemote = folder === undefined;
    this.#pid = pid;
    this.#folder = folder;
  }

  static async start(options: LaunchOptions): Promise<BrowserProcess> {
    const { chromium } = await loadPlaywright();
    if (options.remote !== undefined) return await connect(chromium, options.remote);
    const found = await findBrowser(given(options));
    if (!found) throw new MissingBrowserError(await installHint());
    await sweepFolders();
    const folder = await mkdtemp(join(TEMPORARY, `${FOLDER}${process.pid}-`));
    try {
      const launch = () =>
        chromium.launch({
          executablePath: found.path,
          headless: true,
          // Pages are hostile; root cannot use the sandbox.
          chromiumSandbox: process.getuid?.() !== 0,
          args: [...SWITCHES, ...(options.hidesImages ? [NO_IMAGES] : []), ...(options.args ?? [])],
          handleSIGINT: false,
          handleSIGTERM: false,
          handleSIGHUP: false,
          timeout: LAUNCH_MS,
          downloadsPath: folder,
          artifactsDir: folder,
          env: browserEnvironment(folder),
        });
      const browser = await withTemporary(folder, launch);
      const cdp = directSession(await browser.newBrowserCDPSession());
      const { processInfo } = (await cdp.send("SystemInfo.getProcessInfo")) as {
        processInfo: { type: string; id: number }[];
      };
      const pid = processInfo.find(({ type }) => type === "browser")?.id;
      return new BrowserProcess(browser, cdp, { folder, ...(pid !== undefined && { pid }) });
    } catch (error) {
      await removeFolder(folder);
      throw startFailure(error, `the browser ${found.path} did not start`);
    }
  }

  static remote(browser: Browser, cdp: Session): BrowserProcess {
    return new BrowserProcess(browser, cdp, {});
  }

  get isConnected(): boolean {
    return this.browser.isConnected();
  }

  /** Memory of all its processes together, in bytes; undefined where the system does not say. */
  memory(): number | undefined {
    return this.#pid === undefined ? undefined : memoryOfGroup(this.#pid);
  }

  /** Asks it to close, and ends its process group if it does not. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** At once. */
  kill(): void {
    if (this.#pid === undefined) return;
    for (const target of [-this.#pid, this.#pid])
      try {
        process.kill(target, "SIGKILL");
      } catch {
        // It is gone, or leads no group.
      }
  }

  async #close(): Promise<void> {
    const closed = await settledWithin(CLOSE_MS, this.browser.close());
    if (!closed) this.kill();
    await settledWithin(CLOSE_MS, this.#gone());
    if (this.#folder !== undefined) await removeFolder(this.#folder);
  }

  async #gone(): Promise<void> {
    if (!this.browser.isConnected()) return;
    await new Promise<void>((resolve) => void this.browser.once("disconnected", () => resolve()));
  }
}

/** Pages are hostile: the browser's processes see no secret of ours. */
const browserEnvironment = (folder: string): Record<string, string> => {
  const passed = Object.entries(process.env).filter(([name]) =>
    /^(?:PATH|HOME|LANG|LC_\w+|TZ|XDG_\w+)$/.test(name),
  );
  return { ...(Object.fromEntries(passed) as Record<string, string>), TMPDIR: folder };
};

const given = ({ path, full }: LaunchOptions): { path?: string; full?: boolean } => ({
  ...(path !== undefined && { path }),
  ...(full !== undefined && { full }),
});

const loadPlaywright = async (): Promise<typeof import("playwright-core")> => {
  try {
    return await import("playwright-core");
  } catch (error) {
    return loadOptional("playwright-core", "A scraper of kind browser", () => {
      throw error;
    });
  }
};

const connect = async (
  chromium: (typeof import("playwright-core"))["chromium"],
  remote: string,
): Promise<BrowserProcess> => {
  try {
    const browser = await chromium.connectOverCDP(remote, { timeout: LAUNCH_MS });
    return BrowserProcess.remote(browser, directSession(await browser.newBrowserCDPSession()));
  } catch (error) {
    // The library's message quotes the address with its password.
    const text = String(error).replaceAll(remote, "the remote browser");
    throw startFailure(new Error(redactSecrets(text)), "the remote browser cannot be reached");
  }
};

const startFailure = (error: unknown, detail: string): FailureError => {
  const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
  return new FailureError({ kind: "browser", detail: `${detail}: ${line.slice(0, 300)}` }, { cause: error });
};

const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

/** Read once: the variable changes while a browser starts. */
const TEMPORARY = tmpdir();
let launching: Promise<unknown> = Promise.resolve();

/**
 * The library makes the folder of the browser's profile where `TMPDIR` says; there is no other way to choose its place. One launch at a time, or one
 * browser's folder would be in that of another.
 */
const withTemporary = <Result>(folder: string, work: () => Promise<Result>): Promise<Result> => {
  const launched = launching.then(async () => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder;
    try {
      return await work();
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
  });
  launching = settledWithin(2 * LAUNCH_MS, launched);
  return launched;
};

/** Removes files of killed processes. */
const sweepFolders = async (): Promise<void> => {
  await mkdir(TEMPORARY, { recursive: true });
  for (const name of readdirSync(TEMPORARY)) {
    const pid = name.startsWith(FOLDER) ? Number(name.slice(FOLDER.length).split("-", 1)[0]) : NaN;
    if (Number.isInteger(pid) && !isAlive(pid))
      await removeFolder(join(TEMPORARY, name)).catch(() => undefined);
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** Proportional share of memory, so that what processes share is counted once. */
const memoryOfGroup = (leader: number): number | undefined => {
  if (!existsSync("/proc/self/smaps_rollup")) return undefined;
  let sum = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const group = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
      if (group !== leader) continue;
      const rollup = readFileSync(`/proc/${name}/smaps_rollup`, "latin1");
      sum += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) * 1024;
    } catch {
      // The process has ended meanwhile.
    }
  }
  return sum;
};
