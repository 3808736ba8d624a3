import { promises as dns } from "node:dns";
import { OwnTroubleError } from "../../domain/failure.ts";

/** An answer of any kind shows that somebody is there; no answer, or one that the servers behind it failed, does not. */
const ANSWERS: ReadonlySet<unknown> = new Set(["ENODATA", "ENOTFOUND", "EREFUSED", "ENOTIMP", "EFORMERR"]);
const KEEP_MS = 5000;

let asked: { readonly isDown: Promise<boolean>; readonly at: number } | undefined;

/** Whether this machine cannot look up names at all, asked of its name servers at most every few seconds. */
const isResolverDown = (): Promise<boolean> => {
  const now = performance.now();
  if (!asked || now - asked.at > KEEP_MS) {
    const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
    const isDown = resolver.resolveNs(".").then(
      () => false,
      (error: NodeJS.ErrnoException) => !ANSWERS.has(error.code),
    );
    asked = { isDown, at: now };
  }
  return asked.isDown;
};

/** A name that cannot be looked up just now may be the site's own trouble, or this machine's. */
export const refuseOwnLookupTrouble = async (
  error: unknown,
  check: () => Promise<boolean> = isResolverDown,
): Promise<void> => {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && "code" in cause && cause.code === "EAI_AGAIN" && (await check()))
    throw new OwnTroubleError("EAI_AGAIN", "no name server answers this machine", { cause });
};
