import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type TlsContents, watchTls } from "../../src/cli/actions/serve.ts";
import { SluiceProcess, sluice } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-tls-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

const openssl = (line: string): string =>
  execFileSync("openssl", line.split(" "), {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Why certificates could not be made, or undefined. */
const whyNone = (): string | undefined => {
  try {
    openssl("version");
  } catch {
    return "there is no openssl here to make a certificate with";
  }
  const own = "-newkey rsa:2048 -nodes";
  openssl(`req -x509 ${own} -days 2 -keyout ca.key -out ca.pem -subj /CN=ca.test`);
  openssl(`req ${own} -keyout key.pem -out request.pem -subj /CN=localhost`);
  writeFileSync(at("names.txt"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  openssl(
    "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names.txt -out cert.pem",
  );
  return undefined;
};
const skip = whyNone() ?? false;

const serve = async (...args: readonly string[]) => {
  const data = mkdtempSync(at("data-"));
  const server = new SluiceProcess(["serve", "--json", "--port", "0", "--data", data, ...args]);
  const { url, key = "" } = JSON.parse(await server.line()) as {
    readonly url: string;
    readonly key?: string;
  };
  return { server, url, key };
};

const stop = async ({ child, ended }: SluiceProcess): Promise<void> => {
  child.kill("SIGTERM");
  await ended;
};

test(
  "with a certificate the API is answered over HTTPS, to clients that trust its CA",
  { skip },
  async () => {
    const { server, url, key } = await serve("--tls-cert", at("cert.pem"), "--tls-key", at("key.pem"));
    assert.match(url, /^https:/);
    const trusting = { SLUICE_KEY: key, NODE_EXTRA_CA_CERTS: at("ca.pem") };
    const listed = await sluice(["clients", "ls", "--json", "--server", url], trusting);
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /"name":"default"/);
    const doubting = await sluice(["clients", "ls", "--server", url], { SLUICE_KEY: key });
    assert.equal(doubting.code, 1);
    assert.match(doubting.stderr, /certificate is not trusted.*NODE_EXTRA_CA_CERTS/);
    await assert.rejects(fetch(url.replace("https:", "http:")));
    await stop(server);
  },
);

test("a renewed certificate is used once both files match", { skip }, async (t) => {
  const files = { cert: at("live.pem"), key: at("live.key") };
  copyFileSync(at("cert.pem"), files.cert);
  copyFileSync(at("key.pem"), files.key);
  const { promise, resolve } = Promise.withResolvers<TlsContents>();
  const over = new AbortController();
  t.after(() => over.abort());
  watchTls(files, resolve, over.signal, 20);
  copyFileSync(at("ca.pem"), files.cert);
  copyFileSync(at("ca.key"), files.key);
  const waiting = setInterval(() => undefined, 1000);
  t.after(() => clearInterval(waiting));
  assert.deepEqual(await promise, { cert: readFileSync(at("ca.pem")), key: readFileSync(at("ca.key")) });
});

test("an incomplete or invalid certificate is refused at the start", { skip }, async () => {
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { code, stderr } = await sluice(["serve", "--port", "0", "--data", at("refused"), ...args]);
    assert.equal(code, 2, stderr);
    return stderr;
  };
  assert.match(await refusal("--tls-cert", at("cert.pem")), /--tls-key is missing/);
  assert.match(await refusal("--tls-cert", at("none.pem"), "--tls-key", at("key.pem")), /none\.pem.*ENOENT/);
  assert.match(
    await refusal("--tls-cert", at("cert.pem"), "--tls-key", at("ca.key")),
    /not a certificate and its key/,
  );
});

test("a public server says where it listens, what needs no key and that it is plain HTTP; without keys it does not start", async () => {
  const { server } = await serve("--host", "0.0.0.0");
  await server.prints(/"type":"exposed".*all addresses of this machine.*needs an API key.*plain HTTP/);
  await stop(server);
  const { server: quiet } = await serve();
  await stop(quiet);
  assert.doesNotMatch(quiet.stdout, /exposed/);
  mkdirSync(at("keyless"));
  const keyless = await sluice([
    "serve",
    "--host",
    "0.0.0.0",
    "--no-key",
    "--port",
    "0",
    "--data",
    at("keyless"),
  ]);
  assert.equal(keyless.code, 2);
  assert.match(keyless.stderr, /without keys, the API listens only on loopback/);
});
