import { networkInterfaces } from "node:os";

const ALL = new Set(["0.0.0.0", "::", "[::]"]);

/** What others can reach now, for whoever has let a server listen elsewhere than on loopback. */
export const exposureText = (host: string, url: string, isTls: boolean): string => {
  const { port } = new URL(url);
  const own = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);
  const where = ALL.has(host)
    ? `all addresses of this machine (${own.join(", ") || "none but loopback"})`
    : host;
  const traffic = isTls
    ? "Traffic is encrypted (TLS)."
    : "Traffic is plain HTTP: keys and data can be read on the way. Give --tls-cert and --tls-key, or put a proxy with TLS before it and listen on 127.0.0.1.";
  return (
    `Others can reach the API: it listens on ${where}, port ${port}. Every request needs an API key, except /healthz, /readyz, /docs, /openapi.json and /problems. ` +
    traffic
  );
};
