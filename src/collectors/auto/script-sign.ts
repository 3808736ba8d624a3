import { readMarkup } from "../http/read-markup.ts";

/** A page that waits for scripts is small; reading more would only cost time. */
const MOST_READ = 256 * 1024;

/** A page that shows more than this is not empty, whatever its scripts add. */
const LITTLE = { text: 600, elements: 40 };

/** Empty elements that frameworks fill. */
const EMPTY_ROOT =
  /<(?:div|main|section)\b[^>]{0,300}\sid\s*=\s*["']?(?:root|app|__next|__nuxt|application|react-root|svelte|q-app)\b[^>]{0,300}>\s*(?:<!--[^>]{0,100}-->\s*)?<\/|<(app-root|ember-app)\b[^>]{0,300}>\s*<\/\1>/i;

/** Marks of frameworks that fill a page from scripts. */
const FRAMEWORK: Readonly<Record<string, RegExp>> = {
  Angular: /\sng-(?:app|controller|version)\b|<app-root\b/i,
  React: /\sdata-reactroot\b|\/static\/js\/(?:main|runtime)\.[\w.]+\.js|react-dom[\w.-]*\.js/i,
  Vue: /\sv-(?:cloak|if|for|bind)\b|\sdata-v-app\b|\bvue(?:\.global)?(?:\.prod)?(?:\.min)?\.js/i,
  Svelte: /\/_app\/immutable\//,
  Next: /\/_next\/static\//,
  Nuxt: /\/_nuxt\//,
  Ember: /\bember-(?:application|view)\b|\/vendor-[\da-f]+\.js/,
  Knockout: /\sdata-bind\s*=/i,
  htmx: /\shx-(?:get|trigger|post)\s*=/i,
  Blazor: /_framework\/blazor\.\w+\.js/,
};

const NEEDS_SCRIPTS =
  /(?:enable|requires?|needs?|without|turn on|activate)[^<.]{0,40}java ?script|java ?script[^<.]{0,40}(?:enabled|required|disabled|needed)/i;
const WAITING = /\b(?:loading|please wait)\b ?(?:\.\.\.|…|&hellip;)/i;
const PLACEHOLDER = /\sclass\s*=\s*["']?[^"'>]{0,100}\b(?:skeleton|spinner|placeholder-glow|preloader)\b/i;

/** Data that a page carries in itself: HTTP can read it. */
const DATA: Readonly<Record<string, RegExp>> = {
  "script#__NEXT_DATA__": /<script[^>]{0,200}\sid\s*=\s*["']?__NEXT_DATA__/i,
  "script#__NUXT_DATA__": /<script[^>]{0,200}\sid\s*=\s*["']?__NUXT_DATA__/i,
  "script[type='application/ld+json']": /<script[^>]{0,200}\stype\s*=\s*["']?application\/ld\+json/i,
  "script[type='application/json']": /<script[^>]{0,200}\stype\s*=\s*["']?application\/json/i,
};

/**
 * What makes a page look as if scripts had to build it, as part of a sentence; undefined if nothing does. Only a hint: it counts together with
 * required fields that are missing. Data inside the page is named, because it can be read without a browser.
 */
export const scriptSign = (html: string): string | undefined => {
  const source = html.slice(0, MOST_READ);
  if (!/<script\b/i.test(source)) return undefined;
  const sign = signIn(source);
  const data = Object.keys(DATA).find((place) => DATA[place]!.test(source));
  return sign === undefined || data === undefined
    ? sign
    : `${sign} (its data may be in ${data}: see by.json)`;
};

const signIn = (source: string): string | undefined => {
  if (EMPTY_ROOT.test(source)) return "the page has an empty root element for scripts to fill";
  const noscript = /<noscript\b[^>]{0,200}>([\s\S]{0,2000}?)<\/noscript/i.exec(source)?.[1] ?? "";
  if (NEEDS_SCRIPTS.test(noscript)) return "the page says that it needs JavaScript";
  const shown = readMarkup(source, LITTLE);
  if (shown) return `the page shows ${shown.text.length} characters before its scripts run`;
  const framework = Object.keys(FRAMEWORK).find((name) => FRAMEWORK[name]!.test(source));
  if (framework !== undefined) return `the page is built with ${framework}`;
  if (PLACEHOLDER.test(source) || WAITING.test(source)) return "the page has a placeholder for data";
  return undefined;
};
