import { describe } from "node:test";
import { databaseOf, noPostgres } from "../../../test/kits/postgres.ts";
import { registrySuite } from "../../ports/registry.suite.ts";
import { openPostgresRegistry } from "./registry.ts";

describe("postgres", { skip: noPostgres }, () => {
  registrySuite("postgres", async (folder, options) =>
    openPostgresRegistry(await databaseOf(folder), options),
  );
});
