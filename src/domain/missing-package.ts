/** An optional peer dependency that this installation needs and does not have. */
export class MissingPackageError extends Error {
  readonly code = "missing-package";
  constructor(name: string, purpose: string) {
    super(`${purpose} needs the package ${name}, which is not installed. Run: npm install ${name}`);
    this.name = "MissingPackageError";
  }
}

/** No browser was found on this machine; `command` installs one. */
export class MissingBrowserError extends Error {
  readonly code = "missing-browser";
  constructor(command: string) {
    super(`A scraper that uses a browser needs Chromium, and none was found. Run: ${command}`);
    this.name = "MissingBrowserError";
  }
}

/** Runs `load`, the caller's own `require` or `resolve` of an optional package; `purpose` says what needs it. */
export const loadOptional = <T>(name: string, purpose: string, load: () => T): T => {
  try {
    return load();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND")
      throw new MissingPackageError(name, purpose);
    throw error;
  }
};
