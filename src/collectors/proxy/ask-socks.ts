import { isIPv4, type Socket } from "node:net";
import { parseAddress } from "../../domain/address.ts";
import { FailureError, type FailureKind } from "../../domain/failure.ts";
import type { ProxyUrl } from "../../domain/proxy-tier.ts";
import type { Target } from "../egress/request-head.ts";
import { readUntil } from "./read-until.ts";

/** RFC 1928 and, for the password, RFC 1929. */
export const askSocks = async (
  tunnel: Socket,
  { user, password = "" }: Pick<ProxyUrl, "user" | "password">,
  target: Target,
): Promise<void> => {
  tunnel.write(Buffer.from(user === undefined ? [5, 1, 0] : [5, 2, 0, 2]));
  const [version, method] = await readUntil(tunnel, atLeast(2));
  if (version !== 5) throw failure("proxy", "the proxy does not use SOCKS5. Check its URL");
  if (method === 2) {
    const [name, secret] = [Buffer.from(user ?? ""), Buffer.from(password)];
    if (name.length > 255 || secret.length > 255)
      throw failure("proxy", "the user name or password is too long for SOCKS5");
    tunnel.write(Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret]));
    const [, result] = await readUntil(tunnel, atLeast(2));
    if (result !== 0)
      throw failure("proxy", "the proxy refused the request: the user name or password is wrong");
  } else if (method !== 0)
    throw failure("proxy", "the proxy refused the request: it requires a user name and password");
  tunnel.write(
    Buffer.concat([
      Buffer.from([5, 1, 0]),
      addressOf(target.host),
      Buffer.from([target.port >> 8, target.port & 255]),
    ]),
  );
  const reply = await readUntil(tunnel, replyEnd);
  const code = reply[1]!;
  if (code === 0) return;
  const [kind, why] = SOCKS_REPLIES[code] ?? (["proxy", "unknown reply"] as const);
  const what = kind === "proxy" ? "the proxy refused the request" : "the proxy could not reach the site";
  throw failure(kind, `${what}: SOCKS ${code} ${why}`);
};

const SOCKS_REPLIES: Readonly<Record<number, readonly [FailureKind, string]>> = {
  1: ["proxy", "general failure"],
  2: ["proxy", "not allowed by its rules"],
  3: ["connection", "network unreachable"],
  4: ["connection", "host unreachable"],
  5: ["connection", "connection refused"],
  6: ["timeout", "time to live expired"],
  7: ["proxy", "command not supported"],
  8: ["proxy", "address type not supported"],
};

const addressOf = (host: string): Buffer => {
  if (isIPv4(host)) return Buffer.from([1, ...host.split(".").map(Number)]);
  const address = parseAddress(host);
  if (address) return Buffer.from(`04${address.value.toString(16).padStart(32, "0")}`, "hex");
  const name = Buffer.from(host);
  return Buffer.concat([Buffer.from([3, name.length]), name]);
};

const replyEnd = (bytes: Buffer): number | undefined => {
  if (bytes.length < 5) return undefined;
  const length = bytes[3] === 1 ? 4 : bytes[3] === 4 ? 16 : 1 + bytes[4]!;
  return bytes.length < 6 + length ? undefined : 6 + length;
};

const atLeast =
  (count: number) =>
  (bytes: Buffer): number | undefined =>
    bytes.length < count ? undefined : count;

const failure = (kind: FailureKind, detail: string): FailureError => new FailureError({ kind, detail });
