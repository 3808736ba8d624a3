import { costOfJob, fromMicro, tierCostList, withoutStorage } from "../../domain/cost.ts";
import type { TierCost } from "../../domain/item.ts";
import type { JobView } from "../../domain/job.ts";
import { DIRECT } from "../../domain/proxy-ladder.ts";
import { microCost, type TierPrice } from "../../worker/proxy-tiers.ts";
import { bytesText, countText, moneyText, textTable } from "../text.ts";

/** What proxies cost, as the configuration says. */
export interface Prices {
  readonly currency?: string;
  /** Undefined where a tier has none. */
  readonly of: (tier: string) => TierPrice | undefined;
}

const WIDTH = 80;

/** What the job has cost by tier, and what it would have cost on the next one. Nothing for a job without proxies, unless its storage is paid for. */
export const costLines = (view: JobView, prices: Prices | undefined): string[] => {
  const ladder = view.spec.scrapers.find(({ proxies }) => proxies)?.proxies ?? [];
  const tiers = tierCostList(view.costs ?? {}).toSorted(
    (a, b) => ladder.indexOf(a.tier) - ladder.indexOf(b.tier),
  );
  const money = (micro: number): string => moneyText(fromMicro(micro), prices?.currency);
  const next = nextTier(view, ladder, prices);
  const proxied = withoutStorage(tiers);
  const direct = proxied.length > 0 ? view.requests - sumRequests(proxied) : 0;
  const rows = [
    ...(direct > 0 ? [[DIRECT, countText(direct), "", ""]] : []),
    ...tiers.map(({ tier, requests, bytes, microCost: cost }) => [
      tier,
      countText(requests),
      bytesText(bytes),
      money(cost),
    ]),
    ...(tiers.length > 1 || direct > 0
      ? [["all", countText(direct + sumRequests(tiers)), "", money(costOfJob(view).microCost)]]
      : []),
  ];
  return [
    ...(tiers.length > 0
      ? textTable(["cost", { right: "requests" }, { right: "bytes" }, { right: "price" }], rows, WIDTH)
      : []),
    ...(next ? [`  On ${next.tier} it would have cost ${money(next.cost)}`] : []),
  ];
};

const sumRequests = (costs: readonly TierCost[]): number =>
  costs.reduce((sum, { requests }) => sum + requests, 0);

/** The tier after the dearest that was used, for the same requests and bytes. */
const nextTier = (
  { costs = {}, requests, bytes }: JobView,
  ladder: readonly string[],
  prices: Prices | undefined,
): { readonly tier: string; readonly cost: number } | undefined => {
  const used = Math.max(0, ...Object.keys(costs).map((tier) => ladder.indexOf(tier)));
  const tier = ladder[used + 1];
  const price = tier === undefined ? undefined : prices?.of(tier);
  if (tier === undefined || !price || (price.perGB === undefined && price.perRequest === undefined))
    return undefined;
  const proxied = withoutStorage(tierCostList(costs));
  const through = proxied.reduce((sum, one) => sum + one.bytes, 0);
  const direct = requests - sumRequests(proxied);
  // Bytes without a proxy are those of pages, not of the connection.
  const rest = requests > 0 ? (bytes * Math.max(0, direct)) / requests : 0;
  return { tier, cost: microCost(price, requests, through + rest) };
};
