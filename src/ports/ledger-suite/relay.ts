import { seededRandom } from "../../model/seeded-random.ts";
import type { Ledger } from "../ledger.ts";
import type { OpenLedger } from "./world.ts";

/** The call took effect, or was refused, and nobody heard which. */
class AnswerLost extends Error {
  constructor(verb: string) {
    super(`${verb}: answer lost`);
    this.name = "AnswerLost";
  }
}

type AnyVerb = (...args: readonly unknown[]) => Promise<unknown>;

/** Each verb of a ledger, those of `events` and `removals` included, as another function of the same kind. `close` stays as it is. */
const eachVerb = <Port extends object>(port: Port, change: (verb: string, own: AnyVerb) => AnyVerb): Port =>
  new Proxy(port, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name, target);
      if (name === "close") return own;
      if (typeof own === "function") return change(String(name), own.bind(target) as AnyVerb);
      return name === "events" || name === "removals" ? eachVerb(own as object, change) : own;
    },
  });

/** A network between the ledger and its caller: some calls are carried out and their answers, good or bad, do not arrive. */
export const loseAnswers = (ledger: Ledger, isLost: (verb: string) => boolean): Ledger =>
  eachVerb(ledger, (verb, own) => async (...args) => {
    const answer = own(...args);
    if (!isLost(verb)) return await answer;
    await answer.catch(() => undefined);
    throw new AnswerLost(verb);
  });

/** A caller that sends the same again until it hears an answer. */
export const resend = (ledger: Ledger): Ledger =>
  eachVerb(ledger, (_, own) => async (...args) => {
    for (;;)
      try {
        return await own(...args);
      } catch (error) {
        if (!(error instanceof AnswerLost)) throw error;
      }
  });

/** Opens ledgers behind a relay that loses this share of the answers, the same ones in every run. */
export const behindRelay = (open: OpenLedger, { share = 0.01, seed = 1 } = {}): OpenLedger => {
  const random = seededRandom(seed);
  return async (folder, options) => resend(loseAnswers(await open(folder, options), () => random() < share));
};
