/** A controller that has the ledger and the blob store for workers on other machines. */
export interface ControllerPlace {
  readonly url: string;
  /** None where the controller has no keys. */
  readonly key?: string;
}
