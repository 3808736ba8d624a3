import { describe, it } from "node:test";
import { audit } from "./registry-suite/audit.ts";
import { clients } from "./registry-suite/clients.ts";
import { deliveries } from "./registry-suite/deliveries.ts";
import { tasks } from "./registry-suite/tasks.ts";
import { once } from "./registry-suite/idempotency.ts";
import { type OpenRegistry, type RegistryTest, RegistryKit } from "./registry-suite/test-kit.ts";

/**
 * The contract of `Registry`. `open` is called with an empty folder that is removed afterwards; opening the same folder again simulates another
 * process. Time passes only when a test moves it.
 */
export const registrySuite = (name: string, open: OpenRegistry): void => {
  describe(`registry: ${name}`, () => {
    const test: RegistryTest = (sentence, run) => {
      it(sentence, async (t) => await run(await RegistryKit.create(t, open)));
    };
    for (const noun of [clients, once, tasks, deliveries, audit]) noun(test);
  });
};
