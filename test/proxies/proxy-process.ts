/** A plain CONNECT proxy in a process of its own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

export const startProxyProcess = async (): Promise<AsyncDisposable & { readonly url: string }> => {
  const child = fork(import.meta.filename, ["serve"]);
  const [port] = (await once(child, "message")) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
};

if (process.argv[1] === import.meta.filename && process.argv[2] === "serve") {
  const server = createServer((client) => {
    client.on("error", () => client.destroy());
    client.once("data", (head: Buffer) => {
      const [, host = "", port] = /^CONNECT (\S+):(\d+) /.exec(head.toString("latin1")) ?? [];
      const site = connect({ host, port: Number(port), noDelay: true });
      site.on("error", () => client.destroy()).on("close", () => client.destroy());
      client.on("close", () => site.destroy());
      site.once("connect", () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.pipe(site).pipe(client);
      });
    });
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
}
