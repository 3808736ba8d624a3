import { readFileSync, statSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { UsageError } from "./usage-error.ts";

/** Paths of PEM files: the certificate with those that lead to its CA, and its key. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface TlsContents {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Both or none: one without the other is a mistake that must not end in plain HTTP. */
export const tlsFiles = (cert: string | undefined, key: string | undefined): TlsFiles | undefined => {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  throw new UsageError(
    `${cert === undefined ? "--tls-cert" : "--tls-key"} is missing: TLS needs a certificate and its key. Give both, or neither for plain HTTP.`,
  );
};

export const readTls = (files: TlsFiles): TlsContents => {
  const read = (file: string, option: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (error) {
      throw new UsageError(
        `${file}: it cannot be read (${(error as NodeJS.ErrnoException).code}). Name a PEM file that this user may read with ${option}.`,
      );
    }
  };
  const contents = { cert: read(files.cert, "--tls-cert"), key: read(files.key, "--tls-key") };
  try {
    createSecureContext(contents);
  } catch (error) {
    throw new UsageError(
      `${files.cert} and ${files.key}: not a certificate and its key in PEM form, without a passphrase (${(error as Error).message}).`,
    );
  }
  return contents;
};

const LOOK_MS = 60_000;

/** Calls for a certificate that was renewed. Half a pair, while it is being replaced, is looked at again later. */
export const watchTls = (
  files: TlsFiles,
  onRenewed: (contents: TlsContents) => void,
  signal: AbortSignal,
  everyMs = LOOK_MS,
): void => {
  const stampOf = (): string =>
    [files.cert, files.key].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs).join(" ");
  let known = stampOf();
  const timer = setInterval(() => {
    const stamp = stampOf();
    if (stamp === known) return;
    try {
      onRenewed(readTls(files));
      known = stamp;
    } catch {
      // The one before goes on being used.
    }
  }, everyMs).unref();
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
};
