import { NoValueLanguage } from "./grammar.ts";

const GERMAN = new NoValueLanguage({
  not: "nicht",
  no: "kein|keine|keinen|keiner|keines|keinerlei",
  without: "ohne",
  given: `angegeben|angebbar|bekannt|bekanntgegeben|bekannt gegeben|verfugbar|verfuegbar|vorhanden|vorliegend|erfasst|
    zutreffend|relevant|anwendbar|hinterlegt|eingetragen|veroffentlicht|mitgeteilt|ausgefullt|gesetzt|definiert|
    festgelegt|gemeldet|genannt|benannt|bestimmt|bestimmbar|ermittelt|ermittelbar|belegt|aufgefuhrt|ausgewiesen|
    gefunden|zugeordnet|dokumentiert|registriert|beziffert|abrufbar|spezifiziert|geklart|feststellbar|verzeichnet|
    ubermittelt|gemacht|ersichtlich|terminiert|datiert|eingegeben`,
  thing: `angaben?|daten|informationen|information|infos?|eintrag|eintrage|eintragung|werte?|treffer|auskunft|
    ergebnisse?|details?|nachweise?|adresse|anschrift|telefon|telefonnummer|rufnummer|fax|faxnummer|e-?mail|
    e-?mail-?adresse|mailadresse|website|webseite|webadresse|homepage|internetadresse|datum|nummer|name|betrag|preis|
    beschreibung|kontaktdaten|kontakt|eigentumer|termin|bewertung(en)?|bild(er)?|unterlagen|meldung|antwort|
    datensatze?|kommentare?|bemerkung(en)?`,
  kind: "weiteren?|naheren?|genauen?|aktuellen?|sonstigen?|gultigen?|entsprechenden?|konkreten?",
  missing: "fehlt|fehlen|fehlend|fehlende|unbekannt|unbek|unbek.|unbestimmt|unbenannt|entfallt",
  is: "ist|sind|wurde|wurden|wird|werden|es|die|das|der|dieser|dieses|diese|bisher",
  when: `noch|derzeit|aktuell|momentan|zurzeit|zur zeit|zzt|z. zt|im moment|bisher|bislang|leider|offentlich|
    vorubergehend|hier|online`,
  about: "uber|zu|zum|zur|fur|von|der|des",
  later: "wird|werden|folgt|folgen|in|kommt|demnachst|noch",
  announced: `
    (bekannt ?gegeben|nachgereicht|erganzt|festgelegt|nachgetragen|bestimmt|mitgeteilt|veroffentlicht|aktualisiert)|
    kurze|kurze verfugbar|vorbereitung|spater|noch|offen|bald|in kurze|demnachst|ausstehend|
    zu (klaren|bestimmen|benennen|definieren|erganzen)`,
  sentences: `k.a|k. a|ka|k.a.|k/a|o.a|o. a|o.ang|o. ang|n.b|n. b|n.v|n. v|n.n|n. n|k.d|unbekannt|leer|ohne|keine|
    keiner|keines|kein|nichts|folgt|liegt nicht vor|liegen nicht vor|liegt noch nicht vor|liegt uns nicht vor|
    liegen keine vor|angabe liegt nicht vor|angaben liegen nicht vor|daten liegen nicht vor|es liegen keine daten vor|
    es liegen keine angaben vor|es liegen keine informationen vor|trifft nicht zu|steht noch nicht fest|
    steht nicht fest|noch offen|noch unklar|unklar|nicht zutr.|demnachst|in kurze`,
});

const DUTCH = new NoValueLanguage({
  not: "niet",
  no: "geen",
  without: "zonder",
  given: `beschikbaar|bekend|bekendgemaakt|bekend gemaakt|opgegeven|ingevuld|van toepassing|vermeld|aanwezig|gevonden|
    gespecificeerd|vastgesteld|geregistreerd|verstrekt|gedefinieerd|toegekend|gepubliceerd|bepaald|aangegeven|
    ingesteld|voorhanden|doorgegeven|genoemd|vastgelegd|toegewezen|aangeleverd|gemeld|openbaar|geleverd|
    te achterhalen|ontvangen|ingevoerd`,
  thing: `gegevens?|informatie|info|data|opgaven?|opgaaf|waarden?|resultaten|resultaat|invoer|adres|telefoon|
    telefoonnummer|fax|faxnummer|e-?mail|e-?mailadres|website|webadres|datum|nummer|naam|bedrag|prijs|omschrijving|
    beschrijving|eigenaar|vermelding|details?|antwoord|contactgegevens|foto's?|reviews?|beoordeling(en)?|
    bijzonderheden|records?`,
  kind: "verdere|nadere|andere|actuele|geldige|recente|overige",
  missing: "ontbreekt|ontbreken|ontbrekend|ontbrekende|onbekend|onbek|onbek.|onbepaald",
  is: "is|zijn|werd|werden|wordt|worden|de|het|deze|dit|er|nog",
  when: "nog|momenteel|op dit moment|thans|tijdelijk|vooralsnog|(tot )?op heden|helaas|hier|online",
  about: "over|van|voor|bij|omtrent",
  later: "nog|wordt|worden|volgt|volgen|binnenkort|komt|nader|nog nader",
  announced: `
    (nog |later |nader |binnenkort )?(bekendgemaakt|bekend gemaakt|bepaald|ingevuld|aangevuld|vastgesteld|toegevoegd)|
    te bepalen|in te vullen|bekend te maken|te bevestigen|vast te stellen|later|nog|binnenkort|beschikbaar|
    meer informatie|spoedig`,
  sentences: `n.v.t|nvt|n.b|n. b|n.n.b|nnb|n.t.b|ntb|onbekend|geen|leeg|niets|nee, onbekend|n.o.t.k|n.o|volgt|
    binnenkort|nog onbekend|niet v.t`,
});

