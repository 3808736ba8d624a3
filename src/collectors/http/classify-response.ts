import type { Failure, FailureKind } from "../../domain/failure.ts";
import { retryAfterMs } from "../../domain/retry.ts";
import { type Answer, type Block, detectBlock } from "./detect-block.ts";

/**
 * What is wrong with an answer, or undefined where it is what was asked for. `isAccepted`: the scraper takes this
 * status as an answer; a block page is still a block page then.
 */
export const classifyResponse = (
  answer: Answer,
  isAccepted: boolean,
  now: number,
): Omit<Failure, "url"> | undefined => {
  const { status } = answer.head;
  const block = detectBlock(answer);
  if (!block && (isAccepted || status < 300)) return undefined;
  const asked = answer.head.headers.filter(([name]) => name.toLowerCase() === "retry-after");
  const retryMs = retryAfterMs(
    asked.map(([, value]) => value),
    now,
  );
  const kind = kindOf(answer, block, retryMs !== undefined);
  const detail = `the site answered ${status}${block ? `: ${block.sign}` : ""}`;
  return { kind, detail, status, ...(retryMs !== undefined && { retryAfterMs: retryMs }) };
};

const kindOf = (answer: Answer, block: Block | undefined, hasRetryAfter: boolean): FailureKind => {
  const { status } = answer.head;
  if (block) return block.kind;
  switch (status) {
    case 401:
      // A site that asks for credentials wants a different request, not a different visitor.
      return answer.head.header("www-authenticate") ? "navigation" : "blocked";
    case 403:
    case 451:
    case 999:
      return "blocked";
    case 407:
      return "connection";
    case 408:
      return "timeout";
    case 429:
      return "rate-limited";
    case 503:
      return hasRetryAfter ? "maintenance" : "server-error";
    default:
      return status >= 500 ? "server-error" : "navigation";
  }
};
