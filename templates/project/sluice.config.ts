import { defineConfig } from "sluice-jobs";

export default defineConfig({
  data: "./data",
  scrapers: "./scrapers",
});
