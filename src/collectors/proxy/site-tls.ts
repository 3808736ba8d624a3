import type { Socket } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import { buildConnector } from "undici";
import { FailureError } from "../../domain/failure.ts";
import { type ProviderName, PROVIDERS } from "../../domain/proxy-tier.ts";

interface SiteTlsOptions {
  readonly allowH2: boolean;
  readonly provider: ProviderName | undefined;
  readonly secureContext: SecureContext | undefined;
}

type Connector = buildConnector.connector;

/** TLS to sites inside tunnels, with the sessions of one route. */
export const siteTls = ({ allowH2, provider, secureContext }: SiteTlsOptions) => {
  // Judged below, as Node would: only so is the issuer known.
  const secure = buildConnector({
    allowH2,
    rejectUnauthorized: false,
    ...(secureContext && { secureContext }),
  });
  return (target: Parameters<Connector>[0], tunnel: Socket): Promise<Socket> => {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    secure({ ...target, httpSocket: tunnel }, (error, socket) => {
      const distrust = socket ? untrusted(socket as TLSSocket, provider) : error;
      if (!distrust) return resolve(socket!);
      socket?.destroy();
      reject(distrust);
    });
    return promise;
  };
};

/** Whether the provider reads TLS itself, or the site's certificate is wrong. */
const untrusted = (socket: TLSSocket, provider: ProviderName | undefined): Error | undefined => {
  if (socket.authorized) return undefined;
  const code = String(socket.authorizationError);
  if (provider && PROVIDERS[provider].issuer.test(issuersOf(socket)))
    return new FailureError({
      kind: "proxy",
      detail: `the provider intercepts TLS with its own certificate (${code}). Set \`ca\` of the tier to its root certificate`,
    });
  return Object.assign(new Error(code), { code });
};

const issuersOf = (socket: TLSSocket): string => {
  const names: string[] = [];
  let certificate = socket.getPeerCertificate(true);
  for (let depth = 0; depth < 5 && certificate?.issuer; depth++) {
    names.push(...Object.values(certificate.issuer).flat().map(String));
    if (certificate.issuerCertificate === certificate) break;
    certificate = certificate.issuerCertificate;
  }
  return names.join(" ");
};
