/** Every type that callers of the client meet, in one place. */
export type { AddInputs, InputStream, Listening, LiveEvent } from "./streams.ts";
export type { Alert, Alerts } from "../schemas/alert.ts";
export type {
  Client,
  ClientChange,
  CreatedClient,
  CreatedKey,
  Key,
  Me,
  NewClient,
  Role,
} from "../schemas/client.ts";
export type { Page, PageQuery } from "../schemas/describe.ts";
export type {
  Capture,
  CaptureHead,
  Change,
  Evidence,
  Failure,
  Item,
  ItemQuery,
  ItemRecords,
  ItemState,
} from "../schemas/item.ts";
export type {
  Batch,
  BatchResult,
  CreatedBatch,
  CreatedJob,
  FailureTimes,
  InputCheck,
  Job,
  JobCaps,
  JobQuery,
  JobState,
  Pace,
  RejectedInput,
  ResultsQuery,
  Resume,
  RunDifference,
  Retry,
  Stopped,
  Stopping,
  Upload,
} from "../schemas/job.ts";
export type { Budget, Freshness, JobOptions, NewBatch, NewJob } from "../schemas/job-options.ts";
export type {
  AuditEntry,
  AuditQuery,
  Deployment,
  JobLane,
  JobLaneQuery,
  Lane,
  LaneControl,
  LaneQuery,
  Scale,
  Scraper,
  ScraperEntry,
  ScraperQuery,
  Worker,
} from "../schemas/operations.ts";
export type { DueRemoval, Prune, Pruned, Removal } from "../schemas/removal.ts";
export type {
  Delivery,
  DeliveryQuery,
  DeliveryState,
  EventQuery,
  NewWebhook,
  Owner,
  Webhook,
  WebhookWithSecret,
} from "../schemas/webhook.ts";
export type { InputSet, SetDiff, UploadedSet } from "../schemas/inputs.ts";
export type { Coming, Firing, NewSchedule, Schedule, ScheduleDefinition } from "../schemas/schedule.ts";
export type { InputSetCalls, ScheduleCalls } from "./schedules.ts";
export type { ClientOptions } from "./ask.ts";
export type { VersionsClient } from "./versions.ts";
export type {
  DatasetRequest,
  DatasetView,
  LatestRelease,
  PublishRequest,
  ReleaseDiff,
  ReleaseDiffQuery,
  ReleaseView,
  RollbackRequest,
  WriteRequest,
} from "../schemas/dataset.ts";
export type { AcceptRequest, FindingView, QualityView } from "../schemas/quality.ts";
export type { DatasetCalls } from "./datasets.ts";
export type {
  Activated,
  Activation,
  EndCanary,
  Gate,
  Moved,
  StartCanary,
  Version,
  Versions,
} from "../schemas/version.ts";
