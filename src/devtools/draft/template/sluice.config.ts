import { defineConfig } from "sluice";

export default defineConfig({
  data: "./data",
  scrapers: "./scrapers",
});
