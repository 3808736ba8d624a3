import { generateKeyPairSync, hash, randomBytes, sign } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";

/** A certificate that nobody but this process can use. */
export interface OwnCertificate {
  readonly secureContext: SecureContext;
  /** SHA-256 of its public key in Base64, for Chromium's `--ignore-certificate-errors-spki-list`: only the owner of the key is trusted. */
  readonly keyHash: string;
}

/** Self-signed, for one day (RFC 5280, 4.1). Names do not matter: it is identified by its key. */
export const makeOwnCertificate = (now = Date.now()): OwnCertificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from("sluice")))));
  const serial = der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  const validity = sequence(time(now - DAY_MS), time(now + 30 * DAY_MS));
  const signed = sequence(VERSION_3, serial, sequence(ECDSA_SHA256), name, validity, name, spki);
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign("sha256", signed, privateKey)]));
  const body = sequence(signed, sequence(ECDSA_SHA256), signature).toString("base64");
  const cert = `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  return { secureContext: createSecureContext({ key, cert }), keyHash: hash("sha256", spki, "base64") };
};

const DAY_MS = 24 * 3_600_000;

const der = (tag: number, content: Buffer): Buffer => {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts));

/** UTCTime: YYMMDDHHMMSSZ. */
const time = (ms: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/\D/g, "")}Z`));

const VERSION_3 = Buffer.from("a003020102", "hex");
/** 2.5.4.3 */
const COMMON_NAME = Buffer.from("0603550403", "hex");
/** 1.2.840.10045.4.3.2 */
const ECDSA_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
