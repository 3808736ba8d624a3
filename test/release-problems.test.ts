import assert from "node:assert/strict";
import { test } from "node:test";
import { type Release, releaseProblems } from "../tools/release-problems.ts";

const RELEASE: Release = {
  version: "0.2.0",
  lockVersion: "0.2.0",
  changelog: "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n- A change.\n",
  tags: ["v0.2.0"],
  mustBeTagged: true,
};
const problemsOf = (other: Partial<Release>): string[] => releaseProblems({ ...RELEASE, ...other });

test("a tagged version with a changelog section may be published", () => {
  assert.deepEqual(problemsOf({}), []);
});

test("each disagreement is named", () => {
  assert.match(problemsOf({ lockVersion: "0.1.0" }).join(), /package-lock\.json has the version 0\.1\.0/);
  assert.match(problemsOf({ tags: ["v0.3.0"] }).join(), /tagged v0\.3\.0/);
  assert.match(problemsOf({ tags: [] }).join(), /git tag v0\.2\.0/);
  assert.match(
    problemsOf({ changelog: "## 0.2.0\n\n## 0.1.0\n\n- Old.\n" }).join(),
    /no section "## 0\.2\.0/,
  );
  assert.match(
    problemsOf({ changelog: `${RELEASE.changelog}\n## Unreleased\n\n- Forgotten.\n` }).join(),
    /still has entries under "## Unreleased"/,
  );
});

test("between releases, versions must agree and the changelog may collect entries", () => {
  const between = { tags: [], mustBeTagged: false, changelog: "## Unreleased\n\n- New.\n" };
  assert.deepEqual(problemsOf(between), []);
  assert.equal(problemsOf({ ...between, lockVersion: "0.1.9" }).length, 1);
});
