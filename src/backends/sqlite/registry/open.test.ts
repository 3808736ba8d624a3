import { join } from "node:path";
import { registrySuite } from "../../../ports/registry.suite.ts";
import { openRegistry } from "./open.ts";

registrySuite("sqlite", (folder, options) => openRegistry(join(folder, "sluice.db"), options));
