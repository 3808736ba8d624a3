/** A recording, an adapter or a bound value is wrong. The message names the step and says what to do. */
export class RecordingError extends Error {
  readonly code = "bad-recording";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RecordingError";
  }
}
