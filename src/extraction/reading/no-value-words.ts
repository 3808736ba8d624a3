// As sites write them, in lower case and without what stands around them (dots at the end, brackets, dashes).
const EVERYWHERE = `
n/a; n.a; na; n/d; n.d; n/k; n\\a; not avail; no data; nodata; tbd; tba; tbc; tbn; t.b.d; t.b.a; null; nul; undefined; nan; nil; none; unknown;
unk; unavailable; unspecified; unassigned; unlisted; undetermined; undisclosed; not known; blank; empty; missing; nothing; nbsp; &nbsp; no value;
to be determined; to be announced; to be advised; to be confirmed; to be decided; to be assigned; to be provided; coming soon;
no info; no information; no details; no record; no records; no entry; no entries; no result; no results; no answer; none yet; n.k; not set; does not apply; doesn't apply; not in service; data pending; information pending; not yet known; undated; not dated;
leer; ohne; vide; vacío; vuoto; non défini; non définie; non indiqué; non connu; sin definir; por definir; no definido; no aplicable; nicht gesetzt;
k.a; k. a; ka; keine angabe; keine angaben; keine daten; keine; unbekannt; nicht verfügbar; nicht angegeben; nicht vorhanden; nicht bekannt;
nicht erfasst; nicht zutreffend; entfällt; liegt nicht vor; ohne angabe; o.a; o. a; o.ang;
non renseigné; non renseignée; non renseignés; non disponible; non communiqué; non communiquée; non précisé; non précisée; non spécifié; n.c; nc; n/c;
inconnu; inconnue; aucun; aucune; aucune donnée; néant; sans objet; s.o; indisponible; pas de données; à déterminer; à venir; nr; n.r; n/r;
sin dato; sin datos; sin información; no disponible; no aplica; desconocido; desconocida; ninguno; ninguna; s/d; s.d; no consta; no registrado;
no registra; sin especificar; no especificado; por determinar; sin registro; sin asignar; no informado; nd;
non disponibile; nessuno; nessuna; nessun dato; sconosciuto; sconosciuta; non specificato; dato non disponibile; da definire; non pervenuto; non noto;
não informado; não disponível; sem dados; sem informação; sem informações; nenhum; nenhuma; desconhecido; desconhecida; não se aplica; a definir;
não consta; não especificado; indisponível; não aplicável;
niet beschikbaar; onbekend; n.v.t; nvt; geen; geen gegevens; niet bekend; niet opgegeven; n.b; niet van toepassing; niet ingevuld;
brak; brak danych; nie dotyczy; nieznany; nieznana; nie podano; b.d; bd; nie określono;
saknas; okänd; okänt; ingen; inga uppgifter; ej angivet; ej angiven; ej tillgänglig; uppgift saknas; ukendt; ikke oplyst; ikke angivet; ukjent;
ikke tilgjengelig; ikke tilgængelig; ingen data; ei tietoa; ei saatavilla; ei ilmoitettu; ei tiedossa; nincs adat; nincs; nem ismert; nem elérhető;
neuvedeno; není k dispozici; neznámý; nezadáno; nu este disponibil; necunoscut; nespecificat; fără date;
yok; bilinmiyor; belirtilmemiş; veri yok; mevcut değil; нет данных; не указано; не указан; неизвестно; отсутствует; нет; н/д; немає даних; невідомо;
няма данни; δ/υ; άγνωστο; なし; 該当なし; 不明; 未定; 未設定; 未登録; データなし; 无; 無; 暂无; 暂无数据; 未知; 不详; 没有; 未提供; 없음; 미정; 정보 없음;
לא ידוע; אין; غير متوفر; غير معروف; لا يوجد
`;

// "Pending" is a status, but no number or date.
const FOR_VALUES = `
pending; withheld; redacted; confidential; restricted; private; n/s; n/p; ns; ex-directory; awaiting data; in progress; not yet; never;
ausstehend; offen; en attente; pendiente; in attesa; pendente
`;

const split = (text: string): readonly string[] =>
  text
    .split(/;|\n/)
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** Many sites write without accents. */
const withPlain = (words: readonly string[]): readonly string[] => [
  ...words,
  ...words.map((word) => word.normalize("NFD").replace(/\p{M}/gu, "")),
];

const everywhere = withPlain(split(EVERYWHERE));

export const NO_VALUE_WORDS = {
  words: new Set(everywhere),
  value: new Set([...everywhere, ...withPlain(split(FOR_VALUES))]),
} as const;

const GIVEN =
  "available|applicable|provided|listed|reported|recorded|specified|given|disclosed|stated|known|set|entered|on file|on record|supplied|indicated|" +
  "assigned|found|shown|in (?:the )?(?:system|database)|at this time|published|posted|displayed|registered|submitted|identified|completed|filled in";
const LATER =
  "(?:at this time|at present|yet|online|currently|here|for this .{1,30}|to date|on this .{1,20})";
const THING =
  "data|information|info|details?|values?|records?|entry|entries|results?|phone|telephone|fax|e-?mail|address|web ?site|url|number|date|amount|" +
  "name|description|comments?|notes?|history|items?|documents?|figures?|listing";

const NOT = `(?:(?:the |this )?(?:${THING})(?: (?:${THING}))? (?:is |are |was |were )?)?(?:currently )?not (?:yet |currently |publicly )?(?:${GIVEN})(?: ${LATER})?`;
const NONE = `(?:none|nothing) (?:${GIVEN})(?: ${LATER})?`;
const NO = `no (?:\\S+ ){0,2}(?:${THING})(?: (?:is |are |was |were )?(?:${GIVEN}))?(?: ${LATER})?|no (?:\\S+ ){1,3}(?:${GIVEN})(?: ${LATER})?`;
const UN = `(?:(?:${THING}) )?(?:is |are )?(?:currently |temporarily )?(?:unavailable|unknown|missing)(?: ${LATER})?|(?:unknown|unspecified|undetermined) (?:${THING})`;

/** Sentences that say the same, in English: "None on file", "Phone number not listed", "No data available". */
export const NO_VALUE_PHRASES = {
  words: new RegExp(`^(?:${NOT}|${NONE}|${NO}|${UN})$`, "i"),
  value: new RegExp(`^(?:${NOT}|${NONE}|${NO}|${UN}|pending \\S+|not (?:yet )?\\S+|no \\S+)$`, "i"),
} as const;
