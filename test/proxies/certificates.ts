import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A root certificate of its own, and one that it has signed. */
export interface Certificates extends Disposable {
  /** PEM file of the root. */
  readonly ca: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Undefined if there is no openssl. `organization` is the issuer's name. */
export const makeCertificates = (
  organization: string,
  hosts: readonly string[],
): Certificates | undefined => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-ca-"));
  const at = (name: string): string => join(folder, name);
  const openssl = (...words: string[]): void => void execFileSync("openssl", words, { stdio: "ignore" });
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const names = hosts.map((host) => (/^[\d.:]+$/.test(host) ? `IP:${host}` : `DNS:${host}`));
  try {
    const root = [
      "-subj",
      `/O=${organization}/CN=${organization} root`,
      "-keyout",
      at("ca.key"),
      "-out",
      at("ca.pem"),
    ];
    openssl("req", "-x509", ...curve, "-days", "2", ...root);
    openssl("req", ...curve, "-subj", `/CN=${hosts[0]}`, "-keyout", at("key.pem"), "-out", at("request.pem"));
    writeFileSync(at("names"), `subjectAltName=${names.join(",")}\n`);
    const signer = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-extfile", at("names")];
    openssl("x509", "-req", "-in", at("request.pem"), "-days", "2", ...signer, "-out", at("cert.pem"));
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  return {
    ca: at("ca.pem"),
    key: readFileSync(at("key.pem")),
    cert: readFileSync(at("cert.pem")),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
};
