import type { VNode } from "preact";
import { api, may } from "../api.ts";
import { number, plain, textOf } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { CompareForm } from "../parts/filter-form.tsx";
import { Action } from "../parts/action.tsx";
import { Facts } from "../parts/facts.tsx";
import { ReleaseState, Verdicts } from "../parts/release.tsx";
import { type Column, Crumbs, Problem, Rows, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { value } from "../router.ts";
import type { DatasetView, ReleaseDiff, ReleaseView } from "../../../src/client.ts";

const pathOf = ({ dataset, number: release }: Pick<ReleaseView, "dataset" | "number">): string =>
  `/datasets/${encodeURIComponent(dataset)}/releases/${release}`;

const COLUMNS: readonly Column<ReleaseView>[] = [
  { name: "Release", cell: (release) => <a href={pathOf(release)}>{release.number}</a> },
  { name: "State", cell: (release) => <ReleaseState of={release} /> },
  { name: "Audit", cell: (release) => <Verdicts of={release} /> },
  { name: "Rows", isNumber: true, cell: ({ rows }) => number(rows) },
  { name: "Written", isMinor: true, cell: ({ writtenAt }) => <Time at={writtenAt} /> },
  {
    name: "Published",
    isMinor: true,
    cell: ({ published }) =>
      published ? (
        <>
          <Time at={published.at} /> <span class="quiet">by {published.by}</span>
        </>
      ) : (
        "–"
      ),
  },
];

const DatasetPage = ({ params }: PageProps): VNode => {
  const name = params["dataset"]!;
  const cursor = value("cursor");
  const dataset = useLoad(`dataset ${name}`, () => api.datasets.getDataset(name));
  const releases = useLoad(`releases ${name} ${cursor ?? ""}`, () =>
    api.datasets.listReleases(name, { limit: 20, ...(cursor !== undefined && { cursor }) }),
  );
  const reload = (): void => {
    dataset.reload();
    releases.reload();
  };
  useEvery(reload, 10_000);
  const { data, error } = dataset;
  return (
    <>
      <Crumbs steps={[["Datasets", "/datasets"]]} />
      <div class="head">
        <h1>{name}</h1>
        {data && may("operator") && (
          <Buttons dataset={data} releases={releases.data?.data ?? []} reload={reload} />
        )}
      </div>
      {error !== undefined && <Problem error={error} retry={dataset.reload} />}
      {data && <About dataset={data} />}
      <section>
        <h2>Releases</h2>
        <Table
          label="Releases"
          columns={COLUMNS}
          list={releases}
          keyOf={(release) => String(release.number)}
          empty={<p>No release yet. “Write a release” creates one from the newest jobs of the sources.</p>}
        />
      </section>
      {data && data.last > 1 && (
        <section>
          <h2>Compare releases</h2>
          <Compare dataset={name} releases={releases.data?.data ?? []} />
        </section>
      )}
    </>
  );
};

const About = ({
  dataset: { client, spec, current, isLate, isDeclared },
}: {
  readonly dataset: DatasetView;
}): VNode => (
  <section>
    <Facts
      facts={[
        ["Current release", current ? `${current.release}` : "none"],
        ["Published", current ? <Time at={current.at} isRelative /> : undefined],
        ["Late", isLate ? <b>yes</b> : undefined],
        [
          "Sources",
          <>
            {spec.sources.map(({ scraper, as }) => (
              <a key={as ?? scraper} class="spaced" href={`/scrapers/${encodeURIComponent(scraper)}`}>
                {as ?? scraper}
              </a>
            ))}
          </>,
        ],
        ["Client", client],
        ["Declared in", isDeclared ? "sluice.config.ts" : "the API"],
      ]}
    />
  </section>
);

const Buttons = ({
  dataset: { name, current },
  releases,
  reload,
}: {
  readonly dataset: DatasetView;
  readonly releases: readonly ReleaseView[];
  readonly reload: () => void;
}): VNode => {
  const older = releases.filter(({ published, isCurrent }) => published && !isCurrent);
  return (
    <div class="buttons">
      <Action
        label="Write a release"
        title={`Write a release of ${name}?`}
        run={async () => {
          const made = await api.datasets.writeRelease(name);
          reload();
          const { state } = await api.datasets.auditRelease(name, made.number);
          reload();
          return `Release ${made.number} is written and ${state}.`;
        }}
      >
        <p>
          The release is made from the newest finished jobs of the sources, and audited. Readers do not see it
          until it is published.
        </p>
      </Action>
      {current && older.length > 0 && (
        <Action
          label="Roll back"
          isDangerous
          title={`Replace release ${current.release} with an older one?`}
          run={async (form) => {
            const now = await api.datasets.rollback(name, { to: Number(textOf(form, "to")) });
            reload();
            return `Release ${now.number} is current.`;
          }}
        >
          <label>
            To release
            <select name="to">
              {older.map(({ number: release, rows }) => (
                <option key={release} value={release}>
                  {release} ({number(rows)} rows)
                </option>
              ))}
            </select>
          </label>
        </Action>
      )}
    </div>
  );
};

const Compare = ({
  dataset,
  releases,
}: {
  readonly dataset: string;
  readonly releases: readonly ReleaseView[];
}): VNode => {
  const [before, after] = [value("before"), value("after")];
  const choices = releases.map((release) => ({
    value: String(release.number),
    label: `${release.number} ${release.state}`,
  }));
  return (
    <>
      <CompareForm choices={choices} />
      {before !== undefined && after !== undefined && (
        <Difference dataset={dataset} before={Number(before)} after={Number(after)} />
      )}
    </>
  );
};

const Difference = ({
  dataset,
  before,
  after,
}: {
  readonly dataset: string;
  readonly before: number;
  readonly after: number;
}): VNode => {
  const { data, error, reload } = useLoad(`release diff ${dataset} ${before} ${after}`, () =>
    api.datasets.diffReleases(dataset, { before, after }),
  );
  if (error !== undefined && !data) return <Problem error={error} retry={reload} />;
  if (!data) return <p class="loading">Comparing…</p>;
  const fields = Object.entries(data.fields).filter(([, { changed }]) => changed > 0);
  const tally = (label: string, { count, keys }: ReleaseDiff["new"]): VNode => (
    <li>
      {label} <b>{number(count)}</b>{" "}
      <span class="quiet">
        {keys.slice(0, 3).join(", ")}
        {count > 3 && " …"}
      </span>
    </li>
  );
  return (
    <>
      <ul class="tallies">
        {tally("New", data.new)}
        {tally("Gone", data.gone)}
        {tally("Changed", data.changed)}
        <li>
          Unchanged <b>{number(data.unchanged)}</b>
        </li>
      </ul>
      {fields.length > 0 && (
        <Rows
          label="Changes by field"
          rows={fields}
          keyOf={([name]) => name}
          isStacked
          columns={[
            { name: "Field", cell: ([name]) => <b>{name}</b> },
            { name: "Changed", isNumber: true, cell: ([, { changed }]) => number(changed) },
            {
              name: "Examples",
              cell: ([, { examples }]) => (
                <ul class="pairs">
                  {examples.map(({ key, before: was, after: is }) => (
                    <li key={key}>
                      <span class="id">{key}</span> <span class="wrap">{plain(was) || "nothing"}</span> →{" "}
                      <span class="wrap">{plain(is) || "nothing"}</span>
                    </li>
                  ))}
                </ul>
              ),
            },
          ]}
        />
      )}
    </>
  );
};

export default DatasetPage;
