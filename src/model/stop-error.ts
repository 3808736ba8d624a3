/** The worker must let go of an item that is not at fault: it goes back untouched. */
export class StopError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "StopError";
  }
}
