import { randomBytes } from "node:crypto";

/** Receivers that have the secret before last must have taken over the last. */
const KEPT_SECRETS = 2;

/** With which secrets something is signed: the newest first. */
interface Signing {
  readonly secrets?: readonly string[];
  readonly rotatedAs?: string;
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** The secret comes in front. One that the same request drew before, and whose answer nobody got, is replaced. */
export const rotated = (
  { secrets = [], rotatedAs }: Signing,
  secret: string,
  name: string,
): Required<Signing> => {
  const known = rotatedAs === name ? secrets.slice(1) : secrets;
  return { secrets: [secret, ...known].slice(0, KEPT_SECRETS), rotatedAs: name };
};
