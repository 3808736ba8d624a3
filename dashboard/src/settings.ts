/** What the person at this browser prefers. It is no part of a page's state, so it is not in the URL. */
import { effect, type Signal, signal } from "@preact/signals";

const THEMES = ["auto", "light", "dark"] as const;
const ZONES = ["local", "utc"] as const;
export type Zone = (typeof ZONES)[number];

const stored = <Value extends string>(name: string, values: readonly [Value, ...Value[]]): Signal<Value> => {
  const kept = localStorage.getItem(name);
  const setting = signal(values.find((value) => value === kept) ?? values[0]);
  effect(() => localStorage.setItem(name, setting.value));
  return setting;
};

export const theme = stored("sluice.theme", THEMES);
export const zone = stored("sluice.zone", ZONES);

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
/** Charts draw their own colours. */
export const isDark = signal(false);

const apply = (): void => {
  isDark.value = theme.value === "dark" || (theme.value === "auto" && systemIsDark.matches);
  document.documentElement.dataset["theme"] = isDark.value ? "dark" : "light";
};
effect(apply);
systemIsDark.addEventListener("change", apply);

export const nextTheme = (): void => {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
};

export const nextZone = (): void => {
  zone.value = zone.value === "local" ? "utc" : "local";
};
