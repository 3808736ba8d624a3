import { dollars, usDate } from "./listing.ts";
import type { Parcel } from "./parcels.ts";

/** The parcel's tax bill: one page of text, by ISO 32000 (header, objects, cross-reference table, trailer). */
export function billPdf(parcel: Parcel): Buffer {
  const text = [
    "WILLOW COUNTY TAX BILL",
    `Parcel ${parcel.id}  Tax year ${parcel.taxYear}`,
    parcel.owner,
    `${parcel.street}, ${parcel.city}`,
    `Amount due ${dollars(parcel.taxDueCents)} by ${usDate(parcel.dueDate)}`,
  ];
  const content = `BT /F1 12 Tf 16 TL 72 720 Td ${text.map((line) => `(${escapePdf(line)}) Tj T*`).join(" ")} ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  ];
  // Latin-1 throughout, so that a string's length is its length in bytes. The second line marks the file as binary.
  let pdf = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  objects.forEach((object, index) => {
    table += `${String(pdf.length).padStart(10, "0")} 00000 n \n`;
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
  });
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
  return Buffer.from(pdf + table + trailer, "latin1");
}

const escapePdf = (text: string): string => text.replaceAll(/[\\()]/g, String.raw`\$&`);
