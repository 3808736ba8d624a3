import { lookup as systemLookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { isWithin, type Network, parseAddress, parseNetwork, specialAddress } from "../../domain/address.ts";
import { FailureError } from "../../domain/failure.ts";

export interface TargetGuardOptions {
  /** Host names, addresses and networks (`10.1.0.0/16`) that the operator allows although they are not public. */
  readonly allow?: readonly string[];
  /** Resolves names; the system's resolver by default. */
  readonly lookup?: LookupFunction;
}

/**
 * Keeps requests out of the operator's own network. The address of the connection counts: `lookup` gives the socket only allowed addresses, so
 * a name that resolves differently between a check and the connection gains nothing.
 */
export class TargetGuard {
  readonly #hosts = new Set<string>();
  readonly #networks: Network[] = [];
  readonly #lookup: LookupFunction;

  constructor({ allow = [], lookup = systemLookup }: TargetGuardOptions = {}) {
    for (const entry of allow) {
      const network = parseNetwork(entry);
      if (network) this.#networks.push(network);
      else this.#hosts.add(plainName(entry));
    }
    this.#lookup = lookup;
  }

  /** Why a host is refused, judged by its spelling only: names are judged when they are connected to. */
  refusalOf(host: string): string | undefined {
    return parseAddress(host) && !this.#hosts.has(plainName(host)) ? this.#refusalAt(host) : undefined;
  }

  /** Why a name is refused where another machine resolves it: names of private networks mean something there, too. */
  refusalOfName(host: string): string | undefined {
    const name = plainName(host);
    if (this.#hosts.has(name) || parseAddress(host) || !PRIVATE_NAME.test(name)) return undefined;
    return `${name} is a name of private networks`;
  }

  /** Why a URL is refused now. The request itself is judged again. */
  async refusalNow(url: URL): Promise<string | undefined> {
    if (url.protocol !== "http:" && url.protocol !== "https:")
      return `not an http or https URL: ${url.protocol}`;
    if (parseAddress(url.hostname)) return this.refusalOf(url.hostname);
    const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | null>();
    this.lookup(url.hostname, { all: true }, resolve);
    const error = await promise;
    // A name that does not resolve leads nowhere, so not inside either.
    return error instanceof FailureError ? error.failure.detail : undefined;
  }

  /** For sockets: the allowed addresses of a name; an error if there are none. */
  readonly lookup: LookupFunction = (name, options, callback) => {
    this.#lookup(name, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const all = typeof found === "string" ? [{ address: found, family: 4 }] : found;
      const good = this.#hosts.has(plainName(name))
        ? all
        : all.filter((one) => !this.#refusalAt(one.address));
      const [first] = good;
      if (!first) return callback(forbidden(refusalOfName(name, all)), []);
      if (options.all) callback(null, good);
      else callback(null, first.address, first.family);
    });
  };

  #refusalAt(address: string): string | undefined {
    const reason = specialAddress(address);
    const parsed = reason === undefined ? undefined : parseAddress(address);
    if (parsed && this.#networks.some((network) => isWithin(parsed, network))) return undefined;
    return reason && `${address} is not a public address: ${reason}`;
  }
}

/** Names without a dot, and domains that are not in the public name system. */
const PRIVATE_NAME =
  /^[^.]*$|\.(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

export const forbidden = (detail: string, url?: URL): FailureError =>
  new FailureError({ kind: "forbidden-target", detail, ...(url && { url: url.href }) });

/** Does not reveal the internal address that a name resolves to. */
const refusalOfName = (name: string, found: readonly LookupAddress[]): string =>
  found.length === 0 ? `${name} has no address` : `${name} does not resolve to a public address`;

const plainName = (host: string): string =>
  host
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^\[(.*)\]$/, "$1");
