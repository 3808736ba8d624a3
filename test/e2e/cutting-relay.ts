/**
 * A relay in a process of its own: `cutting-relay.ts TARGET SHARE SEED [PORT]` passes connections on to the target's URL and breaks them off before this
 * share of the answers, so that what was asked for is done and nobody hears so. Prints its own URL.
 */
import { seededRandom } from "../../src/domain/testing/seeded-random.ts";
import { cutAnswers, CuttingProxy } from "./cutting-proxy.ts";

const [target, share, seed, port] = process.argv.slice(2);
if (target === undefined || !(Number(share) >= 0) || !(Number(seed) > 0))
  throw new Error("Expected a URL, a share of answers from 0 to 1, and a seed above 0.");
const proxy = await CuttingProxy.open(
  target,
  cutAnswers(Number(share), seededRandom(Number(seed))),
  Number(port ?? 0),
);
console.log(proxy.url);
