import { createRequire } from "node:module";
import {
  BrowserPathError,
  browserVersion,
  findBrowser,
  type FoundBrowser,
  installHint,
} from "../collectors/browser/find-browser.ts";

/** One thing that this installation has or lacks. */
export interface Finding {
  readonly name: string;
  readonly isGood: boolean;
  /** A sentence without its end: what is there, or what is wrong. */
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

interface ExamineOptions {
  /** The browser of the configuration: a path, or the URL of a remote one. */
  readonly browser?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/** What `sluice doctor` shows. */
export const examine = async ({ browser, env = process.env }: ExamineOptions): Promise<Finding[]> => [
  { name: "Node", isGood: true, detail: `${process.version} on ${process.platform} ${process.arch}` },
  await examineBrowser(browser ?? (env["SLUICE_BROWSER"] || undefined), browser !== undefined, env),
  examineDriver(),
];

const NAME = "Browser";

const examineBrowser = async (
  named: string | undefined,
  isConfigured: boolean,
  env: NodeJS.ProcessEnv,
): Promise<Finding> => {
  // Its URL may hold a password.
  if (named !== undefined && /^(?:wss?|https?):/.test(named))
    return { name: NAME, isGood: true, detail: `a remote browser at ${URL.parse(named)?.host ?? "?"}` };
  try {
    const found = await findBrowser({ env, ...(isConfigured && { path: named }) });
    if (found) return await examineProgram(found);
    return {
      name: NAME,
      isGood: false,
      detail: "none found; browser scrapers cannot run",
      advice: `To install one: ${await installHint()}`,
    };
  } catch (error) {
    if (!(error instanceof BrowserPathError)) throw error;
    return { name: NAME, isGood: false, detail: error.message.replace(/\.$/, "") };
  }
};

const KINDS = { "headless-shell": "headless shell", chromium: "full Chromium" } as const;

const examineProgram = async ({ path, kind, from }: FoundBrowser): Promise<Finding> => {
  try {
    const version = await browserVersion(path);
    return { name: NAME, isGood: true, detail: `${path}, ${KINDS[kind]} ${version}, found ${from}` };
  } catch (error) {
    return {
      name: NAME,
      isGood: false,
      detail: `${path}, found ${from}, does not start: ${(error as Error).message}`,
      advice: `To install another: ${await installHint()}`,
    };
  }
};

const require = createRequire(import.meta.url);

const examineDriver = (): Finding => {
  const name = "Driver";
  try {
    const { version } = require("playwright-core/package.json") as { readonly version: string };
    return { name, isGood: true, detail: `playwright-core ${version}` };
  } catch {
    return {
      name,
      isGood: false,
      detail: "playwright-core is not installed; browser scrapers cannot run",
      advice: "To install it: npm install playwright-core",
    };
  }
};
