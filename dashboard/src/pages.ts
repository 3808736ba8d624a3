/** Every page: its path, its place in the navigation, and its code, which is loaded when it is first opened. */
import type { ComponentType } from "preact";
import { match } from "./router.ts";

export interface PageProps {
  /** The names in the path: `job` of `/jobs/:job`. */
  readonly params: Readonly<Record<string, string>>;
}

interface PageEntry {
  readonly path: string;
  readonly title: string;
  /** Shown in the navigation. `key` is pressed after `g`. */
  readonly nav?: { readonly key: string; readonly role?: "operator" | "admin" };
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}

export const PAGES: readonly PageEntry[] = [
  { path: "/", title: "Now", nav: { key: "n" }, load: () => import("./pages/now.tsx") },
  { path: "/jobs", title: "Jobs", nav: { key: "j" }, load: () => import("./pages/jobs.tsx") },
  { path: "/submit", title: "Submit a job", nav: { key: "u" }, load: () => import("./pages/submit.tsx") },
  { path: "/scrapers", title: "Scrapers", nav: { key: "s" }, load: () => import("./pages/scrapers.tsx") },
  { path: "/scrapers/:scraper", title: "Scraper", load: () => import("./pages/scraper.tsx") },
  { path: "/schedules", title: "Schedules", nav: { key: "c" }, load: () => import("./pages/schedules.tsx") },
  { path: "/schedules/:schedule", title: "Schedule", load: () => import("./pages/schedule.tsx") },
  { path: "/datasets", title: "Datasets", nav: { key: "d" }, load: () => import("./pages/datasets.tsx") },
  { path: "/datasets/:dataset", title: "Dataset", load: () => import("./pages/dataset.tsx") },
  {
    path: "/datasets/:dataset/releases/:release",
    title: "Release",
    load: () => import("./pages/release.tsx"),
  },
  {
    path: "/lanes",
    title: "Lanes",
    nav: { key: "l", role: "operator" },
    load: () => import("./pages/lanes.tsx"),
  },
  { path: "/lanes/:lane", title: "Lane", load: () => import("./pages/lane.tsx") },
  {
    path: "/workers",
    title: "Workers",
    nav: { key: "w", role: "operator" },
    load: () => import("./pages/workers.tsx"),
  },
  {
    path: "/alerts",
    title: "Alerts",
    nav: { key: "a", role: "operator" },
    load: () => import("./pages/alerts.tsx"),
  },
  { path: "/events", title: "Events", nav: { key: "e" }, load: () => import("./pages/events.tsx") },
  { path: "/webhooks", title: "Webhooks", nav: { key: "h" }, load: () => import("./pages/webhooks.tsx") },
  { path: "/limits", title: "Limits and use", nav: { key: "m" }, load: () => import("./pages/limits.tsx") },
  {
    path: "/clients",
    title: "Clients and keys",
    nav: { key: "k", role: "admin" },
    load: () => import("./pages/clients.tsx"),
  },
  { path: "/clients/:client", title: "Client", load: () => import("./pages/client.tsx") },
  { path: "/jobs/:job", title: "Job", load: () => import("./pages/job.tsx") },
  { path: "/jobs/:job/items", title: "Items", load: () => import("./pages/items.tsx") },
  { path: "/jobs/:job/items/:item", title: "Item", load: () => import("./pages/item.tsx") },
];

/** The page that a path names, with the names in the path. */
export const pageAt = (
  path: string,
): { readonly page: PageEntry; readonly params: PageProps["params"] } | undefined => {
  for (const page of PAGES) {
    const params = match(page.path, path);
    if (params) return { page, params };
  }
  return undefined;
};
