import type { VNode } from "preact";
import { api, may } from "../api.ts";
import { bytes, glued, number, percent, textOf } from "../format.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { Action } from "../parts/action.tsx";
import { Facts } from "../parts/facts.tsx";
import { ReleaseState, Verdict, Verdicts } from "../parts/release.tsx";
import { Crumbs, Problem, Rows } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { href } from "../router.ts";
import type { ReleaseView } from "../../../src/client.ts";

const Release = ({ params }: PageProps): VNode => {
  const dataset = params["dataset"]!;
  const release = Number(params["release"]);
  const { data, error, reload } = useLoad(`release ${dataset} ${release}`, () =>
    api.datasets.getRelease(dataset, release),
  );
  const path = `/datasets/${encodeURIComponent(dataset)}`;
  return (
    <>
      <Crumbs
        steps={[
          ["Datasets", "/datasets"],
          [dataset, path],
        ]}
      />
      <div class="head">
        <h1>
          Release {release} of {dataset}
        </h1>
        {data && (
          <div class="buttons">
            {data.before !== undefined && (
              <a class="button" href={href(path, { before: data.before, after: release })}>
                Compare with {data.before}
              </a>
            )}
            {may("operator") && <Buttons release={data} reload={reload} />}
          </div>
        )}
      </div>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data && <Details release={data} />}
    </>
  );
};

const Buttons = ({
  release,
  reload,
}: {
  readonly release: ReleaseView;
  readonly reload: () => void;
}): VNode => {
  const { dataset, number: id, state, isCurrent, audit } = release;
  const failed = audit?.checks.filter(({ verdict }) => verdict === "fail") ?? [];
  return (
    <>
      <Action
        label={audit ? "Audit again" : "Audit"}
        title={`Audit release ${id} of ${dataset}${audit ? " again" : ""}?`}
        run={async () => {
          const now = await api.datasets.auditRelease(dataset, id);
          reload();
          return `Result of the audit: ${now.state}.`;
        }}
      />
      {audit && !isCurrent && state !== "withdrawn" && (
        <Action
          label="Publish"
          isDangerous={failed.length > 0}
          title={`Publish release ${id} of ${dataset} with ${number(release.rows)} rows?`}
          run={async (form) => {
            const reason = textOf(form, "reason");
            await api.datasets.publishRelease(dataset, id, reason === "" ? {} : { reason });
            reload();
            return `Release ${id} is current.`;
          }}
        >
          {failed.length > 0 && (
            <>
              <p>The audit holds it: {failed.map(({ detail }) => detail).join(" ")}</p>
              <label>
                Why it is published although it is held
                <input name="reason" required maxLength={2000} />
              </label>
            </>
          )}
        </Action>
      )}
    </>
  );
};

const Details = ({ release }: { readonly release: ReleaseView }): VNode => {
  const { rows, writtenAt, writtenBy, published, audit, sources, files, dropped, filled } = release;
  const gaps = [...new Set([...Object.keys(dropped), ...Object.keys(filled)])];
  return (
    <>
      <section>
        <Facts
          facts={[
            ["State", <ReleaseState of={release} />],
            ["Audit", <Verdicts of={release} />],
            ["Rows", number(rows)],
            [
              "Written",
              <>
                <Time at={writtenAt} /> by {writtenBy}
              </>,
            ],
            [
              "Published",
              published && (
                <>
                  <Time at={published.at} /> by {published.by}
                </>
              ),
            ],
            ["Published despite hold", published?.reason],
          ]}
        />
      </section>
      <section>
        <h2>Audit</h2>
        {audit ? (
          <Rows
            label="Checks"
            rows={audit.checks}
            keyOf={({ check }) => check}
            isStacked
            columns={[
              { name: "Check", cell: ({ check }) => check },
              { name: "Verdict", cell: ({ verdict }) => <Verdict of={verdict} /> },
              { name: "Evidence", cell: ({ detail }) => <span class="wrap">{glued(detail)}</span> },
            ]}
          />
        ) : (
          <p class="empty">Not audited yet.</p>
        )}
      </section>
      <section>
        <h2>Sources</h2>
        <Rows
          label="Sources"
          rows={sources}
          keyOf={({ as }) => as}
          columns={[
            { name: "Source", cell: ({ as }) => as },
            {
              name: "Job",
              cell: ({ job }) => (
                <a href={`/jobs/${job}`} class="id">
                  {job}
                </a>
              ),
            },
            { name: "Records", isNumber: true, cell: ({ records }) => number(records) },
            { name: "Failed", isNumber: true, cell: ({ items }) => number(items.failed) },
            { name: "Ended", isMinor: true, cell: ({ endedAt }) => <Time at={endedAt ?? undefined} /> },
          ]}
        />
      </section>
      {gaps.length > 0 && (
        <section>
          <h2>Gaps</h2>
          <Rows
            label="Gaps by field"
            rows={gaps}
            keyOf={(field) => field}
            isStacked
            columns={[
              { name: "Field", cell: (field) => field },
              { name: "Rows left out", isNumber: true, cell: (field) => number(dropped[field] ?? 0) },
              {
                name: "Values filled in",
                cell: (field) =>
                  Object.entries(filled[field] ?? {})
                    .map(
                      ([mark, count]) => `${mark} ${number(count)} (${percent(count / Math.max(1, rows))})`,
                    )
                    .join(", ") || "–",
              },
            ]}
          />
        </section>
      )}
      <section>
        <h2>Files</h2>
        <Rows
          label="Files"
          rows={files}
          keyOf={({ name }) => name}
          columns={[
            {
              name: "File",
              cell: ({ name }) => (
                <a
                  download
                  href={`/v1/datasets/${encodeURIComponent(release.dataset)}/releases/${release.number}/files/${encodeURIComponent(name)}`}
                >
                  {name}
                </a>
              ),
            },
            { name: "Size", isNumber: true, cell: (file) => bytes(file.bytes) },
            { name: "Digest", isMinor: true, cell: ({ digest }) => <span class="id wrap">{digest}</span> },
          ]}
        />
      </section>
    </>
  );
};

export default Release;
