/** What happened to a job, as the outbox keeps it until it is told. */
export interface LedgerEvent {
  readonly id: number;
  readonly at: number;
  readonly type:
    | "job.started"
    | "job.completed"
    | "job.paused"
    | "job.resumed"
    | "job.cancelled"
    /** Every `spec.progressMs`, written by the controller's duty. */
    | "job.progress"
    /** Some of a job's items, gathered for a while. */
    | "item.failed"
    | "batch.completed"
    | "lane.held"
    | "lane.released";
  readonly job: string;
  readonly facts: Readonly<Record<string, unknown>>;
}
