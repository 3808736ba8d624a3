import { execFileSync } from "node:child_process";

/** Addresses of this machine in each space's own network. */
const MOST_HOSTS = 8;

const ip = (...args: readonly string[]): void =>
  void execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });

/**
 * Network namespaces, each with a link to this machine and no other: what runs in one sees this machine as another machine does. `ip netns` needs rights
 * that a container often lacks.
 */
export class NetworkSpaces implements Disposable {
  /** The first address of the sites; up to `MOST_HOSTS` addresses follow. */
  readonly siteHost: string;
  /** The controller's address, the only one that `cut` removes. */
  readonly controllerHost: string;
  readonly #names: string[] = [];
  readonly #net: string;

  private constructor() {
    this.#net = `10.${128 + (process.pid % 100)}`;
    this.siteHost = `${this.#net}.1.1`;
    this.controllerHost = `${this.#net}.2.1`;
  }

  /** Makes this many spaces, at least two, or says why it cannot. */
  static open(count: number): NetworkSpaces | string {
    const spaces = new NetworkSpaces();
    try {
      for (let n = 1; n <= count; n++) spaces.#add(n);
      return spaces;
    } catch (error) {
      spaces[Symbol.dispose]();
      return `no network namespaces here: ${(error as Error).message.trim()}`;
    }
  }

  /** The prefix of a command that runs in a space, counted from 0. */
  within(space: number): readonly string[] {
    return ["ip", "netns", "exec", this.#names[space]!];
  }

  /** From now on nothing from this space reaches the controller. Sites stay reachable. */
  cut(space: number): void {
    ip("-n", this.#names[space]!, "route", "add", "blackhole", this.controllerHost);
  }

  mend(space: number): void {
    ip("-n", this.#names[space]!, "route", "del", "blackhole", this.controllerHost);
  }

  /** From now on this share of the packets that this space gets is lost. */
  lose(space: number, share: number): void {
    const rule = ["-m", "statistic", "--mode", "random", "--probability", `${share}`, "-j", "DROP"];
    ip("netns", "exec", this.#names[space]!, "iptables", "-A", "INPUT", ...rule);
  }

  #add(n: number): void {
    const name = `sluice-${process.pid}-${n}`;
    const [here, there] = [`sl${process.pid}h${n}`, `sl${process.pid}n${n}`];
    const own = (last: number): string => `${this.#net}.${n}.${last}`;
    ip("netns", "add", name);
    this.#names.push(name);
    ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name);
    for (let last = 1; last <= MOST_HOSTS; last++) ip("address", "add", `${own(last)}/24`, "dev", here);
    ip("link", "set", here, "up");
    ip("-n", name, "address", "add", `${own(100)}/24`, "dev", there);
    for (const link of ["lo", there]) ip("-n", name, "link", "set", link, "up");
    ip("-n", name, "route", "add", "default", "via", own(1));
  }

  /** Call this when nothing runs in them. */
  [Symbol.dispose](): void {
    for (const name of this.#names.splice(0)) ip("netns", "delete", name);
  }
}
