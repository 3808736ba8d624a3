import { execFile } from "node:child_process";
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Its path, or why there is none. */
export type Promtool = { readonly path: string } | { readonly reason: string };

const LOOK_MS = 10_000;
/** Some 20 MB; a network that hangs is given up. */
const DOWNLOAD_MS = 120_000;
const UNPACK_MS = 60_000;
const APT = [
  "-o",
  "Acquire::Retries=0",
  "-o",
  "Acquire::http::Timeout=10",
  "-o",
  "Acquire::https::Timeout=10",
];

/**
 * Prometheus' own checker: the one on the PATH, else one that an earlier run has kept, else the one in Debian's package, which is unpacked into the
 * user's cache and not installed.
 */
export const findPromtool = async (cache = join(cacheHome(), "sluice-tests")): Promise<Promtool> => {
  const kept = join(cache, "promtool");
  for (const path of ["promtool", kept]) if (await answers(path, "--version")) return { path };
  for (const tool of ["apt-get", "dpkg-deb"])
    if (!(await answers(tool, "--version")))
      return { reason: `neither promtool nor ${tool} is installed here` };
  try {
    await unpackTo(cache, kept);
    return { path: kept };
  } catch (error) {
    return { reason: `promtool could not be fetched: ${lastLine(error as Error & { stderr?: string })}` };
  }
};

const cacheHome = (): string => process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");

const answers = async (program: string, ...words: string[]): Promise<boolean> =>
  await run(program, words, { timeout: LOOK_MS }).then(
    () => true,
    () => false,
  );

/** In a folder of its own up to the last step: others that do the same at the same time do not meet it, and never see half a file. */
const unpackTo = async (cache: string, kept: string): Promise<void> => {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "fetch-"));
  try {
    await run("apt-get", ["download", ...APT, "prometheus"], { cwd: folder, timeout: DOWNLOAD_MS });
    const [file] = (await readdir(folder)).filter((name) => name.endsWith(".deb"));
    if (file === undefined) throw new Error("apt-get left no package");
    await run("dpkg-deb", ["-x", file, "package"], { cwd: folder, timeout: UNPACK_MS });
    const unpacked = join(folder, "package/usr/bin/promtool");
    await access(unpacked, constants.X_OK);
    await rename(unpacked, kept);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const lastLine = ({ stderr, message }: Error & { stderr?: string }): string =>
  (stderr || message).trim().split("\n").at(-1)!.slice(0, 200);
