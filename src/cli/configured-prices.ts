import { proxySettings } from "../config/check-config.ts";
import { priceOf, proxyCurrency } from "../domain/proxy-tier.ts";
import type { Prices } from "./render/cost.ts";

/** Of this machine's configuration; undefined where it has no proxies. */
export const configuredPrices = (): Prices | undefined => {
  const config = proxySettings();
  return config && { currency: proxyCurrency(config), of: (tier) => priceOf(config, tier) };
};
