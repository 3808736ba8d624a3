import { createRequire } from "node:module";
import type { Impit, ImpitOptions } from "impit";
import { loadOptional } from "../../domain/missing-package.ts";

/** An optional package with a native part: loaded by the first item that needs it. Throws a `MissingPackageError` that names the command. */
export const loadImpit = (): typeof import("impit") =>
  loadOptional(
    "impit",
    'A scraper with identity "browser"',
    () => createRequire(import.meta.url)("impit") as typeof import("impit"),
  );

export type MakeClient = (options: ImpitOptions) => Pick<Impit, "fetch">;

export const makeClient: MakeClient = (options) => new (loadImpit().Impit)(options);
