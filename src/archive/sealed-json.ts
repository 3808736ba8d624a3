import { sha256 } from "./sha256.ts";

/** A small JSON object that carries the digest of the rest of itself, so that a changed digit in it is noticed. */
export const sealJson = (value: object): Uint8Array =>
  Buffer.from(`${JSON.stringify({ ...value, digest: digestOf(value) }, undefined, 2)}\n`);

/** The object without its digest. Throws `SyntaxError` where it is not what was sealed; one without a digest is of an older version. */
export const openSealedJson = <Shape extends object>(bytes: Uint8Array): Shape => {
  const text = Buffer.from(bytes).toString();
  const value = JSON.parse(text) as (Shape & { readonly digest?: string }) | null;
  if (typeof value !== "object" || value === null) throw new SyntaxError("not an object");
  const { digest, ...rest } = value;
  if (digest === undefined) return value;
  if (digest !== digestOf(rest) || !Buffer.from(bytes).equals(sealJson(rest)))
    throw new SyntaxError("its digest is another");
  return rest as Shape;
};

const digestOf = (value: object): string => sha256(Buffer.from(JSON.stringify(value)));
