import type { Frame, Page } from "playwright-core";
import type { Step } from "../../../recordings/recording.ts";

/** Pages that a recording can name. More than that are left alone. */
const MOST_POPUPS = 50;

/** The pages of one replay: the first one, and those that it and its popups opened. */
export class Targets {
  /** In the order in which they were opened; closed ones keep their place. */
  readonly #pages: Page[] = [];
  readonly #onPage: (page: Page) => void;
  readonly #onPopup = (popup: Page): void => this.#add(popup);

  constructor(page: Page, onPage: (page: Page) => void) {
    this.#onPage = onPage;
    this.#add(page);
  }

  #add(page: Page): void {
    if (this.#pages.length > MOST_POPUPS) return;
    this.#pages.push(page);
    page.on("popup", this.#onPopup);
    this.#onPage(page);
  }

  /** Where the step takes place; undefined when there is no such page or frame now. */
  frameOf({ target, frame = [] }: Pick<Step, "target" | "frame">): Frame | undefined {
    let at = this.#root(target);
    for (const index of frame) at = at?.childFrames()[index];
    return at;
  }

  #root(target = "main"): Frame | undefined {
    if (target === "main") return this.#pages[0]!.mainFrame();
    const numbered = /^popup\/(\d+)$/.exec(target);
    if (numbered) {
      const popup = this.#pages[Number(numbered[1])];
      return popup?.isClosed() === false ? popup.mainFrame() : undefined;
    }
    const open = this.#pages.filter((page) => !page.isClosed());
    const frames = open.flatMap((page) => page.frames());
    const exact = open.find((page) => page.url() === target)?.mainFrame();
    if (exact) return exact;
    const frame = frames.find((each) => each.url() === target);
    if (frame) return frame;
    // Session numbers in its query change from run to run.
    const alike = open.slice(1).filter((page) => placeOf(page.url()) === placeOf(target));
    return alike.length === 1 ? alike[0]!.mainFrame() : undefined;
  }

  /** For messages: what is open, without queries, which may hold secrets. */
  describe(): string {
    return this.#pages
      .filter((page) => !page.isClosed())
      .slice(0, 5)
      .map((page) => placeOf(page.url()))
      .join(", ");
  }

  close(): void {
    for (const page of this.#pages) page.off("popup", this.#onPopup);
  }
}

/** Origin and path of a URL. */
export const placeOf = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null || parsed.origin === "null" ? url.slice(0, 100) : parsed.origin + parsed.pathname;
};
