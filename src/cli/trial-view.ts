import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import type { Step, Watcher } from "../devtools/watch-collector.ts";
import { colors } from "./colors.ts";
import { fitText, plainText } from "./fit-text.ts";
import { print } from "./print.ts";
import { redactSecrets } from "../domain/redact-secrets.ts";
import { renderStep, shortUrl } from "./render-step.ts";

const SCREEN = 100;

/** As wide as the terminal, and where there is none as wide as people read. */
export const screenWidth = (): number =>
  process.stdout.isTTY ? Math.max(60, process.stdout.columns) : SCREEN;

/** A wait that is shorter ends before it could be read. */
const LONG_WAIT_MS = 1000;

/** Shows the steps of an item while they happen. */
export const openTrialView = (
  { scraper }: CompiledScraper,
  input: unknown,
  isJson: boolean,
): Omit<Watcher, "onEnd"> & Disposable => {
  const width = screenWidth();
  const home = scraper.site === undefined ? "" : new URL(scraper.site).origin;
  let timer: NodeJS.Timeout | undefined;
  let steps = 0;
  const wait = (url: URL): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const text = `  waiting for a slot for ${shortUrl(url.href, home)} …`;
      print([colors.dim(fitText(text, width))]);
    }, LONG_WAIT_MS);
  };
  if (!isJson) {
    const what = `${scraper.name} ${redactSecrets(plainText(JSON.stringify(input)))}`;
    print([colors.bold(fitText(what, width)), ...(home === "" ? [] : [colors.dim(home)])]);
  }
  return {
    onWait: (url) => (isJson ? undefined : wait(url)),
    onStep(step) {
      clearTimeout(timer);
      if (steps++ === 0 && !isJson) print([""]);
      print([isJson ? stepJson(step) : renderStep(step, home, width, colors)]);
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
};

const stepJson = ({ url, redirectsTo, ...step }: Step): string =>
  JSON.stringify({
    type: "step",
    ...step,
    url: redactSecrets(url),
    ...(redirectsTo !== undefined && { redirectsTo: redactSecrets(redirectsTo) }),
  });
