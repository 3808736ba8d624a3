/** `broken-config`: the file cannot be loaded. `bad-config`: what it says cannot be used. */
export type ConfigErrorCode = "broken-config" | "bad-config";

/** A configuration that cannot be used: the message names the file, the option and the way out. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;
  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConfigError";
    this.code = code;
  }
}
