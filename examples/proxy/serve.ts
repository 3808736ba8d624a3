/** A plain HTTP proxy on loopback, for trying out tiers: `node examples/proxy/serve.ts --port 8701 --exit 127.0.0.2`. */
import { type AddressInfo, connect, createServer } from "node:net";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    /** The address that sites see. */
    exit: { type: "string", default: "127.0.0.1" },
    user: { type: "string", default: "" },
    password: { type: "string", default: process.env["PROXY_PASSWORD"] ?? "" },
  },
});
const login = `Basic ${Buffer.from(`${values.user}:${values.password}`).toString("base64")}`;
const END_OF_HEAD = "\r\n\r\n";

const server = createServer((client) => {
  client.on("error", () => client.destroy());
  client.once("data", (bytes: Buffer) => {
    const head = bytes.toString("latin1");
    const [, host, port] = /^CONNECT \[?([^\s\]]+)\]?:(\d+) HTTP\/1\.1/.exec(head) ?? [];
    const [, given = ""] = /^proxy-authorization: (.+)$/im.exec(head) ?? [];
    if (values.user !== "" && given.trim() !== login)
      return void client.end(`HTTP/1.1 407 Proxy Authentication Required${END_OF_HEAD}`);
    if (host === undefined) return void client.end(`HTTP/1.1 405 Method Not Allowed${END_OF_HEAD}`);
    const site = connect({ host, port: Number(port), localAddress: values.exit, noDelay: true });
    site.on("error", () => client.end(`HTTP/1.1 502 Bad Gateway${END_OF_HEAD}`));
    site.on("close", () => client.destroySoon());
    client.on("close", () => site.destroy());
    site.once("connect", () => {
      client.write(`HTTP/1.1 200 Connection established${END_OF_HEAD}`);
      client.pipe(site).pipe(client);
    });
  });
});
server.listen(Number(values.port), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit());
