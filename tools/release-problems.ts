export interface Release {
  readonly version: string;
  readonly lockVersion: string;
  readonly changelog: string;
  /** Version tags of the commit, such as `v0.1.0`. */
  readonly tags: readonly string[];
  /** Whether the commit is about to be published. */
  readonly mustBeTagged: boolean;
}

/** What has to be corrected before this commit can be released. */
export const releaseProblems = (release: Release): string[] => {
  const { version, lockVersion, changelog, tags, mustBeTagged } = release;
  const problems: string[] = [];
  if (lockVersion !== version)
    problems.push(
      `package-lock.json has the version ${lockVersion}, package.json ${version}. Run: npm install`,
    );
  for (const tag of tags)
    if (tag !== `v${version}`)
      problems.push(`The commit is tagged ${tag}, but package.json has the version ${version}.`);
  if (!mustBeTagged && tags.length === 0) return problems;
  if (tags.length === 0) problems.push(`The commit has no tag. Run: git tag v${version}`);
  if (!hasSection(changelog, version))
    problems.push(`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)" with an entry.`);
  if (hasSection(changelog, "Unreleased"))
    problems.push(
      'CHANGELOG.md still has entries under "## Unreleased". Move them to the section of the version.',
    );
  return problems;
};

const hasSection = (changelog: string, title: string): boolean =>
  changelog.split(/^## /m).some((section) => /^\S+/.exec(section)?.[0] === title && /^- \S/m.test(section));
