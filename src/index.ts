export { defineConfig, type Config } from "./config/define-config.ts";
export { field, type RecordOf } from "./extraction/field.ts";
export { by, type Place, type Where } from "./extraction/place.ts";
export { AbsentError, FailureError } from "./domain/failure.ts";
export { absent, need } from "./scrapers/scraper.ts";
export { defineScraper, type InputOf, type RecordFrom } from "./scrapers/scraper.ts";
export { scraperFile } from "./scrapers/load-scraper.ts";
export { emitTo } from "./scrapers/compile-emit.ts";
