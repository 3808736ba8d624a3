/** The command line asks for something that cannot be: the message says what, and the way out. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
