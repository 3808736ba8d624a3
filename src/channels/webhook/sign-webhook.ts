import { createHmac } from "node:crypto";
import { ChannelError } from "../../ports/channel.ts";

const PREFIX = "whsec_";
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The header `webhook-signature` by the Standard Webhooks specification (https://www.standardwebhooks.com): one `v1,…` for each secret,
 * so that a receiver that knows the old or the new one finds its own.
 */
export const signWebhook = (
  secrets: readonly string[],
  id: string,
  timestampS: number,
  body: string,
): string =>
  secrets
    .map((secret) =>
      createHmac("sha256", keyOf(secret)).update(`${id}.${timestampS}.${body}`).digest("base64"),
    )
    .map((signature) => `v1,${signature}`)
    .join(" ");

const keyOf = (secret: string): Buffer => {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : "";
  if (!BASE64.test(text))
    throw new ChannelError(
      "bad-secret",
      `a webhook secret must be ${PREFIX} followed by base64: create a new one for the endpoint`,
    );
  return Buffer.from(text, "base64");
};
