import { describe } from "node:test";
import { databaseOf, noPostgres } from "../../../test/kits/postgres.ts";
import { registrySuite } from "../../ports/registry.suite.ts";
import { openPostgresRegistry } from "./registry.ts";

const prepare = async (url: string): Promise<void> => await (await openPostgresRegistry(url)).close();

describe("postgres", { skip: noPostgres }, () => {
  registrySuite("postgres", async (folder, options) =>
    openPostgresRegistry(await databaseOf(folder, prepare), options),
  );
});