const SWEDISH = new NoValueLanguage({
  not: "ej|inte|icke",
  no: "ingen|inget|inga",
  without: "utan",
  given: `angiven|angivet|angivna|ang.|ang|tillganglig|tillgangligt|tillgangliga|kand|kant|kanda|kannt|uppgiven|
    uppgivet|uppgivna|specificerad|specificerat|specificerade|registrerad|registrerat|registrerade|tillampligt|
    tillamplig|tillampbart|tillampbar|aktuellt|aktuell|relevant|ifylld|ifyllt|bestamt|bestamd|faststalld|faststallt|
    publicerad|publicerat|lamnad|lamnat|funnen|funnet|hittad|hittades|definierad|definierat|satt|redovisad|redovisat|
    noterad|noterat|fastslaget|meddelat|meddelad|bekraftad|bekraftat|offentlig|offentligt|offentliggjord|
    offentliggjort|inlagd|inlagt|rapporterad|rapporterat|dokumenterad|dokumenterat`,
  thing: `uppgift|uppgifter|uppg.|uppg|data|information|info|varde|varden|resultat|traff|traffar|post|poster|adress|
    telefon|telefonnummer|fax|e-?post|e-?postadress|mejl|webbplats|hemsida|webbadress|datum|nummer|namn|belopp|pris|
    beskrivning|agare|uppgiftslamnare|detaljer|notering|anteckning|svar|bild|bilder|kontaktuppgifter`,
  kind: "ytterligare|nagon|nagra|aktuell|aktuella|narmare|giltig|annan|ovriga",
  missing: "saknas|saknar|saknade|okand|okant|okanda|okend|obekant|obestamd|obestamt",
  is: "ar|var|har|blev|finns|den|det|denna|detta",
  when: "annu|for narvarande|just nu|for tillfallet|tillfalligt|i dagslaget|an|har|finns|online",
  about: "om|for|av|till",
  later: "meddelas|kommer|tillkommer|faststalls|bestams|kompletteras|uppdateras|anges|publiceras|att",
  announced: `senare|snart|inom kort|att (meddelas|faststallas|kompletteras|publiceras|anges|uppdateras)|meddelas|
    faststalla|bestamma|meddela`,
  sentences: `saknas|okand|okant|ingen|inget|uppgift saknas|uppg. saknas|u.s|ej ang|ej till.|finns ej|finns inte|
    framgar ej|framgar inte|galler ej|galler inte|ej tillamplig|kommer|meddelas|annu oklart|oklart|ej klart|inte klart`,
});

/** Danish, and Norwegian, which differs in few of these words. */
const DANISH = new NoValueLanguage({
  not: "ikke|ikkje",
  no: "ingen|intet|inga|ingenting",
  without: "uden|uten",
  given: `oplyst|opplyst|angivet|angitt|angivne|tilgaengelig|tilgaengelige|tilgaengeligt|tilgjengelig|tilgjengelige|
    kendt|kjent|opgivet|oppgitt|oppgjeve|registreret|registrert|specificeret|spesifisert|relevant|aktuelt|aktuell|
    udfyldt|utfylt|fundet|funnet|fastsat|fastsatt|defineret|definert|offentliggjort|offentlig|meddelt|bestemt|
    bekraeftet|bekreftet|anfort|noteret|notert|sat|satt|publiceret|publisert|modtaget|mottatt|rapporteret|rapportert|
    avklart|afklaret`,
  thing: `oplysning|oplysninger|opplysning|opplysninger|data|information|informasjon|informationer|info|vaerdi|
    vaerdier|verdi|verdier|resultat|resultater|treff|adresse|telefon|telefonnummer|fax|faks|e-?mail|e-?post|
    e-?postadresse|mail|hjemmeside|hjemmesider|nettsted|nettside|dato|nummer|navn|belob|belop|pris|beskrivelse|ejer|
    eier|detaljer|svar|billede|bilde|kontaktoplysninger|kontaktinformasjon`,
  kind: "yderligere|ytterligere|andre|flere|naermere|aktuelle|gyldig|gyldige",
  missing: "mangler|manglende|ukendt|ukendte|ukjent|ukjente|uoplyst|uopplyst|uspecificeret|uspesifisert",
  is: "er|var|ble|blev|har|den|det|denne|dette|foreligger",
  when: `endnu|enda|forelobig|for tiden|for oyeblikket|i ojeblikket|pt.|p.t.|midlertidigt|midlertidig|online|her|
    foreligger`,
  about: "om|for|af|av|til",
  later: "oplyses|opplyses|kommer|kunngjores|bekendtgores|meddeles|fastsaettes|fastsettes|folger",
  announced: "senere|snart|snarest|inden laenge|om kort tid",
  sentences: `i.o|i.o.|u.o|ukendt|ukjent|ingen|intet|mangler|ej oplyst|ej angivet|ej relevant|findes ikke|finnes ikke|
    foreligger ikke|gaelder ikke|gjelder ikke|kommer|oplyses senere`,
});

export const GERMANIC = [GERMAN, DUTCH, SWEDISH, DANISH];
