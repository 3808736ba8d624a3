/** Every page: its path, its place in the navigation, and its code, which is loaded when it is first opened. */
import type { ComponentType } from "preact";

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
  { path: "/jobs/:job", title: "Job", load: () => import("./pages/job.tsx") },
  { path: "/jobs/:job/items", title: "Items", load: () => import("./pages/items.tsx") },
  { path: "/jobs/:job/items/:item", title: "Item", load: () => import("./pages/item.tsx") },
];
