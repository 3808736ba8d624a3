import type { DocumentKind, DocumentQuery, Documents, StoredDocument } from "../../ports/documents.ts";
import { LedgerError } from "../../ports/ledger.ts";
import { arrays, type StepEngine, type Steps } from "./steps.ts";
import { FORMATS, type Value } from "./tables.ts";

const DOCUMENT = FORMATS.document;
const COLUMNS = DOCUMENT.columnsOf("t");
/** Sorts after every name. */
const LAST = "\u{10FFFF}";

export const openDocuments = (db: StepEngine): Omit<Documents, "commit"> => ({
  read: (kind, name) => db.read(() => readDocument(kind, name)),
  list: (kind, query) => db.read(() => listDocuments(kind, query)),
});

function* readDocument(kind: DocumentKind, name: string): Steps<StoredDocument | undefined> {
  const [row] = yield* arrays<Value[]>(
    `SELECT ${COLUMNS} FROM documents t WHERE t.kind = ? AND t.name = ?`,
    kind,
    name,
  );
  return row && documentOf(row);
}

function* listDocuments(
  kind: DocumentKind,
  { prefix = "", after, newest = false, limit }: DocumentQuery,
): Steps<StoredDocument[]> {
  const passed = after === undefined ? "" : `AND t.name ${newest ? "<" : ">"} ?`;
  const rows = yield* arrays<Value[]>(
    `SELECT ${COLUMNS} FROM documents t WHERE t.kind = ? AND t.name >= ? AND t.name < ? ${passed}
     ORDER BY t.name ${newest ? "DESC" : ""} LIMIT ?`,
    kind,
    prefix,
    `${prefix}${LAST}`,
    ...(after === undefined ? [] : [after]),
    limit,
  );
  return rows.map(documentOf);
}

/** A damaged row is named, and none of its values are returned. */
const documentOf = (row: readonly Value[]): StoredDocument => {
  if (DOCUMENT.fits(row)) return DOCUMENT.read(row);
  throw new LedgerError(
    "damaged-row",
    `${String(row[0])} ${String(row[1])}: the stored data is damaged. Run \`sluice fsck\` for details, and restore the ledger from a backup.`,
  );
};
