import { eachVerb, resending } from "../../ledger/resend.ts";
import { seededRandom } from "../../domain/testing/seeded-random.ts";
import type { Ledger } from "../ledger.ts";
import type { OpenLedger } from "./test-kit.ts";

/** The call took effect or was refused, and the caller does not know which. */
class AnswerLost extends Error {
  constructor(verb: string) {
    super(`${verb}: answer lost`);
    this.name = "AnswerLost";
  }
}

/** A network between the ledger and its caller: some calls are carried out and their answers, good or bad, do not arrive. */
export const loseAnswers = (ledger: Ledger, isLost: (verb: string) => boolean): Ledger =>
  eachVerb(ledger, (verb, own) => async (...args) => {
    const answer = own(...args);
    if (!isLost(verb)) return await answer;
    await answer.catch(() => undefined);
    throw new AnswerLost(verb);
  });

/** A caller that repeats a call until it gets an answer. */
export const resend = (ledger: Ledger): Ledger =>
  resending(ledger, async ({ error }) => error instanceof AnswerLost);

/** Opens ledgers behind a relay that loses this share of the answers, the same ones in every run. */
export const behindRelay = (open: OpenLedger, { share = 0.01, seed = 1 } = {}): OpenLedger => {
  const random = seededRandom(seed);
  return async (folder, options) => resend(loseAnswers(await open(folder, options), () => random() < share));
};
