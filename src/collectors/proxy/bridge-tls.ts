import { isIP, type Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { connect, type SecureContext, TLSSocket } from "node:tls";
import type { Target } from "../egress/request-head.ts";

interface BridgeOptions {
  /** What the browser is shown: a certificate of this process. */
  readonly own: SecureContext;
  /** Who is trusted on the other side: the usual authorities, and the provider's. */
  readonly trusted: SecureContext;
}

const HANDSHAKE = 22;

/**
 * For a provider that reads TLS with its own certificates, which a browser cannot trust for a single context only. TLS is checked here, with the
 * tier's `ca`, and forwarded to the browser with a certificate that only this process can use. Other traffic is passed on unchanged.
 */
export const bridgeTls = (tunnel: Socket, { host }: Target, { own, trusted }: BridgeOptions): Duplex => {
  const [outside, inside] = duplexPair();
  const cut = (error?: Error): void => {
    tunnel.destroy();
    outside.destroy(error);
  };
  inside.on("error", () => cut());
  inside.once("readable", () => {
    const first = inside.read() as Buffer | null;
    if (first === null) return cut();
    inside.unshift(first);
    if (first[0] !== HANDSHAKE) return join(inside, tunnel, cut);
    const protocols = { ALPNProtocols: ["http/1.1"] };
    const site = connect({
      socket: tunnel,
      host,
      ...(isIP(host) ? {} : { servername: host }),
      secureContext: trusted,
      ...protocols,
    });
    site.once("error", cut);
    site.once("secureConnect", () => {
      const browser = new TLSSocket(inside, { isServer: true, secureContext: own, ...protocols });
      join(browser, site, cut);
    });
  });
  tunnel.once("close", () => cut());
  outside.once("close", () => tunnel.destroy());
  return outside;
};

const join = (one: Duplex, other: Duplex, cut: (error?: Error) => void): void => {
  one.on("error", cut).pipe(other);
  other.on("error", cut).pipe(one);
};
