import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism, freemem, homedir } from "node:os";
import { basename, join } from "node:path";

type BrowserKind = "headless-shell" | "chromium";

export interface FoundBrowser {
  readonly path: string;
  readonly kind: BrowserKind;
  /** How it was found, as a phrase: `at a known path`. */
  readonly from: string;
}

interface FindOptions {
  /** From the configuration. If it cannot be run, nothing else is tried. */
  readonly path?: string | undefined;
  /** Full Chromium instead of the headless shell, which is two to five times cheaper but has no PDF viewer, extensions or GPU. */
  readonly full?: boolean | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
}

/** A browser was named, and cannot be run. */
export class BrowserPathError extends Error {
  readonly code = "bad-browser-path";
  constructor(path: string, from: string) {
    super(
      `${path}: this path is set ${from}, but is not a program that can be run. Correct the path, or remove it.`,
    );
    this.name = "BrowserPathError";
  }
}

/**
 * Distributions put a shell script at /usr/bin that adds options and flags of its own: the programs themselves come first. The order is that of
 * preference.
 */
const KNOWN: Readonly<Record<BrowserKind, Readonly<Record<string, readonly string[]>>>> = {
  "headless-shell": {
    linux: [
      "/usr/lib/chromium/chromium-headless-shell",
      "/usr/lib/chromium/headless_shell",
      "/usr/lib64/chromium-browser/headless_shell",
      "/usr/bin/chromium-headless-shell",
    ],
  },
  chromium: {
    linux: [
      "/usr/lib/chromium/chromium",
      "/usr/lib64/chromium-browser/chromium-browser",
      "/usr/lib/chromium-browser/chromium-browser",
      "/opt/google/chrome/chrome",
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
      "/usr/bin/google-chrome",
    ],
    darwin: [
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ],
    win32: [
      String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
      String.raw`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
    ],
  },
};

/** Folders of Playwright's cache begin with this, then comes the revision. */
const CACHED: Readonly<Record<BrowserKind, string>> = {
  "headless-shell": "chromium_headless_shell-",
  chromium: "chromium-",
};

/** Within a folder of the cache, for all platforms and revisions. */
const PROGRAM: Readonly<Record<BrowserKind, RegExp>> = {
  "headless-shell": /^(?:chrome-)?headless[-_]shell(?:\.exe)?$/,
  chromium: /^(?:chrome(?:\.exe)?|Chromium|Google Chrome for Testing)$/,
};

/** In this order: configuration, SLUICE_BROWSER, known paths, Playwright's cache. A headless shell anywhere comes before full Chromium. */
export const findBrowser = async ({
  path,
  full = false,
  env = process.env,
  platform = process.platform,
}: FindOptions = {}): Promise<FoundBrowser | undefined> => {
  if (path !== undefined) return await named(path, "in the configuration");
  const fromEnv = env["SLUICE_BROWSER"];
  if (fromEnv !== undefined && fromEnv !== "") return await named(fromEnv, "by SLUICE_BROWSER");
  for (const kind of full ? (["chromium"] as const) : (["headless-shell", "chromium"] as const)) {
    for (const place of KNOWN[kind][platform] ?? [])
      if (await isProgram(place)) return { path: place, kind, from: "at a known path" };
    const cached = await inPlaywrightCache(kind, env, platform);
    if (cached !== undefined) return { path: cached, kind, from: "in Playwright's cache" };
  }
  return undefined;
};

const named = async (path: string, from: string): Promise<FoundBrowser> => {
  if (!(await isProgram(path))) throw new BrowserPathError(path, from);
  return { path, kind: /headless[-_]shell/.test(basename(path)) ? "headless-shell" : "chromium", from };
};

const isProgram = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** The newest revision. */
const inPlaywrightCache = async (
  kind: BrowserKind,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): Promise<string | undefined> => {
  const cache = cacheFolder(env, platform);
  const prefix = CACHED[kind];
  const revisions = (await readdir(cache).catch(() => []))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .sort((one, other) => Number(other.slice(prefix.length)) - Number(one.slice(prefix.length)));
  for (const revision of revisions) {
    const folder = join(cache, revision);
    const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const file of files.filter(({ name }) => PROGRAM[kind].test(name))) {
      const path = join(file.parentPath, file.name);
      if (file.isFile() && (await isProgram(path))) return path;
    }
  }
  return undefined;
};

const cacheFolder = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => {
  const own = env["PLAYWRIGHT_BROWSERS_PATH"];
  if (own !== undefined && own !== "" && own !== "0") return own;
  const home = env["HOME"] ?? homedir();
  if (platform === "darwin") return join(home, "Library/Caches/ms-playwright");
  if (platform === "win32") return join(env["LOCALAPPDATA"] ?? join(home, "AppData/Local"), "ms-playwright");
  return join(env["XDG_CACHE_HOME"] ?? join(home, ".cache"), "ms-playwright");
};

const VERSION_MS = 20_000;

/** As the program reports it, for example `150.0.7871.100`; an error if it does not start, for example because a library is missing. */
export const browserVersion = async (path: string): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(path, ["--version"], { timeout: VERSION_MS, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
    const version = /\d+(?:\.\d+){2,3}/.exec(stdout)?.[0];
    if (version !== undefined) return resolve(version);
    const said = `${stderr}${stdout}`.trim().split("\n")[0]?.slice(0, 200) ?? "";
    reject(
      new Error(said || (error ? `it ended with ${error.signal ?? error.code}` : "it prints no version")),
    );
  });
  return await promise;
};

/** The command that installs the headless shell on this machine. Debian packages it; elsewhere Playwright downloads its own build. */
export const installHint = async (): Promise<string> => {
  const system = await readFile("/etc/os-release", "utf8").catch(() => "");
  const id = /^ID="?([\w-]+)/m.exec(system)?.[1];
  if (id === "debian") return "apt-get install --no-install-recommends --yes chromium-headless-shell";
  if (id === "ubuntu") return "npx playwright-core install --with-deps chromium-headless-shell";
  return "npx playwright-core install chromium-headless-shell";
};

const TABS_PER_CORE = 2;
const BYTES_PER_TAB = 200 * 1024 ** 2;

export const defaultTabs = (): number =>
  Math.max(1, Math.min(availableParallelism() * TABS_PER_CORE, Math.floor(freemem() / BYTES_PER_TAB)));

interface CapacityOptions extends FindOptions {
  readonly remote?: string | undefined;
  readonly tabs?: number | undefined;
}

/** How many items this process can run in a browser at once; 0 without a browser or the package to drive it. */
export const browserCapacity = async ({ remote, tabs, ...options }: CapacityOptions): Promise<number> => {
  if (!hasPlaywright()) return 0;
  if (remote === undefined && !(await findBrowser(options).catch(() => undefined))) return 0;
  return tabs ?? defaultTabs();
};

const hasPlaywright = (): boolean => {
  try {
    createRequire(import.meta.url).resolve("playwright-core");
    return true;
  } catch {
    return false;
  }
};
