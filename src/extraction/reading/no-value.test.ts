import assert from "node:assert/strict";
import { test } from "node:test";
import { saysNone } from "./no-value.ts";

const list = (text: string): readonly string[] => text.split(";").map((one) => one.trim());

test('recognizes phrases for "no value" in ten languages, with or without accents', () => {
  for (const text of [
    ...list(
      "Not available; no information on file; None listed; To be announced; Phone number not provided; not yet known",
    ),
    ...list(
      "keine Angaben vorhanden; Nicht verfügbar; nicht verfugbar; noch nicht bekannt; ohne Angabe; wird noch bekannt gegeben",
    ),
    ...list(
      "non renseignée; Non communiqués; aucune information disponible; pas d'information; à préciser; données manquantes",
    ),
    ...list(
      "no especificada; sin información disponible; dato desconocido; por confirmar; no se ha indicado; aún no disponible",
    ),
    ...list(
      "non disponibili; nessun'indicazione; dati mancanti; da comunicare; informazione non ancora disponibile",
    ),
    ...list("niet opgegeven; geen gegevens beschikbaar; nog niet bekend; nog te bepalen; gegevens ontbreken"),
    ...list(
      "brak informacji; nie określono; nieznane; dane niedostępne; do uzupełnienia; brak danych o właścicielu",
    ),
    ...list(
      "não informada; sem informações; nenhum dado disponível; a confirmar; nao disponivel; dados indisponíveis",
    ),
    ...list("ej angivet; uppgift saknas; inga uppgifter; inte tillgängligt ännu; meddelas senare"),
    ...list("ikke oplyst; ingen opplysninger; ukendt; ikke tilgjengelig; oplyses senere"),
  ])
    assert.ok(saysNone(text, "words"), text);
});

test("a name that begins like such a phrase is a name", () => {
  for (const text of list(`No. 5 Mill Lane; Nicht & Sohn GmbH; None Such Farm; Unknown Pleasures Records; No Limit Records; Aucun Souci SARL;
    Sans Souci; Sin City; Nessun Dorma Srl; Brak Sp. z o.o.; Ingen Fara AB; Keine Sorge GmbH; Unknown Heirs of Ann Smith; N A Patel;
    Not Just Bagels; Nothing Bundt Cakes; Without Walls Church; Missing Link Brewery; Geen Daden BV; Zonder Zorgen; Pas de Calais; Non Solo Pizza;
    Bez Granic; Da Vinci; Do It Best; Coming Home Inc; Inga Svensson; Nie Wieder e.V.; A Venir Immobilier; Data; Information; No Data Corp;
    Pending; Offen; Pendiente; In Vino Veritas; Por Amor; Em aberto; Vervallen`))
    assert.ok(!saysNone(text, "words"), text);
});

test('where a number is expected, a text that begins with "not" means none, unless it has digits', () => {
  for (const text of list("nicht bebaut; no such thing; sin construir; brak budynku")) {
    assert.ok(saysNone(text, "value"), text);
    assert.ok(!saysNone(text, "words"), text);
  }
  for (const text of list("no 12; not 5; nr 7; sin 3 datos")) assert.ok(!saysNone(text, "value"), text);
});
