import { by, type Where } from "../../src/index.ts";
import type { Cell } from "./cell.ts";
import type { Column, Writing } from "./column.ts";
import type { Markup } from "./markup.ts";
import type { Random } from "./random.ts";

/** What a layout is made for: one site. */
export interface LayoutKit {
  readonly columns: readonly Column[];
  readonly markup: Markup;
  readonly random: Random;
  /** The site repeats its labels outside of the facts; its author looks only within #content. */
  readonly hasTabs: boolean;
}

/** How one site lays out its records, and where its author looks for each column. */
export interface Layout {
  readonly where: (column: Column) => Where;
  /** The selector of one record, on pages that list many. */
  readonly each?: string;
  /** The facts of a page: one row of cells per record, in the order of the columns. */
  readonly body: (rows: readonly (readonly Cell[])[], random: Random) => string;
}

export interface LayoutKind {
  readonly name: string;
  readonly writing: Writing;
  readonly recordsAPage: number;
  readonly build: (kit: LayoutKit) => Layout;
}

/** A list stands apart on its page, under its own selector, in every layout but JSON-LD. */
export const LIST_SELECTOR = "ul.services li";

export const byLabel =
  ({ hasTabs }: LayoutKit) =>
  (column: Column): Where =>
    column.kind === "list"
      ? LIST_SELECTOR
      : hasTabs
        ? by.label(column.label, { within: "#content" })
        : by.label(column.label);

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
export const capital = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1)}`;
