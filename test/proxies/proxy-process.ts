import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The example's proxy, in a process of its own. */
export const startProxyProcess = async (
  args: readonly string[] = [],
): Promise<AsyncDisposable & { readonly url: string }> => {
  const script = join(import.meta.dirname, "../../examples/proxy/serve.ts");
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { readonly url: string };
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
};
