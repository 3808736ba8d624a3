import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { loadOptional } from "./missing-package.ts";

const require = createRequire(import.meta.url);

test("a missing optional package is an error with the command that installs it", () => {
  assert.throws(() => loadOptional("no-such-package", "field.x", () => require.resolve("no-such-package")), {
    code: "missing-package",
    message: /field\.x needs .*npm install no-such-package$/,
  });
  assert.throws(
    () => loadOptional("no-such-package", "field.x", () => import.meta.resolve("no-such-package")),
    { code: "missing-package" },
  );
});

test("other errors of the package are passed on, and its exports are returned", () => {
  assert.throws(
    () =>
      loadOptional("broken", "x", () => {
        throw new RangeError("broken inside");
      }),
    RangeError,
  );
  assert.equal(
    loadOptional("fine", "x", () => 7),
    7,
  );
});
