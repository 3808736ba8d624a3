/** The frame around every page: navigation, settings, sign-in, and the page that the URL names. */
import { signal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, findMe, may, me } from "./api.ts";
import { liveState } from "./live.ts";
import { forgetData } from "./load.ts";
import { pageAt, PAGES, type PageProps } from "./pages.ts";
import { openPalette, Palette } from "./parts/palette.tsx";
import { Problem } from "./parts/table.tsx";
import { tellError, Toasts } from "./parts/toasts.tsx";
import { navigate, path } from "./router.ts";
import { nextTheme, nextZone, theme, zone } from "./settings.ts";
import { SignIn } from "./sign-in.tsx";

export const App = (): VNode => {
  const [error, setError] = useState<unknown>(undefined);
  const find = (): void => {
    setError(undefined);
    findMe().catch(setError);
  };
  useEffect(find, []);
  useEffect(listenForKeys, []);
  if (error !== undefined) return <Problem error={error} retry={find} />;
  if (me.value === undefined) return <p class="loading">Loading…</p>;
  if (me.value === null) return <SignIn />;
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Navigation />
      <main id="main" tabIndex={-1}>
        <CurrentPage />
      </main>
      <Palette />
      <Toasts />
    </div>
  );
};

const isMenuOpen = signal(false);

const Navigation = (): VNode => {
  const shown = PAGES.filter(({ nav }) => nav && (nav.role === undefined || may(nav.role)));
  const root = `/${path.value.split("/")[1] ?? ""}`;
  return (
    <header class={isMenuOpen.value ? "side open" : "side"}>
      <div class="brand">
        <a href="/" class="name">
          <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
            <rect width="32" height="32" rx="7" fill="var(--accent)" />
            <path
              d="M7 10h18M7 16h12M7 22h6"
              stroke="var(--page)"
              stroke-width="3.4"
              stroke-linecap="round"
            />
          </svg>{" "}
          Sluice
        </a>
        <button
          type="button"
          class="menu plain"
          aria-expanded={isMenuOpen.value}
          onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
        >
          Menu
        </button>
      </div>
      <div class="side-body">
        <button type="button" class="find" onClick={openPalette}>
          Find… <kbd>Ctrl K</kbd>
        </button>
        <nav aria-label="Pages">
          <ul>
            {shown.map((page) => (
              <li key={page.path}>
                <a
                  href={page.path}
                  aria-current={root === page.path ? "page" : undefined}
                  onClick={() => (isMenuOpen.value = false)}
                >
                  {page.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Settings />
      </div>
    </header>
  );
};

const LIVE = { off: "", live: "● live", paused: "‖ paused", reconnecting: "○ reconnecting…" } as const;

const Settings = (): VNode => (
  <div class="settings">
    <button type="button" class="plain" onClick={nextZone}>
      Times: {zone.value === "utc" ? "UTC" : "local"}
    </button>
    <button type="button" class="plain" onClick={nextTheme}>
      Colours: {theme.value}
    </button>
    <a href="/docs" target="_blank" rel="noreferrer">
      API
    </a>
    <span class="who" title={`Role: ${me.value?.role}`}>
      {me.value?.client}
      {me.value?.key !== undefined && (
        <button type="button" class="plain" onClick={() => void signOut()}>
          Sign out
        </button>
      )}
    </span>
    {/* Last: pages without live updates have nothing here. */}
    <span class={`live ${liveState.value}`} role="status">
      {LIVE[liveState.value]}
    </span>
  </div>
);

const signOut = async (): Promise<void> => {
  try {
    await api.endSession();
    forgetData();
    me.value = null;
  } catch (error) {
    tellError(error);
  }
};

/** The code of pages that were opened before: they are shown at once. */
const opened = new Map<string, ComponentType<PageProps>>();

const CurrentPage = (): VNode => {
  const found = pageAt(path.value);
  const [, redraw] = useState(0);
  const [error, setError] = useState<unknown>(undefined);
  const place = found?.page.path;
  useEffect(() => {
    setError(undefined);
    document.title = found ? `${found.page.title} · Sluice` : "Sluice";
    if (!found || opened.has(found.page.path)) return;
    const show = async (): Promise<void> => {
      opened.set(found.page.path, (await found.page.load()).default);
      redraw((count) => count + 1);
    };
    // The files of an older version are gone after an update.
    show().catch(setError);
  }, [place]);
  if (error !== undefined) return <Problem error={error} retry={() => location.reload()} />;
  if (!found)
    return (
      <div class="empty">
        <h1>No such page</h1>
        <p>
          <a href="/">Now</a> shows what needs attention.
        </p>
      </div>
    );
  const Page = opened.get(found.page.path);
  return Page ? <Page key={path.value} params={found.params} /> : <p class="loading">Loading…</p>;
};

/** `g` and a letter opens a page, `/` goes to the filter, Ctrl-K finds. */
const listenForKeys = (): (() => void) => {
  let isAfterG = false;
  const onKey = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      return openPalette();
    }
    const isTyping =
      event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isAfterG) {
      isAfterG = false;
      const page = PAGES.find(
        ({ nav }) => nav?.key === event.key && (nav.role === undefined || may(nav.role)),
      );
      if (page) navigate(page.path);
    } else if (event.key === "g") isAfterG = true;
    else if (event.key === "?") openPalette();
    else if (event.key === "/") {
      const filter = document.querySelector<HTMLInputElement>("main input[type=search]");
      if (filter) event.preventDefault();
      filter?.focus();
    }
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
};
