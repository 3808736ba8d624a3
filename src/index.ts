export { field } from "./extraction/field.ts";
export { AbsentError, FailureError } from "./model/failure.ts";
export { absent } from "./scrapers/absent.ts";
export { defineScraper, type InputOf, type RecordFrom } from "./scrapers/define-scraper.ts";
