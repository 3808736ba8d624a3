import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { nginxConf } from "./nginx-conf.ts";
import { writePages } from "./site-pages.ts";

/** The pages that all programs fetch, served by a process that is not measured. */
export interface Site extends AsyncDisposable {
  readonly origin: string;
  readonly server: "nginx" | "node";
}

const endWithUs = (child: ChildProcess): void => {
  process.once("exit", () => child.kill("SIGTERM"));
};

/** Debian keeps it out of a user's PATH. */
const NGINX_PATHS = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx", "/opt/homebrew/bin/nginx"];

export const startSite = async (folder: string): Promise<Site> => {
  const nginx = NGINX_PATHS.find((path) => existsSync(path));
  return nginx === undefined ? await startNode() : await startNginx(nginx, folder);
};

const startNginx = async (nginx: string, folder: string): Promise<Site> => {
  writePages(join(folder, "pages"));
  const port = await freePort();
  const conf = join(folder, "nginx.conf");
  writeFileSync(conf, nginxConf(folder, port));
  const child = spawn(nginx, ["-p", folder, "-c", conf], { stdio: ["ignore", "ignore", "inherit"] });
  endWithUs(child);
  const origin = `http://127.0.0.1:${port}`;
  await untilAnswering(origin, child);
  return { origin, server: "nginx", [Symbol.asyncDispose]: () => end(child) };
};

const startNode = async (): Promise<Site> => {
  const script = join(import.meta.dirname, "static-server.ts");
  const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
  endWithUs(child);
  const [port] = (await once(child.stdout, "data")) as [Buffer];
  return {
    origin: `http://127.0.0.1:${Number(port.toString())}`,
    server: "node",
    [Symbol.asyncDispose]: () => end(child),
  };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
};

const untilAnswering = async (origin: string, child: ChildProcess): Promise<void> => {
  for (let tries = 0; tries < 100 && child.exitCode === null; tries++) {
    const answer = await fetch(`${origin}/parcel/0001`).catch(() => undefined);
    if (answer?.ok) return;
    await delay(50);
  }
  await end(child);
  throw new Error(`nginx did not answer at ${origin}`);
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
};
